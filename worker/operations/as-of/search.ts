import { textOf } from '../../../src/domain/canonical.js'
import { lexicalQuery } from '../../../src/domain/lexical.js'
import { HIDDEN_FROM_UNFILTERED, isSearchable } from '../../../src/domain/memory-type.js'
import { passagesOf } from '../../../src/domain/passage.js'
import { isMemoryError } from '../../../src/protocol/errors.js'
import type { AsOfInput } from '../../../src/schema/as-of.js'
import type { SearchResult } from '../../../src/schema/records.js'
import { type Bygone, bygoneWithWords } from '../../store/bygone.js'
import { statusesOf } from '../../store/heads.js'
import { changedSince, datedAmong, type Said, saidLastBy } from '../../store/moments.js'
import type { Store } from '../../store/store.js'
import type { CallContext, Engine } from '../context.js'
import { type Besides, type SearchInput, search } from '../search.js'
import { type Answering, answersOf, lookOf } from './moment.js'
import { inTurns, matches, upToOf } from './read.js'

/** Memories looked at whose text of then stands in no index any more, those written last before others. */
const MOST_CHANGED = 10_000

/** Of their passages, so many are compared by meaning where that takes a model; the built-in embedders compare all. */
const MOST_EMBEDDED = 64

/** A passage of what a memory said then. */
interface Passage extends Bygone {
  readonly head: Said
}

/**
 * Searches what memories said at a moment. Those that stand as they did are found by the indexes; the others are few in most stores, and
 * looked through one by one.
 */
export const searchAsOf = async (
  engine: Engine,
  context: CallContext,
  input: AsOfInput & SearchInput,
): Promise<SearchResult> => {
  const { store } = engine
  const look = lookOf(input, context)
  const upTo = upToOf(look)
  const identities = store.book.visible(context.scope, input.tiers).map(({ identity }) => identity)
  const dated = datedAmong(store.db, identities)
  const changed = changedSince(store.db, identities, upTo, MOST_CHANGED + 1)
  const passages: Passage[] = []
  for await (const some of inTurns(dated, context))
    for (const { head } of answersOf(store, some, look, statusesOf(input)))
      if (isWanted(head, input)) passages.push(...passagesIn(head))
  for await (const some of inTurns(changed.slice(0, MOST_CHANGED), context))
    for (const head of saidLastBy(store.db, some, upTo)) if (isWanted(head, input)) passages.push(...passagesIn(head))
  const answers = (memories: readonly number[]) => answersOf(store, memories, look, statusesOf(input))
  const vectors = await embedded(engine, context, input, passages)
  const result = await search(
    engine,
    { ...context, acceptedAt: look.known },
    { ...input, upTo },
    besides(store, passages, vectors, answers),
  )
  const advisories =
    changed.length > MOST_CHANGED
      ? [...result.advisories, `Of what was changed since then, the last ${MOST_CHANGED} memories were looked at.`]
      : result.advisories
  return { ...result, advisories }
}

const isWanted = ({ body }: Said, input: SearchInput): boolean =>
  matches(body, input, 'exact') &&
  isSearchable(body.type, body.sensitivity) &&
  (input.type !== undefined || !(HIDDEN_FROM_UNFILTERED as readonly string[]).includes(body.type))

const passagesIn = (head: Said): readonly Passage[] => {
  const text = textOf(head.body.value)
  return passagesOf(text).map(({ start, end }) => ({ head, key: head.body.key, text: text.slice(start, end).trim() }))
}

/** Vectors by the place of their passage. Without an embedder the words still find. */
const embedded = async (
  engine: Engine,
  { signal }: CallContext,
  input: SearchInput,
  passages: readonly Passage[],
): Promise<ReadonlyMap<number, Float32Array>> => {
  const { ladder, store } = engine
  const words = lexicalQuery(input.query)
  if (passages.length === 0 || words === null || input.legs?.includes('vector') === false) return new Map()
  const isQuick = ladder.rungs.some(({ embedder }) => embedder.builtIn && embedder.id === store.embedder.id)
  const places = isQuick
    ? passages.map((_, place) => place)
    : bygoneWithWords(store.db, passages, words.expression, MOST_EMBEDDED).map(({ place }) => place)
  try {
    const texts = places.map((place) => passages[place]?.text ?? '')
    const made = await ladder.embed(texts, signal)
    // Vectors of an embedder that has just begun to answer are not compared with those of the one before.
    if (made.embedder !== store.embedder.number) return new Map()
    return new Map(places.map((place, i) => [place, made.vectors[i] as Float32Array]))
  } catch (error) {
    if (isMemoryError(error, 'EMBEDDING_FAILED')) return new Map()
    throw error
  }
}

/** Candidates for the usual search. Whether a memory answers at the moment is asked of those only that a leg would bring. */
const besides = (
  store: Store,
  passages: readonly Passage[],
  vectors: ReadonlyMap<number, Float32Array>,
  answers: (memories: readonly number[]) => readonly Answering[],
): Besides => {
  const heads = new Map<number, Said>()
  const asked = new Set<number>()
  const answering = (places: readonly { readonly place: number; readonly score: number }[]) => {
    const found = places.map(({ place, score }) => ({
      memory: (passages[place] as Passage).head.memory,
      passage: place,
      score,
    }))
    const unknown = [...new Set(found.map(({ memory }) => memory))].filter((memory) => !asked.has(memory))
    for (const memory of unknown) asked.add(memory)
    for (const { head } of answers(unknown)) heads.set(head.memory, head)
    return found.filter(({ memory }) => heads.has(memory))
  }
  return {
    isEmpty: passages.length === 0,
    near: (query, limit) =>
      answering(
        [...vectors]
          .map(([place, vector]) => ({ place, score: cosine(query, vector) }))
          .sort((a, b) => b.score - a.score)
          .slice(0, limit),
      ),
    withWords: (expression, limit) => answering(bygoneWithWords(store.db, passages, expression, limit)),
    hit: (memory, place) => {
      const head = heads.get(memory)
      return head === undefined ? null : { head, excerpt: passages[place]?.text ?? '' }
    },
  }
}

/** Of unit vectors. */
const cosine = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, component, i) => sum + component * (b[i] ?? 0), 0)
