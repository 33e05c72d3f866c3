import { expect, test } from 'vitest'
import type { Db, Sql } from '../../worker/ports.js'
import { derivedFrom } from '../../worker/store/beliefs.js'
import { headsAmong, listHeads, memoriesEnded } from '../../worker/store/heads.js'
import { versionsByKey } from '../../worker/store/history.js'
import { leavingBy, nextLeaving } from '../../worker/store/leaving.js'
import { linksAfter } from '../../worker/store/links.js'
import { migrate } from '../../worker/store/migrate.js'
import { memoriesWithRareWords, passagesWithWords } from '../../worker/store/passages.js'
import { firstResult } from '../../worker/store/requests.js'
import { withheldMemories } from '../../worker/store/resident.js'
import { conflictedAfter } from '../../worker/store/reviews.js'
import { countServed } from '../../worker/store/served.js'
import { sql } from '../../worker/store/sql.js'
import { boostsOf } from '../../worker/store/usage.js'
import { headById, headOf, headsByForm, headsByKey } from '../../worker/store/versions.js'
import { openTestDb } from '../support/engine.js'
import { listening, planOf } from '../support/store.js'

const FEW = [1, 2]
const MANY = Array.from({ length: 30 }, (_, i) => i)
const SCOPES = MANY.map((identity) => ({ identity, scope: { org: 'o', namespace: 'n' } }))
const PAGE = { nowMs: 5, after: { updatedAt: 9, memory: 3 }, limit: 10, embedder: 1 }

/** Runs a read on an empty store and answers the plans of the statements it made. */
const plansOf = async (read: (db: Db) => unknown): Promise<readonly string[]> => {
  const { db, heard } = listening(await openTestDb())
  migrate(db)
  heard.length = 0
  read(db)
  return [...heard].flatMap((statement: Sql) => planOf(db, statement))
}

/** A word that is in the index: what is nowhere is not looked for further. */
const indexed = (db: Db): void => {
  db.run(sql`insert into lexicon (rowid, words) values (1, 'kettle')`)
}

/** Steps that walk a whole table of ours; a list bound as JSON is walked by design, and so are the few rows of a statement inside another. */
const scans = (plan: readonly string[]) =>
  plan.filter((step) => step.startsWith('SCAN ') && !/json_each|lexicon|subquery|CONSTANT/.test(step))

test.each<[string, RegExp, (db: Db) => unknown]>([
  ['get by key', /SEARCH h USING .*heads_by_key \(identity=\? AND key=\?\)/, (db) => headsByKey(db, FEW, 'a')],
  ['get by key among many', /SEARCH h USING .*heads_by_key \(identity=\? AND key=\?\)/, (db) => headsByKey(db, MANY, 'a')],
  ['get by id', /SEARCH h USING .*\(memory_id=\?\)/, (db) => headById(db, FEW, 'a')],
  ['get by id among many', /SEARCH h USING .*\(memory_id=\?\)/, (db) => headById(db, MANY, 'a')],
  ['find the same words', /SEARCH h USING .*heads_by_form/, (db) => headsByForm(db, FEW, 'a')],
  ['find the same words among many', /SEARCH h USING .*heads_by_form/, (db) => headsByForm(db, MANY, 'a')],
  ['read a head', /SEARCH heads USING INTEGER PRIMARY KEY/, (db) => headOf(db, 1)],
  ['list', /SEARCH h USING INDEX heads_by_time/, (db) => listHeads(db, FEW, {}, PAGE)],
  ['list among many', /SEARCH h USING INDEX heads_by_time/, (db) => listHeads(db, MANY, {}, PAGE)],
  [
    'list by tag',
    /SEARCH t (EXISTS )?USING PRIMARY KEY \(memory=\?/,
    (db) => listHeads(db, FEW, { tags: ['a'], type: 'x' }, PAGE),
  ],
  ['what leaves next', /SEARCH leaving USING COVERING INDEX leaving_by_time/, (db) => nextLeaving(db)],
  ['what has left', /USING COVERING INDEX leaving_by_time \(at<\?\)/, (db) => leavingBy(db, 5, 9)],
  ['what was made of memories', /belief_sources_by_source/, (db) => derivedFrom(db, FEW)],
  ['what was told', /SEARCH served_sentences USING .*\(identity=\? AND hash=\?\)/, (db) => countServed(db, FEW, FEW, 0)],
  ['read hits', /SEARCH h USING INTEGER PRIMARY KEY/, (db) => headsAmong(db, MANY, FEW, {}, 5)],
  [
    'find by words',
    /SEARCH p USING INTEGER PRIMARY KEY/,
    (db) => passagesWithWords(db, '"a"', FEW, {}, [], { nowMs: 5, limit: 9, embedder: 1 }),
  ],
  [
    'find by rare words',
    /SEARCH p USING INTEGER PRIMARY KEY/,
    (db) => {
      indexed(db)
      memoriesWithRareWords(db, ['"kettle"'], FEW, { words: 8, memories: 8 })
    },
  ],
  ['read history', /SEARCH v USING INDEX versions_by_memory/, (db) => versionsByKey(db, SCOPES, 'a', 9)],
  ['read links by page', /SEARCH h USING INTEGER PRIMARY KEY \(rowid>\?\)/, (db) => linksAfter(db, MANY, 5, 9)],
  ['weigh usage', /SEARCH usage USING INDEX .*\(memory=\? AND identity=\?\)/, (db) => boostsOf(db, MANY, FEW, 5)],
  ['look up a request', /SEARCH requests USING PRIMARY KEY/, (db) => firstResult(db, 1, 'a')],
])('to %s is a search, not a scan', async (_, expected, read) => {
  const plan = await plansOf(read)
  expect(plan.join('\n')).toMatch(expected)
  expect(scans(plan)).toEqual([])
})

test('memories that searches leave out are looked for among those only', async () => {
  const plan = await plansOf((db) => withheldMemories(db))
  expect(plan.join('\n')).toMatch(/SCAN heads USING (COVERING )?INDEX heads_withheld/)
})

test('memories in conflict are looked for among those only', async () => {
  const plan = await plansOf((db) => conflictedAfter(db, 5, 9))
  expect(plan.join('\n')).toMatch(/heads USING (COVERING )?INDEX heads_conflicted/)
})

test('memories with an end are looked for among those only', async () => {
  const plan = await plansOf((db) => memoriesEnded(db, FEW, 5))
  for (const end of ['valid_to', 'expires_at'])
    expect(plan.join('\n')).toMatch(new RegExp(`SEARCH heads USING COVERING INDEX heads_by_${end} \\(${end}<\\?`))
})

test('a version is read by its row, never by a scan of all', async () => {
  const { db, heard } = listening(await openTestDb())
  migrate(db)
  db.script(`insert into versions (row, dev, dseq, ver, kind, memory, memory_id, identity, parents, human, body, commitment, sha256)
    select 4294967297, 1, 1, 1, 'set', 1, 'id', 1, '[]', 0, '{"status":"active"}', '', '';
    insert into heads values (1, 'id', 1, 'a', 4294967297, 1, 'active', 'semantic', 1, 0, 'asserted', 1, 7, 1, null, null)`)
  heard.length = 0
  expect(headsByKey(db, FEW, 'a')).toHaveLength(1)
  const plans = [...heard].map((statement) => planOf(db, statement).join('\n'))
  expect(plans.at(-1)).toBe('SEARCH v USING INTEGER PRIMARY KEY (rowid=?)')
})
