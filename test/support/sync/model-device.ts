import type { Cursor, Presence } from '../../../src/domain/sync/exchange.js'
import type { DeviceClock } from '../../../src/domain/sync/stamp.js'
import { type RowContent, rowIdOf, rowIdParts } from '../../../src/domain/sync/sync-row.js'
import type { Core } from './core.js'
import { type Hashing, type ModelRow, QUICK } from './model-server.js'

export interface Held {
  readonly row: ModelRow
  /** Whether the server has it: not as far as is known, by its answer to a push, or because it was read there. */
  readonly there: Presence
  readonly everAccepted: boolean
}

export interface Draft {
  readonly kind: string
  readonly key: { readonly nc: string; readonly kc: string | null }
  readonly kepoch: number
  readonly parents: readonly string[]
  readonly human: boolean
  readonly target: string | null
  readonly content: RowContent | null
  readonly poison: boolean
  readonly tag: number
}

const startOf = ({ empty }: Hashing): Cursor => ({ epoch: null, seq: 0, digest: empty })

/** What a device keeps. A copy of it is a copied profile. */
export interface Kept {
  held: Map<string, Held>
  dev: string
  nextDseq: number
  ownDevs: Set<string>
  clock: DeviceClock
  cursor: Cursor
  quarantine: Set<string>
  awaiting: Set<string>
  rebases: number
  /** The latest time that the server said it was. */
  latestMs: number
}

export const emptyKept = (dev: string, hashing: Hashing = QUICK): Kept => ({
  held: new Map(),
  dev,
  nextDseq: 1,
  ownDevs: new Set([dev]),
  clock: { offsetMs: 0, last: 0n },
  cursor: startOf(hashing),
  quarantine: new Set(),
  awaiting: new Set(),
  rebases: 0,
  latestMs: 0,
})

export const copyOf = (kept: Kept): Kept => ({
  ...kept,
  held: new Map(kept.held),
  ownDevs: new Set(kept.ownDevs),
  quarantine: new Set(kept.quarantine),
  awaiting: new Set(kept.awaiting),
})

/** A device's store in the model: rows, and what follows from those that arrive. */
export const createModelDevice = (core: Core, kept: Kept, newDev: () => string, hashing: Hashing = QUICK) => {
  const { hashOf, add } = hashing
  const rows = (): readonly ModelRow[] => [...kept.held.values()].map(({ row }) => row)
  const hold = (row: ModelRow, there: Presence, everAccepted: boolean): void => {
    kept.held.set(row.id, { row, there, everAccepted })
  }
  const isOwn = (id: string): boolean => kept.ownDevs.has(rowIdParts(id).dev)

  const write = (draft: Draft, localNowMs: number): ModelRow => {
    const { key, ...said } = draft
    const parents = draft.parents.map((id) => (kept.held.get(id) as Held).row.ver)
    const { ver, clock } = core.stamp(kept.clock, localNowMs, parents)
    kept.clock = clock
    const row = { ...said, ...key, id: rowIdOf({ dev: kept.dev, dseq: kept.nextDseq++ }), ver }
    const made = { ...row, hash: hashOf(row) }
    hold(made, 'no', false)
    sweep()
    return made
  }

  /** Lets go of what may not be kept. */
  const sweep = (): void => {
    const set = rows()
    if (!set.some(({ kind }) => kind === 'erase' || kind === 'redact')) return
    const { erased, redacted } = core.leavingOf(set)
    for (const id of erased) {
      kept.held.delete(id)
      kept.quarantine.delete(id)
      kept.awaiting.delete(id)
    }
    for (const id of redacted) {
      const found = kept.held.get(id)
      if (found !== undefined) kept.held.set(id, { ...found, row: { ...found.row, content: null } })
    }
  }

  const rename = (): void => {
    kept.dev = newDev()
    kept.nextDseq = 1
    kept.ownDevs.add(kept.dev)
  }

  /** Writes rows again whose ids another device used for something else, and makes room for the other's. */
  const reissue = (collided: ReadonlySet<string>): void => {
    if ([...collided].some((id) => rowIdParts(id).dev === kept.dev)) rename()
    // A row may be written again twice.
    const before = new Map(kept.held)
    for (const { from, to, parents, target, keepsOld } of core.reissue(rows(), collided, kept.dev, kept.nextDseq)) {
      const { row, everAccepted } = before.get(from) as Held
      const content = row.content?.of === 'life' ? { ...row.content, was: row.content.was ?? from } : row.content
      const { hash: _, ...again } = { ...row, id: to, parents, target, content }
      hold({ ...again, hash: hashOf(again) }, 'no', false)
      kept.nextDseq++
      if (kept.quarantine.delete(from)) kept.quarantine.add(to)
      if (collided.has(from) || !(everAccepted || keepsOld)) kept.held.delete(from)
    }
  }

  return {
    kept,
    rows,
    isOwn,
    write,
    sweep,
    reissue,
    /** Takes rows that a server has; `isCovered` when the cursor is to move past them. */
    take: (arrived: readonly ModelRow[], isCovered: boolean, localNowMs: number): void => {
      // Before anything is written again, which would use up the counter that tells.
      if (arrived.some(({ id }) => core.isFromTwin(id, kept.dev, kept.nextDseq))) rename()
      const collided = new Set(
        arrived.filter(({ id, hash }) => (kept.held.get(id)?.row.hash ?? hash) !== hash).map(({ id }) => id),
      )
      if (collided.size > 0) reissue(collided)
      for (const row of arrived) {
        kept.clock = core.adopt(kept.clock, localNowMs, row.ver)
        const known = kept.held.get(row.id)
        hold(known?.row ?? row, core.presenceAfter(known?.there ?? 'no', isCovered), true)
        kept.awaiting.delete(row.id)
      }
      sweep()
    },
    restamp: (refused: readonly ModelRow[], localNowMs: number, serverNowMs: number): void => {
      kept.clock = core.corrected(kept.clock, localNowMs, serverNowMs)
      const accepted = [...kept.held.values()]
        .filter(({ everAccepted, row }) => everAccepted && isOwn(row.id))
        .reduce((highest, { row }) => (row.ver > highest ? row.ver : highest), 0n)
      const versionOf = (id: string): bigint | undefined => kept.held.get(id)?.row.ver
      // Held back by a row in quarantine, and of a time that no server takes yet.
      const sendable = new Set(core.pushable(rows(), kept.quarantine).map(({ id }) => id))
      const isUnsent = (id: string): boolean =>
        isOwn(id) &&
        !sendable.has(id) &&
        kept.held.get(id)?.everAccepted === false &&
        core.isBeyondGate(versionOf(id) ?? 0n, serverNowMs)
      const late = core.withUnsentPast(refused, (id) => kept.held.get(id)?.row, isUnsent)
      const { versions, clock } = core.restamped(kept.clock, localNowMs, late, versionOf, accepted)
      kept.clock = clock
      for (const [id, ver] of versions) {
        const { hash: _, ...row } = { ...(kept.held.get(id) as Held).row, ver }
        hold({ ...row, hash: hashOf(row) }, 'no', false)
      }
    },
    rebase: (epoch: string): void => {
      kept.rebases++
      kept.cursor = { ...startOf(hashing), epoch }
      for (const [id, held] of kept.held) kept.held.set(id, { ...held, there: 'no' })
    },
    /** All was read: what the server said it took and did not hand out it has lost since. */
    atHead: (): void => {
      for (const [id, held] of kept.held) if (core.isLost(held.there)) kept.held.set(id, { ...held, there: 'no' })
    },
    digestOver: (page: readonly ModelRow[]): string => page.reduce((sum, { hash }) => add(sum, hash), kept.cursor.digest),
  }
}
export type ModelDevice = ReturnType<typeof createModelDevice>
