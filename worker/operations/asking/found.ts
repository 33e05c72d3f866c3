import { type Candidate, chooseSentences } from '../../../src/domain/asking/choose.js'
import { sentencesAround } from '../../../src/domain/asking/sentences.js'
import { cosine } from '../../../src/domain/calibration.js'
import { textOf } from '../../../src/domain/canonical.js'
import { isMemoryError } from '../../../src/protocol/errors.js'
import type { AsOfInput } from '../../../src/schema/as-of.js'
import type { Hit, MemoryRow, SearchResult } from '../../../src/schema/records.js'
import { searchAsOf } from '../as-of/search.js'
import type { CallContext, Engine } from '../context.js'
import { type SearchInput, search } from '../search.js'
import { withOtherSides } from './other-sides.js'
import { isAttested, type Telling, tellingOf } from './telling.js'

/** What a question narrows the search to. */
export interface FindInput extends AsOfInput, Omit<SearchInput, 'query' | 'offset' | 'explain'> {
  readonly question: string
}

/** What was found for a question, before anybody puts it into words. */
export interface Found {
  readonly searched: SearchResult
  /** Memories with the sentences of them that answer, best first. */
  readonly told: readonly Telling[]
  /** All that may be told, each with the sentences around what was found. */
  readonly material: readonly Telling[]
  /** Memories left out since no person stands behind them. */
  readonly unattested: number
}

/** Searches for what answers a question. */
export const find = async (engine: Engine, context: CallContext, input: FindInput): Promise<Found> => {
  const { question, ...rest } = input
  const searching = { ...rest, query: question, offset: 0, explain: false }
  const isEarlier = input.asOf !== undefined || input.asOfBasis !== undefined
  const searched = await (isEarlier ? searchAsOf(engine, context, searching) : search(engine, context, searching))
  const hits = searched.hits.filter(isAttested)
  const sentences = hits.map(({ value, excerpt }) => sentencesAround(textOf(value), excerpt).map(({ text }) => text))
  const candidates = await compared(engine, context, question, sentences)
  const identities = engine.store.book.visible(context.scope, input.tiers).map(({ identity }) => identity)
  const telling = (rank: number, text: string) => tellingOf(engine, identities, hits[rank] as Hit, text)
  const told = chooseSentences(question, candidates).map(({ rank, text }) => telling(rank, text))
  const material = sentences.map((some, rank) => telling(rank, some.join('\n')))
  // What contradicted it then is not what contradicts it now.
  const complete = (some: readonly Telling[]) => (isEarlier ? some : withOtherSides(engine, context, input, some))
  return { searched, told: complete(told), material: complete(material), unattested: searched.hits.length - hits.length }
}

/** Sentences by the rank of their memory, with how near each is to the question. */
const compared = async (
  { ladder }: Engine,
  { signal }: CallContext,
  question: string,
  sentences: readonly (readonly string[])[],
): Promise<readonly Candidate[]> => {
  const flat = sentences.flatMap((some, rank) => some.map((text) => ({ rank, text })))
  try {
    const { vectors } = await ladder.embed([question, ...flat.map(({ text }) => text)], signal)
    const [asked = new Float32Array(), ...said] = vectors
    return flat.map((one, i) => ({ ...one, similarity: cosine(asked, said[i] ?? new Float32Array(asked.length)) }))
  } catch (error) {
    // Without an embedder the words decide.
    if (isMemoryError(error, 'EMBEDDING_FAILED')) return flat.map((one) => ({ ...one, similarity: null }))
    throw error
  }
}

/** Whether everything is as it was when somebody was shown it. */
export const isAsShown = (
  material: readonly Telling[],
  shown: readonly { readonly id: string; readonly version: string }[],
): boolean => sourcesOf(material).map(named).join() === shown.map(named).join()

export const sourcesOf = (material: readonly Telling[]): readonly { readonly id: string; readonly version: string }[] =>
  material.map(({ row: { id, version } }: { readonly row: MemoryRow }) => ({ id, version }))

const named = ({ id, version }: { readonly id: string; readonly version: string }): string => `${id} ${version}`
