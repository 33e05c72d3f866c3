import type { VersionBody } from '../schema/records.js'

/** The type of memories that are made of others: by its own, it is weighed against no memory that somebody has stated. */
export const SUMMARY = 'summary'

/** What keys of such memories begin with. */
export const CONSOLIDATED = 'consolidated/'

/** Whether a memory was made of others by `consolidate`. */
export const isConsolidated = ({ key, type, sourceClass }: Pick<VersionBody, 'key' | 'type' | 'sourceClass'>): boolean =>
  key.startsWith(CONSOLIDATED) && type === SUMMARY && sourceClass === 'derived'

/** How a source stands by now: as it was, contradicted, or not there any more. */
export type SourceStanding = 'stands' | 'doubted' | 'gone'

/** What a memory can claim that was made of some sources: everything, something, or nothing. */
export type Belief = 'held' | 'weakened' | 'lost'

/** A claim that was made of several is no stronger than all of them together: it goes with the last and is in doubt without one. */
export const beliefIn = (sources: readonly SourceStanding[]): Belief => {
  if (sources.every((standing) => standing === 'gone')) return 'lost'
  return sources.every((standing) => standing === 'stands') ? 'held' : 'weakened'
}

/** Why a memory stands as it does, by what it was made of. Whoever changed it for another reason has the last word. */
export const BELIEF_REASON: { readonly [Kind in Exclude<Belief, 'held'>]: string } = {
  weakened: 'weakened, since some of what it was made of has changed or is in doubt',
  lost: 'unsupported, since nothing of what it was made of is left',
}
