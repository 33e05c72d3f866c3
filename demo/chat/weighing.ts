import type { LearnedFact, Memory, MemoryRow, WriteResult } from 'palimpsest'
import { valueText, type Weighed } from './exchange.js'
import { clip } from './phrasing.js'

const LONGEST_PEER = 300

/** What a write was weighed against, for the chat log. Null where nothing came near enough to be spoken of. */
export const weighedOf = async (memory: Memory, result: WriteResult | LearnedFact): Promise<Weighed | null> => {
  const { id, verdict, peers, explanation } = result
  // What goes against something pinned under its own key is a proposal without having been weighed.
  if (verdict === 'clear' || (peers.length === 0 && verdict !== 'rejected')) return null
  const rows = await Promise.all(peers.map(({ key }) => memory.get(key)))
  return {
    id,
    rule: explanation.rule,
    because: explanation.because,
    thresholds: explanation.thresholds,
    peers: peers.map(({ key, id: peer, similarity, why }, i) => {
      const row = rows[i]
      return { key, id: peer, similarity, why, value: row ? clip(valueText(row.value), LONGEST_PEER) : '' }
    }),
    trial: result.status === 'proposed' ? 'open' : null,
  }
}

/** How it stands by now between a memory and those it was weighed against. */
export type Stand =
  | { readonly kind: 'open' | 'both' | 'dropped' | 'same' | 'trial' | 'accepted' | 'rejected' }
  /** The others gave way: by a decision, or since the library retired what an update made untrue. */
  | { readonly kind: 'replaced'; readonly gone: readonly string[] }

/** Reads it from the memories that are served now. */
export const standOf = (
  key: string,
  verdict: string,
  { id, peers, trial }: Weighed,
  headOf: (key: string) => MemoryRow | undefined,
): Stand => {
  if (trial !== null) return { kind: trial === 'open' ? 'trial' : trial }
  if (verdict !== 'conflict' && verdict !== 'refines') return { kind: 'same' }
  const own = headOf(key)
  if (own?.id !== id) return { kind: 'dropped' }
  const living = peers.filter((peer) => headOf(peer.key)?.id === peer.id)
  if (living.some((peer) => own.conflictWith.includes(peer.id))) return { kind: 'open' }
  const gone = peers.filter((peer) => !living.includes(peer)).map((peer) => peer.key)
  return gone.length === 0 ? { kind: 'both' } : { kind: 'replaced', gone }
}

/** What a person can say of it. */
export type Choice = 'newer' | 'older' | 'both' | 'back' | 'accept' | 'reject'

const ACTIONS = { newer: 'revise', older: 'contract', both: 'allow' } as const

/** Does what was chosen, and says what became of a proposal. */
export const decide = async (memory: Memory, { id, trial }: Weighed, choice: Choice, gone: readonly string[]) => {
  if (choice === 'accept' || choice === 'reject') {
    await memory.proposals.decide({ id, action: choice, reason: 'Decided in the chat.' })
    return choice === 'accept' ? 'accepted' : 'rejected'
  }
  if (choice === 'back') for (const key of gone) await memory.restore(key)
  else await memory.conflicts.resolve({ id, action: ACTIONS[choice] })
  return trial
}
