import { scannedText } from '../../../src/domain/blacklist.js'
import { actionFor, keyMove } from '../../../src/domain/going-back.js'
import { HOLDS_KEY } from '../../../src/domain/version.js'
import type { KeptReason, PlannedRow, PlannedState, RestoreAction } from '../../../src/schema/going-back.js'
import type { BlacklistRule } from '../../../src/schema/guards.js'
import type { VersionBody } from '../../../src/schema/records.js'
import { type GoingBack, versionAt } from '../../store/going-back.js'
import { type Head, headOf, headsByKey } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { blacklistRefusal, rulesInForce } from '../memory/rules.js'
import { takeTurn } from '../turn.js'

/** A memory that may be brought back: the row it would return to, null when it did not exist. */
export type Candidate =
  | { readonly memory: number; readonly target: number | null }
  | { readonly memory: number; readonly kept: KeptReason }

/** What holds against bringing a memory back. */
export type Guard = (now: VersionBody, then: VersionBody | null) => KeptReason | null

/** What becomes of one memory, as it is told and as it is done. */
export interface Planned {
  readonly memory: number
  readonly told: PlannedRow
  /** Null for one that is kept. */
  readonly done: GoingBack | null
}

/** Memories planned in one turn: reads get theirs in between. */
const SLICE = 200

/** Decides what becomes of each candidate. To be called where no write can come between this and what follows from it. */
export const plan = async (
  engine: Engine,
  context: CallContext,
  candidates: readonly Candidate[],
  guard: Guard,
): Promise<readonly Planned[]> => {
  const rules = rulesInForce(engine, context)
  const planned: Planned[] = []
  for (const [i, candidate] of candidates.entries()) {
    if (i % SLICE === 0) await takeTurn(context, 0)
    const one = await planOne(engine, rules, candidate, guard)
    if (one !== null) planned.push(one)
  }
  return withFreeKeys(engine, planned)
}

const planOne = async (
  engine: Engine,
  rules: readonly BlacklistRule[],
  candidate: Candidate,
  guard: Guard,
): Promise<Planned | null> => {
  const { db } = engine.store
  const head = headOf(db, candidate.memory)
  if (head === null) return null
  if ('kept' in candidate) return keep(head, null, candidate.kept)
  const then = candidate.target === null ? null : versionAt(db, candidate.target)
  if (candidate.target !== null && then === null) return keep(head, null, 'redacted')
  const action = actionFor(head.body, then?.body ?? null)
  if (action === null) return null
  const guarded = guard(head.body, then?.body ?? null)
  if (guarded !== null) return keep(head, then, guarded)
  if (then !== null && (await isForbidden(engine, rules, head.body, then.body))) return keep(head, then, 'blacklisted')
  const move = keyMove(head.body, then?.body ?? null)
  return {
    memory: head.memory,
    told: tell(head, then, action, null),
    done: { memory: head.memory, turn: move === 'leaves' ? 0 : 1, target: then?.row ?? null, head: head.row },
  }
}

/** What is brought back is written again, so the blacklist holds for it. */
const isForbidden = async (
  engine: Engine,
  rules: readonly BlacklistRule[],
  now: VersionBody,
  then: VersionBody,
): Promise<boolean> => {
  if (rules.length === 0 || !HOLDS_KEY.includes(then.status)) return false
  if (HOLDS_KEY.includes(now.status) && now.contentSha256 === then.contentSha256) return false
  return (await blacklistRefusal(engine, rules, scannedText(then, then.key))) !== null
}

const keep = (head: Head, then: Head | null, reason: KeptReason): Planned => ({
  memory: head.memory,
  told: tell(head, then, 'keep', reason),
  done: null,
})

const tell = (head: Head, then: Head | null, action: RestoreAction | 'keep', reason: KeptReason | null): PlannedRow => ({
  id: head.memoryId,
  key: head.body.sensitivity === 'high' || then?.body.sensitivity === 'high' ? null : head.body.key,
  action,
  reason,
  from: stateOf(head),
  to: then === null ? null : stateOf(then),
})

const stateOf = ({ ver, body }: Head): PlannedState => ({
  version: ver.toString(),
  status: body.status,
  contentSha256: body.sensitivity === 'high' ? null : body.contentSha256,
})

/** Leaves out what would return to a key under which another memory lives and stays. */
const withFreeKeys = ({ store }: Engine, planned: readonly Planned[]): readonly Planned[] => {
  const leaving = new Set(planned.flatMap(({ done }) => (done?.turn === 0 ? [done.memory] : [])))
  return planned.map((one) => {
    if (one.done === null || one.done.turn === 0) return one
    const head = headOf(store.db, one.memory) as Head
    if (isHeld(head)) return one
    const then = one.done.target === null ? null : versionAt(store.db, one.done.target)
    if (then === null || !isHeld(then)) return one
    const others = headsByKey(store.db, [head.identity], head.body.key)
    const taken = others.some((other) => other.memory !== head.memory && isHeld(other) && !leaving.has(other.memory))
    return taken ? keep(head, then, 'key_taken') : one
  })
}

const isHeld = ({ body }: Head): boolean => HOLDS_KEY.includes(body.status)
