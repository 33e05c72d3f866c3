import type { FindingKind } from '../schema/namespaces.js'
import type { VersionBody } from '../schema/records.js'
import { textOf } from './canonical.js'
import { normalize } from './normalize.js'

/** A memory as far as an audit looks at it. */
export interface AuditedMemory {
  readonly body: Pick<VersionBody, 'key' | 'value' | 'status' | 'createdAt'>
  readonly isUnjudged: boolean
  /** How often a search has found it. */
  readonly recalls: number
}

/** What each finding is, and what to do about it. */
export const ADVICE: { readonly [Kind in FindingKind]: string } = {
  hash_keys: 'A key made of hashes or random ids says nothing to a reader. Name what the memory is about.',
  numbered_keys:
    'A numbered key holds another version of what stands under the key without the number. Revise that one instead.',
  confusable_keys: 'A key mixes alphabets, or has another form that looks the same. Two such keys are easily taken for one.',
  multi_fact: 'A memory that holds several facts is judged as a whole. Keep one fact under each key.',
  open_conflicts: 'These contradict each other. Decide with conflicts.resolve.',
  open_proposals: 'These wait for somebody to decide with proposals.decide.',
  unjudged: 'These were stored while they could not be judged, and are judged once the embedder is back.',
  never_recalled:
    'No search has found these in the month since they were written. Say them in words that people would look for, or drop them.',
}

const MONTH_MS = 30 * 24 * 60 * 60 * 1000

/** Hexadecimal digests, UUIDs, ULIDs, and runs of letters and digits without any word in them. */
const HASHES = [
  /^(?=.*\d)[0-9a-f]{12,}$/i,
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  /^(?=.*\d)[0-9A-HJKMNP-TV-Z]{26}$/,
  /^(?=(?:.*\d){4})(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9_-]{16,}$/,
]

const VERSION = /[-_.~]v\d+$/i
const NUMBER = /(?:[-_.]\d+|[-_.](?:new|old|latest|final|copy|updated?))$/i

/** Sentences from which on a text is more than one fact. */
const MANY_SENTENCES = 3

/** What is worth a look in one memory, among all keys of its namespace. */
export const findingsIn = (
  { body, isUnjudged, recalls }: AuditedMemory,
  keys: ReadonlySet<string>,
  nowMs: number,
): readonly FindingKind[] => {
  const { key, value, status, createdAt } = body
  const rules: readonly (readonly [FindingKind, boolean])[] = [
    ['hash_keys', key.split('/').some((segment) => HASHES.some((hash) => hash.test(segment)))],
    ['numbered_keys', VERSION.test(key) || (NUMBER.test(key) && keys.has(key.replace(NUMBER, '')))],
    ['confusable_keys', normalize(key, 'NFKC') !== key || key.split(/[/\-_.~@:]/).some(mixesAlphabets)],
    ['multi_fact', typeof value === 'string' && sentencesIn(textOf(value)) >= MANY_SENTENCES],
    ['open_conflicts', status === 'conflicted'],
    ['open_proposals', status === 'proposed'],
    ['unjudged', isUnjudged],
    ['never_recalled', status === 'active' && recalls === 0 && nowMs - createdAt > MONTH_MS],
  ]
  return rules.flatMap(([kind, found]) => (found ? [kind] : []))
}

const mixesAlphabets = (word: string): boolean =>
  [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u].filter((script) => script.test(word)).length > 1

/** Ends of sentences that others follow, and the last. */
const sentencesIn = (text: string): number =>
  text.split(/[.!?]["'”’)]?\s+(?=\p{Lu})|[。！？]|\n+/u).filter((part) => /\p{L}/u.test(part)).length
