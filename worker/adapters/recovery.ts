import { MemoryError } from '../../src/protocol/errors.js'
import type { RecoveryReport } from '../../src/schema/storage.js'
import type { Db, OpenedStorage, StoreRegistry } from '../ports.js'
import { checkAtOpen } from './check/at-open.js'
import type { inspect, inspectFully } from './check/inspect.js'
import type { DamageMarks } from './idb-registry.js'
import { safeName } from './safe-name.js'
import type { Salvage, salvage } from './salvage/salvage.js'
import { type Database, leaveLog, type Sqlite3Static, said } from './sqlite.js'
import { asFailure, connectDb, type StoreFile } from './store-file.js'

/** Puts readable rows of a damaged database into a new one. Creates the schema; answers how many versions were put in. */
export type Refill = (db: Db, damaged: Salvage) => number

export interface RecoveryDeps {
  readonly sqlite3: Sqlite3Static
  readonly registry: StoreRegistry & { readonly damage: DamageMarks }
  readonly now: () => number
  readonly refill: Refill
  /** Loads what looks a database over and reads a damaged one. */
  readonly loadRepair: () => Promise<Repair>
}

/** What few openings need. */
export interface Repair {
  readonly inspect: typeof inspect
  readonly inspectFully: typeof inspectFully
  readonly salvage: typeof salvage
}

/**
 * Opens the database in a place. A damaged one is copied to quarantine first; then a new one takes its name, filled with
 * what could be read.
 *
 * The order survives a crash at any point: the mark that names the copy is written before the damaged file goes, and
 * cleared after the new one is filled, so a half-filled database is thrown away and filled again.
 */
export const openOrRecover = async (
  name: string,
  file: StoreFile,
  reason: string,
  deps: RecoveryDeps,
): Promise<OpenedStorage> => {
  try {
    return await attempt(name, file, reason, deps)
  } catch (error) {
    await file.release().catch(() => undefined)
    throw asFailure(deps.sqlite3, error, file.backend)
  }
}

const attempt = async (name: string, file: StoreFile, reason: string, deps: RecoveryDeps): Promise<OpenedStorage> => {
  const { registry } = deps
  const [record, mark] = await Promise.all([registry.read(name), registry.damage.read(name)])
  const opened = (db: Db, recovery: RecoveryReport | null): OpenedStorage => ({
    db,
    report: { backend: file.backend, durable: file.backend === 'opfs' ? 'yes' : 'best-effort', reason, recovery },
  })

  let cause = mark?.quarantinedAs != null ? mark.cause : null
  if (cause === null && record !== null && !file.found) cause = 'missing'
  if (cause === null) {
    const tried = await openSound(name, file, { expected: record !== null && file.found, thorough: mark !== null }, deps)
    if ('db' in tried) {
      if (mark !== null) await registry.damage.clear(name)
      return opened(tried.db, record?.recovery ?? null)
    }
    cause = tried.cause
  }

  const { db, recovery } = await replace(name, file, cause, mark?.quarantinedAs ?? null, deps)
  if (record !== null) await registry.write({ ...record, recovery })
  await registry.damage.clear(name)
  return opened(db, recovery)
}

interface Trial {
  /** Whether the store is known to have had content. */
  readonly expected: boolean
  /** Whether damage was seen before. */
  readonly thorough: boolean
}

const openSound = async (
  name: string,
  file: StoreFile,
  { expected, thorough }: Trial,
  deps: RecoveryDeps,
): Promise<{ readonly db: Db } | { readonly cause: string }> => {
  let discarded = false
  let connection: Database | undefined
  const place: StoreFile = {
    ...file,
    connect: () => {
      connection = file.connect()
      return connection
    },
    // A database that is given up leaves its place taken.
    release: () => (discarded ? Promise.resolve() : file.release()),
  }
  let db: Db
  try {
    db = await connectDb(deps.sqlite3, place, noteDamage(name, deps))
  } catch (error) {
    const known = asFailure(deps.sqlite3, error, file.backend)
    if (known.code !== 'STORAGE_CORRUPT') throw known
    return { cause: said(error) }
  }
  const soundness = thorough ? (await loadRepair('damage was seen in it', deps)).inspectFully(db) : checkAtOpen(db, expected)
  if (soundness.sound) return { db }
  discarded = true
  if (connection !== undefined) leaveLog(deps.sqlite3, connection)
  await db.close()
  return { cause: soundness.cause }
}

const noteDamage =
  (name: string, { registry }: RecoveryDeps) =>
  (cause: string): void =>
    void registry.damage.set(name, { cause, quarantinedAs: null })

const loadRepair = async (cause: string, deps: RecoveryDeps): Promise<Repair> => {
  try {
    return await deps.loadRepair()
  } catch (error) {
    const why = `${cause}; what repairs it could not be loaded (${said(error)})`
    throw new MemoryError(
      'STORAGE_CORRUPT',
      `The database is damaged: ${why}. It was left as it is. Serve all files of dist/.`,
      {
        cause: why,
        quarantinedAs: null,
      },
    )
  }
}

const replace = async (
  name: string,
  file: StoreFile,
  cause: string,
  kept: string | null,
  deps: RecoveryDeps,
): Promise<{ readonly db: Db; readonly recovery: RecoveryReport }> => {
  // Before anything is moved: without it the file stays where it is, and the next opening tries again.
  const { salvage } = await loadRepair(cause, deps)
  const at = deps.now()
  const quarantinedAs = kept ?? (await keep(file, cause, `${safeName(name)}-${at}`))
  const { database, log } = quarantinedAs === null ? NOTHING : await file.kept(quarantinedAs)
  await deps.registry.damage.set(name, { cause, quarantinedAs })
  await file.remove()

  const db = await connectDb(deps.sqlite3, file, noteDamage(name, deps))
  const damaged = salvage(database, log)
  try {
    const versionsRecovered = deps.refill(db, damaged)
    await db.durable()
    return { db, recovery: { at, cause, quarantinedAs, versionsRecovered, versionsUnreadable: damaged.unreadable() } }
  } catch (error) {
    if (error instanceof MemoryError) {
      await db.close()
      throw error
    }
    // Better an empty store, whose past is in quarantine, than none.
    const why = `${cause}; nothing could be put back (${said(error)})`
    return { db, recovery: { at, cause: why, quarantinedAs, versionsRecovered: 0, versionsUnreadable: true } }
  }
}

const NOTHING = { database: new Uint8Array(), log: null }

/** Where the damaged file was copied; null when there was none. A file that cannot be copied stays where it is. */
const keep = async (file: StoreFile, cause: string, label: string): Promise<string | null> => {
  const { database, log } = file.bytes()
  if (database.length === 0 && log === null) return null
  try {
    return await file.keep(label)
  } catch (error) {
    throw new MemoryError(
      'STORAGE_CORRUPT',
      'The database file is damaged, and there is no room to set it aside. Free some space and reload the page.',
      { cause: `${cause} (${said(error)})`, quarantinedAs: null },
      { cause: error },
    )
  }
}
