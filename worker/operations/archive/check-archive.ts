import { owns, speaksForAll } from '../../../src/domain/scope.js'
import type { ArchiveCounts, ArchivedNamespace, ArchivedRule, ArchivedUsage } from '../../../src/schema/archive.js'
import type { ArchivedErasure } from '../../../src/schema/erasing.js'
import type { Row } from '../../../src/schema/row.js'
import type { Scope } from '../../../src/schema/scope.js'
import { partsOf } from '../../store/rows.js'
import type { CallContext, Engine } from '../context.js'
import { isWithin } from '../erasing/receipts.js'
import { stopIfAborted } from '../turn.js'
import { readArchive } from './read-archive.js'
import type { Unpacked } from './unpack.js'
import { createBreather, walk } from './walk.js'

/** What is known of an archive that was read to its end and found good. */
export interface Checked {
  readonly sha256: string
  readonly counts: ArchiveCounts
  /** Devices that wrote any of it. */
  readonly devices: ReadonlySet<string>
  /** What belongs to the handle's scope. */
  readonly own: { readonly memories: number; readonly versions: number }
  readonly rules: readonly ArchivedRule[]
  readonly namespaces: readonly ArchivedNamespace[]
  readonly usage: readonly ArchivedUsage[]
  readonly erasures: readonly ArchivedErasure[]
}

/** Reads an archive from end to end and writes nothing. */
export const checkArchive = async (engine: Engine, { scope, signal }: CallContext, unpacked: Unpacked): Promise<Checked> => {
  const devices = new Set<string>()
  const own = { memories: 0, versions: 0 }
  const breathe = createBreather(engine.store.system.now)
  const { size } = unpacked
  const tell = (loaded: number): void =>
    engine.progress({ phase: 'check', loaded, total: size, ratio: size === 0 ? 1 : loaded / size })
  const end = await walk(readArchive(unpacked.open()), async (memories) => {
    stopIfAborted(signal, 0)
    for (const { rows } of memories) {
      for (const { id } of rows) devices.add(partsOf(id).deviceId)
      if (!owns(scope, (rows[0] as Row).scope)) continue
      own.memories++
      own.versions += rows.length
    }
    tell(unpacked.read())
    await breathe()
  })
  tell(size)
  const rules: ArchivedRule[] = []
  for (const rule of end.rules) if (owns(scope, rule.scope) && (await isRunnable(engine, rule))) rules.push(rule)
  const namespaces = end.namespaces.filter((named) => speaksForAll(scope) && owns(scope, named as Scope))
  const usage = end.usage.filter((kept) => owns(scope, kept.scope))
  const erasures = end.erasures.filter(isWithin(scope))
  return { sha256: end.sha256, counts: end.counts, devices, own, rules, namespaces, usage, erasures }
}

/** A pattern is a program: one that this store would not have taken as a rule does not come in by the back door. */
const isRunnable = async ({ scanner }: Engine, { pattern, patternType }: ArchivedRule): Promise<boolean> =>
  patternType === 'substring' || (await scanner.check(pattern)) === null
