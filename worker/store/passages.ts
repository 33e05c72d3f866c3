import { textOf } from '../../src/domain/canonical.js'
import type { Db } from '../ports.js'
import { bitOf } from './embedders.js'
import { type HeadFilter, headCondition } from './heads.js'
import { among, sql } from './sql.js'
import type { Head } from './versions.js'

/** A passage that words found; score is positive, higher is better. */
export interface FoundPassage {
  readonly passage: number
  readonly memory: number
  readonly score: number
  /** It has no vector of the embedder asked for. */
  readonly bare: boolean
}

/** How much a word of the key counts beside a word of the value. */
const KEY_WEIGHT = 0.5

/** Passages that contain words of a full-text expression, best first, of those memories only that the filter lets through. */
export const passagesWithWords = (
  db: Db,
  expression: string,
  identities: readonly number[],
  filter: HeadFilter,
  hiddenTypes: readonly string[],
  page: { readonly nowMs: number; readonly limit: number; readonly embedder: number },
): readonly FoundPassage[] =>
  db
    .all<Omit<FoundPassage, 'bare'> & { bare: number }>(
      sql`select p.passage, p.memory, -bm25(lexicon, ${KEY_WEIGHT}, 1.0) as score, p.embedders & ${bitOf(page.embedder)} = 0 as bare
      from lexicon join passages p on p.passage = lexicon.rowid join heads h on h.memory = p.memory
      where lexicon match ${expression} and ${headCondition(identities, filter, page.nowMs, 'exact')}
      and h.type not in ${among(hiddenTypes)}
      order by score desc, p.passage limit ${page.limit}`,
    )
    .map((row) => ({ ...row, bare: row.bare === 1 }))

/** A word in more passages than this tells little, and costs much to rank. */
const RARE = 200

/**
 * Memories of some identities with a passage that has rare words of some expressions, best first, those that many of them meet in
 * before others. However large the store, no more than {@link RARE} passages are looked at for a word.
 */
export const memoriesWithRareWords = (
  db: Db,
  expressions: readonly string[],
  identities: readonly number[],
  most: { readonly words: number; readonly memories: number },
): readonly number[] => {
  const rare = expressions
    .map((expression) => ({ expression, passages: countUpTo(db, expression, RARE + 1) }))
    .filter(({ passages }) => passages > 0 && passages <= RARE)
    .sort((a, b) => a.passages - b.passages)
    .slice(0, most.words)
    .map(({ expression }) => expression)
  if (rare.length === 0) return []
  const found = db.all<{ memory: number }>(
    sql`select p.memory, bm25(lexicon, ${KEY_WEIGHT}, 1.0) as score
    from lexicon join passages p on p.passage = lexicon.rowid join heads h on h.memory = p.memory
    where lexicon match ${rare.join(' OR ')} and h.identity in ${among(identities)} and h.key not glob '~*'
    order by score, p.passage limit ${PASSAGES_EACH * most.memories}`,
  )
  return [...new Set(found.map(({ memory }) => memory))].slice(0, most.memories)
}

/** Passages of one memory that are found together, as a guess. */
const PASSAGES_EACH = 4

const countUpTo = (db: Db, expression: string, most: number): number =>
  db.get<{ found: number }>(
    sql`select count(*) as found from (select 1 from lexicon where lexicon match ${expression} limit ${most})`,
  )?.found ?? 0

/** The text of a passage. */
export const passageText = (db: Db, passage: number, head: Head): string => {
  const row = db.get<{ first: number; beyond: number }>(
    sql`select first, beyond from passages where passage = ${passage} and memory = ${head.memory}`,
  )
  const text = textOf(head.body.value)
  return row === undefined ? text : text.slice(row.first, row.beyond).trim()
}

/** A passage without a vector, with where its text stands in the value of its memory. */
export interface BarePassage {
  readonly passage: number
  readonly memory: number
  readonly first: number
  readonly beyond: number
}

/** Passages after a given one that have no vector of this embedder yet, in their order. */
export const passagesToEmbed = (db: Db, embedder: number, after: number, limit: number): readonly BarePassage[] =>
  db.all(
    sql`select passage, memory, first, beyond from passages where embedders & ${bitOf(embedder)} = 0 and passage > ${after}
      order by passage limit ${limit}`,
  )

/** How many of the passages after a given one have no vector of this embedder yet; of embedder 0, all of them. */
export const countToEmbed = (db: Db, embedder: number, after = 0): number =>
  db.get<{ n: number }>(
    sql`select count(*) as n from passages where embedders & ${bitOf(embedder)} = 0 and passage > ${after}`,
  )?.n ?? 0

/** Whether a passage still waits for a vector of this embedder: it may have gone, or got one, while it was embedded. */
export const isBare = (db: Db, embedder: number, passage: number): boolean =>
  db.get(sql`select 1 from passages where passage = ${passage} and embedders & ${bitOf(embedder)} = 0`) !== undefined

/** Notes that a passage has a vector of this embedder. */
export const markEmbedded = (db: Db, embedder: number, passage: number): void => {
  db.run(sql`update passages set embedders = embedders | ${bitOf(embedder)} where passage = ${passage}`)
}
