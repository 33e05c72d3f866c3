import type { JsonValue } from 'palimpsest'

/** A memory as an answer shows it: what stood there when it was used. */
export type Cited = {
  key: string
  value: string
  at: number
  /** Whether the sentence was made from it, or it only came close. */
  used: boolean
  score?: number
  legs?: { leg: 'vector' | 'lexical' | 'entity' | 'time'; rank: number; score: number }[]
  /** Over whom it was found, where a name led to another. */
  via?: string[]
}

/** The embedder that compared meanings, by its id; null when words alone were compared. Left out where nothing was searched. */
export type SearchedBy = string | null

/** What a memory was weighed against, as it stood then. */
export type Weighed = {
  /** The memory that was written. */
  id: string
  rule: string
  because: string
  thresholds: { duplicate: number; conflict: number }
  peers: { key: string; id: string; value: string; similarity: number; why: string }[]
  /** What became of it where it was only proposed, or null. */
  trial: 'open' | 'accepted' | 'rejected' | null
}

/** What was done with a line, in the form in which the chat log keeps it. */
export type Reply =
  | { kind: 'talk'; text: string }
  | {
      kind: 'learned'
      key: string
      value: string
      verdict: string
      version: string
      contentSha256: string
      /** What it tells of whom, where it was read out of the line: `home`, `allergy`, …; left out where the line was kept as it is. */
      about?: string
      /** The value under the key before, or null when this is its first. */
      before: string | null
      /** What it was weighed against; left out where nothing spoke of it. */
      weighed?: Weighed
    }
  | { kind: 'known'; key: string; value: string; times: number }
  /** `by`: the language model that put it into words; left out where it is told as it was said. */
  | { kind: 'answer'; text: string; cited: Cited[]; searchedBy?: SearchedBy; by?: string }
  | { kind: 'unknown'; advice: string; searchedBy?: SearchedBy }
  | { kind: 'forgot'; key: string; value: string }
  | { kind: 'which'; cited: Cited[] }
  /** What was said and not taken for a fact. */
  | { kind: 'passed'; text: string; why: string }
  | { kind: 'failed'; code: string; title: string; advice: string }

/** One line of a person with a reply to it. Without a line it is a further reply to the one before, or to a click in the memory panel. */
export type Exchange = { said: string; at: number; reply: Reply; undone: boolean }

/** An exchange with its place in the chat log. */
export type Entry = { key: string; exchange: Exchange }

/** Reads what a chat log row holds, or null when it is of a form that this page does not know. */
export const readExchange = (value: JsonValue): Exchange | null => {
  if (!isObject(value) || !isObject(value.reply)) return null
  const { said, at, reply, undone } = value
  if (typeof said !== 'string' || typeof at !== 'number' || typeof undone !== 'boolean') return null
  return KINDS.has(String(reply.kind)) ? (value as unknown as Exchange) : null
}

const KINDS = new Set(['talk', 'learned', 'known', 'answer', 'unknown', 'forgot', 'which', 'passed', 'failed'])

const isObject = (value: JsonValue | undefined): value is { [name: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value as a person reads it. */
export const valueText = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value))
