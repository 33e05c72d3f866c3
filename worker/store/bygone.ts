import { indexText } from '../../src/domain/lexical.js'
import type { Db } from '../ports.js'
import { sql } from './sql.js'

/** A text that no index holds, with the key it stood under. */
export interface Bygone {
  readonly key: string
  readonly text: string
}

/** Texts that contain words of a full-text expression, by their place in the list, best first; as the lexicon finds passages. */
export const bygoneWithWords = (
  db: Db,
  texts: readonly Bygone[],
  expression: string,
  limit: number,
): readonly { readonly place: number; readonly score: number }[] => {
  if (texts.length === 0) return []
  try {
    // Nobody else is in between, since nothing here waits.
    return db.transaction(() => {
      db.script(
        "create virtual table temp.bygone using fts5(key_words, words, content = '', tokenize = 'porter unicode61 remove_diacritics 2')",
      )
      texts.forEach(({ key, text }, place) => {
        db.run(
          sql`insert into temp.bygone (rowid, key_words, words) values (${place}, ${indexText(key)}, ${indexText(text)})`,
        )
      })
      return db.all<{ place: number; score: number }>(
        sql`select rowid as place, -bm25(bygone, 0.5, 1.0) as score from temp.bygone where bygone match ${expression}
          order by score desc, rowid limit ${limit}`,
      )
    })
  } finally {
    db.script('drop table if exists temp.bygone')
  }
}
