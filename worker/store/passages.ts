import { textOf } from '../../src/domain/canonical.js'
import type { Db } from '../ports.js'
import { type HeadFilter, headCondition } from './heads.js'
import { among, sql } from './sql.js'
import type { Head } from './versions.js'

/** A passage that words found; score is positive, higher is better. */
export interface FoundPassage {
  readonly passage: number
  readonly memory: number
  readonly score: number
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
  page: { readonly nowMs: number; readonly limit: number },
): readonly FoundPassage[] =>
  db.all<FoundPassage>(
    sql`select p.passage, p.memory, -bm25(lexicon, ${KEY_WEIGHT}, 1.0) as score
      from lexicon join passages p on p.passage = lexicon.rowid join heads h on h.memory = p.memory
      where lexicon match ${expression} and ${headCondition(identities, filter, page.nowMs, 'exact')}
      and h.type not in ${among(hiddenTypes)}
      order by score desc, p.passage limit ${page.limit}`,
  )

/** The text of a passage. */
export const passageText = (db: Db, passage: number, head: Head): string => {
  const row = db.get<{ first: number; beyond: number }>(
    sql`select first, beyond from passages where passage = ${passage} and memory = ${head.memory}`,
  )
  const text = textOf(head.body.value)
  return row === undefined ? text : text.slice(row.first, row.beyond).trim()
}

/** Passages after a given one that have no vector of this embedder yet, in their order. */
export const passagesToEmbed = (
  db: Db,
  embedder: number,
  after: number,
  limit: number,
): readonly { readonly passage: number; readonly memory: number }[] =>
  db.all(
    sql`select passage, memory from passages where embedder <> ${embedder} and passage > ${after} order by passage limit ${limit}`,
  )

/** How many passages have no vector of this embedder yet. */
export const countToEmbed = (db: Db, embedder: number): number =>
  db.get<{ n: number }>(sql`select count(*) as n from passages where embedder <> ${embedder}`)?.n ?? 0
