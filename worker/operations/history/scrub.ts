import { sql } from '../../store/sql.js'
import { noteFinished, unfinished } from '../../store/unfinished.js'
import type { Engine } from '../context.js'

/**
 * Takes the bytes of what was redacted out of the file: out of the word index, whose deleted words stand until it is merged, and out of
 * free pages and the gaps of pages that were split, which only writing the file anew does. True when nothing of it is left.
 *
 * Needs as much room as the file once more; without it the file stays as it is, and the next opening tries again. To be called in order
 * with other writes.
 */
export const scrub = async ({ store: { db } }: Engine): Promise<boolean> => {
  if (unfinished(db, 'scrub') === null) return true
  try {
    db.run(sql`insert into lexicon (lexicon) values ('optimize')`)
    db.script('vacuum')
    // The log still holds the pages as they were.
    db.script('pragma wal_checkpoint(truncate)')
    noteFinished(db, 'scrub')
    await db.durable()
    return true
  } catch {
    return false
  }
}
