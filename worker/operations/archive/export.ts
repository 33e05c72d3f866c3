import { rowProblem } from '../../../src/domain/row.js'
import { owns, speaksForAll } from '../../../src/domain/scope.js'
import { runningSha256 } from '../../../src/domain/sha256.js'
import { ARCHIVE_VERSION, type ArchiveHeader, type ArchiveTrailer } from '../../../src/schema/archive.js'
import type { MemoryRow } from '../../../src/schema/records.js'
import type { Scope } from '../../../src/schema/scope.js'
import { rulesOf } from '../../store/blacklist.js'
import { allRegistrations } from '../../store/namespaces.js'
import { everSensitive, placesOf, type RowPlace, readRows } from '../../store/rows.js'
import type { Store } from '../../store/store.js'
import { allUsage } from '../../store/usage.js'
import { headOf, headToRow } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { erasuresToCarry } from '../erasing/receipts.js'
import { traceSensitive } from '../memory/read.js'
import { noteAct } from '../memory/recorded.js'
import { letOthers, stopIfAborted } from '../turn.js'
import { createPacker, type Packer } from './pack.js'

/** Versions read in one go: other calls get their turn in between. */
const PAGE = 500

/** What a handle takes out of a store, noted in one moment: what is written meanwhile stays out. */
interface Selection {
  readonly places: readonly RowPlace[]
  readonly settings: readonly object[]
  readonly rules: readonly object[]
  readonly usage: readonly object[]
  readonly erasures: readonly object[]
  /** Highly sensitive memories that go in, or that stay out. */
  readonly sensitive: readonly number[]
  readonly withheld: number
  /** Whether nothing in the store is left out. */
  readonly isAll: boolean
}

/** An archive of everything that belongs to the handle's scope. */
export const exportArchive = async (
  engine: Engine,
  context: CallContext,
  input: { readonly passphrase?: string | undefined; readonly includeSensitive?: boolean | undefined },
): Promise<Blob> => {
  const { store } = engine
  const selection = select(engine, context, input.includeSensitive ?? input.passphrase !== undefined)
  const packer = await createPacker(input.passphrase, store.system.randomBytes(16) as Uint8Array<ArrayBuffer>)
  try {
    const file = await write(engine, context, selection, packer)
    store.write(() => noteAct(engine, context, 'memory.export'))
    traceSensitive(engine, context, 'memory.export', sensitiveRows(engine, selection))
    await store.db.durable()
    if (selection.isAll) await engine.noteExport(context.acceptedAt)
    return file
  } catch (error) {
    packer.abandon()
    throw error
  }
}

const select = ({ store }: Engine, { scope }: CallContext, includeSensitive: boolean): Selection => {
  const { db, book } = store
  const own = book.all().filter((entry) => owns(scope, entry.scope))
  const identities = own.map(({ identity }) => identity)
  const high = everSensitive(db, identities)
  const all = placesOf(db, identities)
  const places = includeSensitive ? all : all.filter(({ memory }) => !high.has(memory))
  const rules = own.flatMap(({ identity }) => rulesOf(db, book, identity))
  const total = placesOf(
    db,
    book.all().map(({ identity }) => identity),
  ).length
  return {
    places,
    // What is settled for a namespace is everybody's, and goes with who speaks for all.
    settings: speaksForAll(scope) ? allRegistrations(db).filter((named) => owns(scope, named as Scope)) : [],
    usage: usageIn(store, identities, new Set(places.map(({ memory }) => memory))),
    rules: rules.map(({ timedOutAt: _, ...rule }) => rule),
    erasures: erasuresToCarry(store, scope),
    sensitive: includeSensitive ? [...high] : [],
    withheld: includeSensitive ? 0 : high.size,
    isAll: places.length === total,
  }
}

const usageIn = ({ db, book }: Store, identities: readonly number[], memories: ReadonlySet<number>): readonly object[] =>
  allUsage(db, identities)
    .filter(({ memory }) => memories.has(memory))
    .map(({ memoryId, identity, helped, harmed, uses, at }) => ({
      memory: memoryId,
      scope: book.scopeOf(identity),
      helped,
      harmed,
      uses,
      at,
    }))

const sensitiveRows = ({ store }: Engine, { sensitive }: Selection): readonly MemoryRow[] =>
  sensitive.flatMap((memory) => {
    const head = headOf(store.db, memory)
    return head === null ? [] : [{ ...headToRow(head, store.book.scopeOf(head.identity)), sensitivity: 'high' as const }]
  })

const write = async (engine: Engine, context: CallContext, selection: Selection, packer: Packer): Promise<Blob> => {
  const { places, settings, rules, usage, erasures, withheld } = selection
  const hash = runningSha256()
  const encoder = new TextEncoder()
  const put = async (lines: readonly object[]): Promise<void> => {
    const bytes = encoder.encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    hash.update(bytes)
    await packer.write(bytes)
  }
  const fixed = { rules: rules.length, namespaces: settings.length, usage: usage.length, erasures: erasures.length }
  await put([headerOf(engine, context, { ...fixed, versions: places.length, memories: countMemories(places) })])
  await put([
    ...settings.map((named) => ({ type: 'namespace', ...named })),
    ...rules.map((rule) => ({ type: 'rule', ...rule })),
    ...erasures.map((erasure) => ({ type: 'erasure', ...erasure })),
  ])
  let versions = 0
  const memories = new Set<string>()
  for (let from = 0; from < places.length; from += PAGE) {
    stopIfAborted(context.signal)
    const page = readPage(engine, places, from)
    for (const { memory } of page) memories.add(memory)
    versions += page.length
    await put(page.map((row) => ({ type: 'version', ...row })))
    const loaded = Math.min(from + PAGE, places.length)
    engine.progress({ phase: 'export', loaded, total: places.length, ratio: loaded / places.length })
    await letOthers()
  }
  for (let from = 0; from < usage.length; from += PAGE)
    await put(usage.slice(from, from + PAGE).map((kept) => ({ type: 'usage', ...kept })))
  const trailer: ArchiveTrailer = {
    type: 'end',
    counts: { ...fixed, versions, memories: memories.size },
    leftOut: { sensitive: withheld, damaged: places.length - versions },
    sha256: hash.hex(),
  }
  await packer.write(encoder.encode(`${JSON.stringify(trailer)}\n`))
  return packer.end()
}

/** A version that is not what its hashes say would make the whole archive one that was altered. */
const readPage = ({ store }: Engine, places: readonly RowPlace[], from: number) =>
  readRows(
    store.db,
    store.book,
    places.slice(from, from + PAGE).map(({ row }) => row),
  ).filter((row) => rowProblem(row, NONE_BEFORE) === null)

const NONE_BEFORE = new Map()

const countMemories = (places: readonly RowPlace[]): number => new Set(places.map(({ memory }) => memory)).size

const headerOf = ({ store }: Engine, { scope, acceptedAt }: CallContext, counts: ArchiveHeader['counts']): ArchiveHeader => {
  const { org, namespace, agent, user, session } = scope
  const bound = Object.entries({ org, namespace, agent, user, session }).filter(
    ([, level]) => level !== undefined && level !== '*' && level !== '',
  )
  return {
    type: 'palimpsest-archive',
    version: ARCHIVE_VERSION,
    device: store.device.deviceId,
    created: new Date(acceptedAt).toISOString(),
    scope: Object.fromEntries(bound),
    counts,
  }
}
