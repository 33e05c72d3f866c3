import { CHARACTERS_PER_TOKEN } from '../../../src/domain/asking/packing.js'
import { cosine } from '../../../src/domain/calibration.js'
import { lexicalQuery } from '../../../src/domain/lexical.js'
import { passagesOf } from '../../../src/domain/passage.js'
import { resolve } from '../../../src/domain/scope.js'
import { isMemoryError } from '../../../src/protocol/errors.js'
import type { Fetched, FetchedPart } from '../../../src/schema/offloading.js'
import { bygoneWithWords } from '../../store/bygone.js'
import { offloadOf, readOffload } from '../../store/offloads.js'
import type { CallContext, Engine } from '../context.js'

interface FetchInput {
  readonly handle: string
  readonly range?: { readonly start: number; readonly end: number } | undefined
  readonly query?: string | undefined
  readonly maxTokens: number
}

/** Passages with words of the query that are compared by meaning too where that takes a model; built-in embedders compare all. */
const MOST_EMBEDDED = 64
const MOST_COMPARED = 20_000

/** What was put aside under a handle, or what of it was asked for; null when its time is over or it is of another scope. */
export const fetchOffloaded = async (engine: Engine, context: CallContext, input: FetchInput): Promise<Fetched | null> => {
  const { db, book } = engine.store
  const identities = book.visible(context.scope).map(({ identity }) => identity)
  const kept = offloadOf(db, identities, input.handle, context.acceptedAt)
  if (kept === null) return null
  const { handle, title, characters, endsAt: expiresAt } = kept
  const room = input.maxTokens * CHARACTERS_PER_TOKEN
  const about = {
    handle,
    title,
    characters,
    tokens: Math.ceil(characters / CHARACTERS_PER_TOKEN),
    expiresAt,
    scope: resolve(context.scope),
  }
  if (input.query !== undefined) {
    const text = readOffload(db, handle, 0, characters)
    return { ...about, ...fitting(text, await placesFor(engine, context, input.query, text), room) }
  }
  const { start, end } = input.range ?? { start: 0, end: characters }
  const text = readOffload(db, handle, start, Math.min(end, start + room))
  const parts = text === '' ? [] : [{ start, end: start + text.length, text }]
  return { ...about, parts, truncated: start + text.length < Math.min(end, characters) }
}

/** Passages of a text, those first that fit a query best. */
const placesFor = async (
  engine: Engine,
  { signal }: CallContext,
  query: string,
  text: string,
): Promise<readonly FetchedPart[]> => {
  const passages = passagesOf(text).map(({ start, end }) => ({ start, end, text: text.slice(start, end) }))
  const words = lexicalQuery(query)
  const worded =
    words === null
      ? []
      : bygoneWithWords(
          engine.store.db,
          passages.map((passage) => ({ key: '', text: passage.text })),
          words.expression,
          passages.length,
        )
  const most = worded[0]?.score ?? 0
  const scores = new Map(worded.map(({ place, score }) => [place, most > 0 ? score / most : 0]))
  const { ladder, store } = engine
  const isQuick = ladder.rungs.some(({ embedder }) => embedder.builtIn && embedder.id === store.embedder.id)
  const places = isQuick
    ? passages.slice(0, MOST_COMPARED).map((_, place) => place)
    : worded.slice(0, MOST_EMBEDDED).map(({ place }) => place)
  try {
    const { vectors } = await ladder.embed([query, ...places.map((place) => passages[place]?.text ?? '')], signal)
    const [asked, ...said] = vectors
    places.forEach((place, i) => {
      const near = asked === undefined || said[i] === undefined ? 0 : cosine(asked, said[i])
      scores.set(place, (scores.get(place) ?? 0) + Math.max(0, near))
    })
  } catch (error) {
    // Without an embedder the words decide.
    if (!isMemoryError(error, 'EMBEDDING_FAILED')) throw error
  }
  return [...scores].sort(([a, first], [b, second]) => second - first || a - b).flatMap(([place]) => passages[place] ?? [])
}

/** The best passages that there is room for, with what stands between two of them that touch. */
const fitting = (
  text: string,
  best: readonly FetchedPart[],
  room: number,
): { readonly parts: readonly FetchedPart[]; readonly truncated: boolean } => {
  let left = room
  const chosen: FetchedPart[] = []
  for (const part of best) {
    if (part.text.length > left) break
    left -= part.text.length
    chosen.push(part)
  }
  const parts: FetchedPart[] = []
  for (const { start, end } of chosen.sort((a, b) => a.start - b.start)) {
    const last = parts.at(-1)
    if (last?.end === start) parts[parts.length - 1] = { start: last.start, end, text: text.slice(last.start, end) }
    else parts.push({ start, end, text: text.slice(start, end) })
  }
  return { parts, truncated: chosen.length < best.length }
}
