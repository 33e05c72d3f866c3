import { expect, test } from 'vitest'
import { migrate } from '../../worker/store/migrate.js'
import { FORWARDED, firstResult, keepResult } from '../../worker/store/requests.js'
import { openTestDb } from '../support/engine.js'

const DAY = 86_400_000

const openRequests = async () => {
  const db = await openTestDb()
  migrate(db)
  return db
}

test('the first result answers, whatever comes later', async () => {
  const db = await openRequests()
  expect(firstResult(db, 1, 'a')).toBeUndefined()
  keepResult(db, 1, 'a', { n: 1 }, 0)
  keepResult(db, 1, 'a', { n: 2 }, DAY)
  expect(firstResult(db, 1, 'a')).toEqual({ n: 1 })
})

test('a request of another identity, or one that was sent on, is another request', async () => {
  const db = await openRequests()
  keepResult(db, 1, 'a', 'alice', 0)
  keepResult(db, 2, 'a', 'mallory', 0)
  keepResult(db, FORWARDED, 'a', 'sent on', 0)
  expect([1, 2, FORWARDED, 3].map((identity) => firstResult(db, identity, 'a'))).toEqual([
    'alice',
    'mallory',
    'sent on',
    undefined,
  ])
})

test('a result is kept for seven days, and goes with the next one after that', async () => {
  const db = await openRequests()
  keepResult(db, 1, 'a', 'old', 0)
  keepResult(db, 2, 'a', 'of a stranger', 1)
  keepResult(db, 1, 'b', 'new', 7 * DAY)
  expect(firstResult(db, 1, 'a')).toBe('old')
  keepResult(db, 1, 'c', 'newer', 7 * DAY + 1)
  expect(firstResult(db, 1, 'a')).toBeUndefined()
  expect(firstResult(db, 2, 'a')).toBe('of a stranger')
  expect(firstResult(db, 1, 'b')).toBe('new')
})

test('any result comes back as it was', async () => {
  const db = await openRequests()
  const results = [null, false, 0, '', [], { rows: [{ value: '🎉' }] }]
  results.forEach((result, i) => keepResult(db, 1, `r${i}`, result, 0))
  expect(results.map((_, i) => firstResult(db, 1, `r${i}`))).toEqual(results)
})
