import { textOf } from '../../src/domain/canonical.js'
import { indexText } from '../../src/domain/lexical.js'
import { isSearchable } from '../../src/domain/memory-type.js'
import { wordsAround } from '../../src/domain/neighbours/room.js'
import { passagesOf } from '../../src/domain/passage.js'
import type { Db } from '../ports.js'
import { sql } from './sql.js'
import { complete, type Head, type HeadRow, headColumns, putHead, rowToHead } from './versions.js'

/**
 * Derives heads, tags, passages and words from the versions alone. Vectors follow in the background: passages without one are what
 * it looks for.
 */
export const indexRecovered = (db: Db): void => {
  for (const table of [
    'heads',
    'head_tags',
    'mentions',
    'datings',
    'passages',
    'vectors',
    'vector_blocks',
    'vector_gaps',
    'embedders',
  ] as const)
    db.run({ text: `delete from ${table}`, values: [] })
  db.run(sql`insert into lexicon (lexicon) values ('delete-all')`)
  let passage = 1
  for (const head of newestVersions(db)) {
    putHead(db, head, false)
    passage = addPassages(db, head, passage)
  }
}

const newestVersions = (db: Db): readonly Head[] =>
  db
    .all<HeadRow>(
      sql`select ${headColumns} from versions v
        where v.body is not null and v.row = (
          select n.row from versions n where n.memory = v.memory order by n.ver desc, n.dev desc, n.dseq desc limit 1)
        order by v.memory`,
    )
    .map((row) => complete(db, rowToHead(row)))

const addPassages = (db: Db, head: Head, from: number): number => {
  const { body } = head
  if (!isSearchable(body.type, body.sensitivity) || body.status === 'tombstoned' || body.status === 'rejected') return from
  const text = textOf(body.value)
  passagesOf(text).forEach(({ start, end }) => {
    db.run(
      sql`insert into passages (passage, memory, first, beyond, embedders) values (${from}, ${head.memory}, ${start}, ${end}, 0)`,
    )
    db.run(
      sql`insert into lexicon (rowid, key_words, words) values (${from}, ${indexText(wordsAround(body))},
        ${indexText(text.slice(start, end))})`,
    )
    from++
  })
  return from
}
