/**
 * How a statement stands to an earlier one. `restates`: nothing new. `nearly`: the same but for a word that one of them lacks.
 * `refines`: another value of an attribute of which there is one. `opposes`: both cannot be so. `differs`: the same but for a value
 * that is likely to exclude the other. `apart`: none of these.
 */
export type RelationKind = 'restates' | 'nearly' | 'refines' | 'opposes' | 'differs' | 'apart'

export interface StatementRelation {
  readonly kind: RelationKind
  /** What was found, as the end of a sentence about the two. */
  readonly because: string
  /** Of what is nearly the same: how much of the way from one topic to one sentence their similarity has to have gone. 1 unless given. */
  readonly doubt?: number
}
