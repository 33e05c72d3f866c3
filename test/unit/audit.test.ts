import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contentSha256 } from '../../src/domain/canonical.js'
import type { Db } from '../../worker/ports.js'
import { type AuditEntry, insertAudit } from '../../worker/store/audit.js'
import { migrate } from '../../worker/store/migrate.js'
import { sql } from '../../worker/store/sql.js'
import { openTestDb } from '../support/engine.js'

const entry = (more: Partial<AuditEntry> = {}): AuditEntry => ({
  at: 5,
  actor: 'human:alice',
  identity: 1,
  action: 'memory.set',
  memoryId: '01',
  key: 'user/home/city',
  contentSha256: contentSha256('Berlin'),
  outcome: 'ok',
  ...more,
})

const openAudit = async (): Promise<Db> => {
  const db = await openTestDb()
  migrate(db)
  return db
}

test('an entry says who did what, when and how it ended', async () => {
  const db = await openAudit()
  insertAudit(db, 'salt', entry())
  insertAudit(db, 'salt', entry({ identity: null, memoryId: null, key: null, contentSha256: null, outcome: 'FORBIDDEN' }))
  const [done, refused] = db.all(sql`select * from audit order by entry`)
  expect(done).toMatchObject({
    at: 5,
    actor: 'human:alice',
    identity: 1,
    action: 'memory.set',
    memory_id: '01',
    outcome: 'ok',
  })
  expect(refused).toMatchObject({
    identity: null,
    memory_id: null,
    key_hash: null,
    content_sha256: null,
    outcome: 'FORBIDDEN',
  })
})

test('no entry holds the text of a key', async () => {
  const db = await openAudit()
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{6,20}(\/[a-z]{6,10})?$/), (key) => {
      insertAudit(db, 'salt', entry({ key }))
      expect(JSON.stringify(db.all(sql`select * from audit order by entry desc limit 1`))).not.toContain(key)
    }),
    { numRuns: 50 },
  )
})

test('the same key has the same hash in one file and another in the next, so that it can be followed but not guessed', async () => {
  const db = await openAudit()
  for (const [salt, key] of [
    ['one', 'a'],
    ['one', 'a'],
    ['one', 'b'],
    ['two', 'a'],
  ] as const)
    insertAudit(db, salt, entry({ key }))
  const [first, again, other, elsewhere] = db.all<{ key_hash: string }>(sql`select key_hash from audit order by entry`)
  expect(again).toEqual(first)
  expect(other).not.toEqual(first)
  expect(elsewhere).not.toEqual(first)
  expect(first?.key_hash).toMatch(/^[0-9a-f]{32}$/)
})
