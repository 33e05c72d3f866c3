import { hex } from '../../src/domain/sha256.js'
import { MemoryError } from '../../src/protocol/errors.js'
import type { Db, System } from '../ports.js'
import {
  type Counters,
  type Device,
  raiseTerm,
  readCounters,
  readDeviceIds,
  readMeta,
  settleDevice,
  writeMeta,
} from './devices.js'
import { type ActiveEmbedder, NO_EMBEDDER } from './embedders.js'
import { type IdentityBook, openIdentityBook } from './identities.js'
import { migrate } from './migrate.js'
import { loadResident, type Resident } from './resident.js'
import { undoRestoring } from './restoring.js'
import { loadMatrix } from './vectors.js'
import type { Author } from './versions.js'

/** An open store: the database with what is kept in memory beside it. */
export interface Store {
  readonly db: Db
  readonly system: System
  readonly device: Device
  readonly embedder: ActiveEmbedder
  /** Searches with the vectors of another embedder from now on. Not to be called inside a write. */
  readonly useEmbedder: (embedder: ActiveEmbedder) => void
  readonly resident: Resident
  readonly book: IdentityBook
  readonly counters: Counters
  readonly author: Author
  readonly deviceIdOf: (dev: number) => string
  /** Reads the devices again: rows of others have come, or have gone. */
  readonly rereadDevices: () => void
  /** Refuses every write from now on. */
  readonly refuseWrites: (why: MemoryError) => void
  /** Keys the hashes of the audit. */
  readonly auditSalt: string
  /** Whether the file was closed properly before. */
  readonly wasClean: boolean
  /**
   * Runs a write in one transaction and undoes it in memory as well when it fails. `rehearse` runs it and undoes it always.
   * Refuses when another worker has taken the file over.
   */
  readonly write: <T>(work: () => T, options?: { readonly rehearse?: boolean }) => T
  /** Notes a proper end and closes the file. */
  readonly close: () => Promise<void>
}

/** Readies a database that was just opened: schema, device, term, memory-resident index. */
export const openStore = (db: Db, system: System, deviceIdOutside: string | null): Store => {
  migrate(db)
  undoRestoring(db)
  const device = settleDevice(db, system, deviceIdOutside)
  if (readMeta(db, 'audit_salt') === null) writeMeta(db, 'audit_salt', hex(system.randomBytes(32)))
  const auditSalt = String(readMeta(db, 'audit_salt'))
  const book = openIdentityBook(db)
  const term = raiseTerm(db)
  const wasClean = readMeta(db, 'clean') === 1
  writeMeta(db, 'clean', 0)
  let embedder = NO_EMBEDDER
  const resident = loadResident(db)
  const counters = readCounters(db, device)
  let deviceIds = readDeviceIds(db)
  let refused: MemoryError | null = null

  const checkTerm = (): void => {
    if (readMeta(db, 'term') !== term)
      throw new MemoryError('OWNER_CHANGED', 'Another tab has taken the store over. Repeat the call.', { call: 'write' })
  }

  /** Remembers how things stand in memory; calling the result brings that back. */
  const undoable = (): (() => void) => {
    const before = { resident: resident.mark(), book: book.mark(), counters: { ...counters } }
    return () => {
      resident.backTo(before.resident)
      book.backTo(before.book)
      Object.assign(counters, before.counters)
    }
  }

  return {
    db,
    system,
    device,
    get embedder() {
      return embedder
    },
    useEmbedder: (other) => {
      // The old vectors go first, so that there is never room for both.
      resident.dropMatrix()
      embedder = NO_EMBEDDER
      resident.useMatrix(loadMatrix(db, other.number, other.dims))
      embedder = other
    },
    resident,
    book,
    counters,
    author: { scope: null, run: null, origin: null, act: null },
    deviceIdOf: (dev) => deviceIds.get(dev) ?? '',
    rereadDevices: () => {
      deviceIds = readDeviceIds(db)
    },
    refuseWrites: (why) => {
      refused = why
    },
    auditSalt,
    wasClean,
    write: (work, { rehearse = false } = {}) => {
      if (refused !== null) throw refused
      const undo = undoable()
      const once = () => {
        undo()
        checkTerm()
        return work()
      }
      try {
        const value = rehearse ? db.rehearsal(once) : db.transaction(once)
        if (rehearse) undo()
        return value
      } catch (error) {
        undo()
        throw error
      }
    },
    close: async () => {
      writeMeta(db, 'clean', 1)
      await db.close()
    },
  }
}
