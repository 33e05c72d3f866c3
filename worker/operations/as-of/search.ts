import { textOf } from '../../../src/domain/canonical.js'
import { lexicalQuery } from '../../../src/domain/lexical.js'
import { HIDDEN_FROM_UNFILTERED, isSearchable } from '../../../src/domain/memory-type.js'
import { passagesOf } from '../../../src/domain/passage.js'
import { isMemoryError } from '../../../src/protocol/errors.js'
import type { AsOfInput } from '../../../src/schema/as-of.js'
import type { SearchResult } from '../../../src/schema/records.js'
import { type Bygone, bygoneWithWords } from '../../store/bygone.js'
import { statusesOf } from '../../store/heads.js'
import { changedSince, datedAmong, type Said } from '../../store/moments.js'
import type { CallContext, Engine } from '../context.js'
import { type Besides, type SearchInput, search } from '../search.js'
import { answersOf, lookOf } from './moment.js'
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
  const { db, book } = engine.store
  const look = lookOf(input, context)
  const upTo = upToOf(look)
  const identities = book.visible(context.scope, input.tiers).map(({ identity }) => identity)
  const changed = changedSince(db, identities, upTo, MOST_CHANGED + 1)
  const dated = datedAmong(db, identities)
  const memories = [...dated, ...changed]
  const passages: Passage[] = []
  for await (const some of inTurns(memories.slice(0, MOST_CHANGED), context))
    for (const { head } of answersOf(engine.store, some, look, statusesOf(input)))
      if (isWanted(head, input)) passages.push(...passagesIn(head))
  const vectors = await embedded(engine, context, input, passages)
  const result = await search(
    engine,
    { ...context, acceptedAt: look.known },
    { ...input, upTo },
    besides(engine, passages, vectors),
  )
  const advisories =
    memories.length > MOST_CHANGED
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

const besides = ({ store }: Engine, passages: readonly Passage[], vectors: ReadonlyMap<number, Float32Array>): Besides => {
  const heads = new Map(passages.map(({ head }) => [head.memory, head]))
  const found = (place: number, score: number) => ({
    memory: (passages[place] as Passage).head.memory,
    passage: place,
    score,
  })
  return {
    isEmpty: passages.length === 0,
    near: (query) => [...vectors].map(([place, vector]) => found(place, cosine(query, vector))),
    withWords: (expression, limit) =>
      bygoneWithWords(store.db, passages, expression, limit).map(({ place, score }) => found(place, score)),
    hit: (memory, place) => {
      const head = heads.get(memory)
      return head === undefined ? null : { head, excerpt: passages[place]?.text ?? '' }
    },
  }
}

/** Of unit vectors. */
const cosine = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, component, i) => sum + component * (b[i] ?? 0), 0)
