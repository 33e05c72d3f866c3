import { expect, test } from 'vitest'
import { OF_KEY } from '../store/emptying.js'
import { openSqlite } from '../store/sqlite.js'
import { all } from '../store/steps.js'

test.each([
  ['an erasure finds its rows by their key', `nc = 'n' ${OF_KEY.replaceAll('?', "'k'")}`, 'sync_row_key'],
  ['a push finds what is here by its ids', "dev = 'd' AND dseq IN (SELECT value FROM json_each('[1]'))", 'sync_row_id'],
  ['a pull finds its page by its place', 'seq > 1 AND seq <= 9 ORDER BY seq', 'sqlite_autoindex_sync_row_1'],
])('%s', async (_, which, index) => {
  const db = openSqlite(':memory:')
  const plan = await db.read(() => all(`EXPLAIN QUERY PLAN SELECT * FROM sync_row WHERE account_id = 'a' AND ${which}`))
  await db.close()
  const details = plan.map(({ detail }) => String(detail))
  expect(details.filter((detail) => detail.includes('sync_row'))).toEqual([
    expect.stringContaining(`USING INDEX ${index} (`),
  ])
})
