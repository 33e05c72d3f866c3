import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BoundScope, resolve } from '../../src/domain/scope.js'
import type { Scope, ScopePatch } from '../../src/schema/scope.js'
import type { Db } from '../../worker/ports.js'
import { type IdentityBook, openIdentityBook } from '../../worker/store/identities.js'
import { migrate } from '../../worker/store/migrate.js'
import { openTestDb } from '../support/engine.js'

const openBook = async (): Promise<{ readonly db: Db; readonly book: IdentityBook }> => {
  const db = await openTestDb()
  migrate(db)
  return { db, book: openIdentityBook(db) }
}

/** A store in which all of these have written. */
const bookOf = async (...scopes: readonly ScopePatch[]): Promise<IdentityBook> => {
  const { book } = await openBook()
  for (const scope of scopes) book.take(resolve(scope))
  return book
}

const seen = (book: IdentityBook, scope: BoundScope, tiers?: ('global' | 'user' | 'session')[]) =>
  book.visible(scope, tiers).map(({ scope: { org: _, namespace: __, ...levels } }) => levels)

/** Rows of every kind that must stay out of what Alice reads. */
const OTHERS: readonly ScopePatch[] = [
  { user: 'mallory' },
  { user: null },
  { user: 'mallory', session: 's' },
  { user: null, session: 's' },
  { namespace: 'elsewhere' },
  { namespace: 'elsewhere', user: 'alice' },
  { org: 'other' },
  { org: 'other', user: 'alice' },
]

describe('a handle reads', () => {
  test('global rows only, when it has no user', async () => {
    const book = await bookOf({}, { user: 'alice' }, { session: 's' }, ...OTHERS)
    expect(seen(book, {})).toEqual([{}])
  })

  test('its user and the global rows, and no session', async () => {
    const book = await bookOf({}, { user: 'alice' }, { user: 'alice', session: 's' }, ...OTHERS)
    expect(seen(book, { user: 'alice' })).toEqual([{}, { user: 'alice' }])
  })

  test('the anonymous bucket as a partition of its own', async () => {
    const book = await bookOf({}, { user: 'alice' }, ...OTHERS)
    expect(seen(book, { user: null })).toEqual([{}, { user: null }])
  })

  test('its session, its user and the global rows, and no other session', async () => {
    const book = await bookOf(
      {},
      { user: 'alice' },
      { user: 'alice', session: 's' },
      { user: 'alice', session: 't' },
      ...OTHERS,
    )
    expect(seen(book, { user: 'alice', session: 's' })).toEqual([{}, { user: 'alice' }, { user: 'alice', session: 's' }])
    expect(seen(book, { user: null, session: 's' })).toEqual([{}, { user: null }, { user: null, session: 's' }])
  })

  test('a session without a user apart from those of users', async () => {
    const book = await bookOf({}, { session: 's' }, { session: 't' }, { user: 'alice', session: 's' }, ...OTHERS)
    expect(seen(book, { session: 's' })).toEqual([{}, { session: 's' }])
  })

  test('nothing at all, when user or session is empty', async () => {
    const book = await bookOf({}, { user: 'alice' }, { user: 'alice', session: 's' }, ...OTHERS)
    for (const scope of [{ user: '' }, { user: 'alice', session: '' }, { session: '' }, { user: '*', session: '' }])
      expect(seen(book, scope)).toEqual([])
  })

  test('all users, or all sessions, of its own namespace with a star', async () => {
    const book = await bookOf(
      {},
      { user: 'alice' },
      { user: 'alice', session: 's' },
      { user: 'alice', session: 't' },
      ...OTHERS,
    )
    expect(seen(book, { user: '*' })).toEqual([{}, { user: 'alice' }, { user: 'mallory' }, { user: null }])
    expect(seen(book, { user: 'alice', session: '*' })).toEqual([
      {},
      { user: 'alice' },
      { user: 'alice', session: 's' },
      { user: 'alice', session: 't' },
    ])
    expect(seen(book, { user: '*', session: '*' })).toHaveLength(8)
  })

  test("its own agent's rows and those of no agent; without an agent, everyone's", async () => {
    const book = await bookOf(
      {},
      { agent: 'a' },
      { agent: 'b' },
      { agent: 'a', user: 'alice' },
      { agent: 'b', user: 'alice' },
      ...OTHERS,
    )
    expect(seen(book, { agent: 'a', user: 'alice' })).toEqual([{}, { agent: 'a' }, { agent: 'a', user: 'alice' }])
    expect(seen(book, { user: 'alice' })).toHaveLength(5)
    expect(seen(book, { agent: 'c', user: 'alice' })).toEqual([{}])
  })

  test('fewer tiers when it asks for fewer', async () => {
    const book = await bookOf({}, { user: 'alice' }, { user: 'alice', session: 's' }, ...OTHERS)
    const scope = { user: 'alice', session: 's' }
    expect(seen(book, scope, ['user'])).toEqual([{ user: 'alice' }])
    expect(seen(book, scope, ['session', 'global'])).toEqual([{}, { user: 'alice', session: 's' }])
  })
})

describe('no id of a caller', () => {
  const TRICKS = ['~', '=', '=alice', '*x', ' ', 'null', 'undefined', '', '=~']

  test('means unset or anonymous', async () => {
    const book = await bookOf({}, { user: null }, { user: 'alice' })
    for (const user of TRICKS.filter((id) => id !== '')) {
      expect(book.find(resolve({ user }))).toBeNull()
      expect(seen(book, { user })).toEqual([{}])
      expect(seen(book, { user: 'alice', session: user })).toEqual([{}, { user: 'alice' }])
      expect(book.find(resolve({ user: 'alice', agent: user }))).toBeNull()
    }
  })

  test('is taken for another id, and all come back as they were', async () => {
    const { db, book } = await openBook()
    const scopes: Scope[] = TRICKS.flatMap((id) => [
      resolve({ user: id }),
      resolve({ user: 'alice', session: id }),
      resolve({ agent: id }),
      resolve({ org: id }),
      resolve({ namespace: id }),
    ])
    const numbers = scopes.map((scope) => book.take(scope))
    expect(new Set(numbers).size).toBe(scopes.length)
    const again = openIdentityBook(db)
    scopes.forEach((scope, i) => {
      expect(again.find(scope)).toBe(numbers[i])
      expect(again.scopeOf(numbers[i] as number)).toEqual(scope)
    })
  })

  const id = fc
    .oneof(fc.constantFrom('a', '~', '=', '=a', '*', ''), fc.string({ unit: 'binary', maxLength: 3 }))
    .map((text) => text.replaceAll('\0', ''))
  const scopes = fc.record(
    { org: id, namespace: id, agent: id, user: fc.option(id), session: id },
    { requiredKeys: ['org', 'namespace'] },
  ) as fc.Arbitrary<Scope>

  test('lets one identity read or be another: levels agree or are wider', async () => {
    const { db } = await openBook()
    fc.assert(
      fc.property(fc.array(scopes, { minLength: 1, maxLength: 8 }), scopes, (written, handle) => {
        db.script('delete from identities')
        const book = openIdentityBook(db)
        for (const scope of written) book.take(scope)
        for (const { scope } of book.visible(handle)) {
          expect(scope.org).toBe(handle.org)
          expect(scope.namespace).toBe(handle.namespace)
          if (scope.agent !== undefined && handle.agent !== undefined) expect(scope.agent).toBe(handle.agent)
          if (scope.user !== undefined && handle.user !== '*') expect(scope.user).toBe(handle.user)
          if (scope.session !== undefined && handle.session !== '*') expect(scope.session).toBe(handle.session)
          expect([handle.user, handle.session]).not.toContain('')
        }
      }),
    )
  })
})

describe('the book', () => {
  test('gives the same number to the same identity, and a new one to each other', async () => {
    const { book } = await openBook()
    const alice = book.take(resolve({ user: 'alice' }))
    expect(book.take({ user: 'alice', namespace: 'default', org: 'local' })).toBe(alice)
    expect(book.find(resolve({ user: 'alice' }))).toBe(alice)
    expect(book.find(resolve({ user: 'mallory' }))).toBeNull()
    expect(book.take(resolve({ user: 'mallory' }))).toBe(alice + 1)
  })

  test('goes back to where it was marked', async () => {
    const { book } = await openBook()
    const alice = book.take(resolve({ user: 'alice' }))
    const mark = book.mark()
    book.take(resolve({ user: 'mallory' }))
    book.take(resolve({ user: 'alice', session: 's' }))
    book.backTo(mark)
    expect(book.find(resolve({ user: 'mallory' }))).toBeNull()
    expect(seen(book, { user: '*', session: '*' })).toEqual([{ user: 'alice' }])
    expect(book.find(resolve({ user: 'alice' }))).toBe(alice)
  })
})
