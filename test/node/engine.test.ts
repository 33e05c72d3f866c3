import { describe, expect, test } from 'vitest'
import { contentSha256 } from '../../src/domain/canonical.js'
import { sql } from '../../worker/store/sql.js'
import { ALICE, DAY, MALLORY, open, refusal } from '../support/engine-calls.js'
import { valueOf } from '../support/store.js'

describe('a restatement', () => {
  test('is a version that only counts', async () => {
    const { set, get, history } = await open()
    await set({ key: 'user/a', value: 'Mia' }, MALLORY)
    const first = await set({ key: 'user/a', value: 'Mia', tags: ['x'], confidence: 0.5 })
    expect(first).toMatchObject({ verdict: 'clear', noop: false, status: 'active' })
    const again = await set({ key: 'user/a', value: 'Mia' })
    expect(again).toMatchObject({ verdict: 'merge', noop: true, id: first.id, mergedIntoKey: 'user/a', chunksWritten: 0 })
    expect(BigInt(again.version) > BigInt(first.version)).toBe(true)
    expect(await get('user/a')).toMatchObject({ reinforcementCount: 2, tags: ['x'], confidence: 0.5 })
    expect(await get('user/a', MALLORY)).toMatchObject({ reinforcementCount: 1 })
    expect(await history('user/a')).toHaveLength(2)
  })

  test('of a structure is one, in whatever order its names come', async () => {
    const { set, get } = await open()
    await set({ key: 'user/a', value: { b: 1, a: { d: 2, c: 3 } } })
    expect(await set({ key: 'user/a', value: { a: { c: 3, d: 2 }, b: 1 } })).toMatchObject({ noop: true, verdict: 'merge' })
    expect((await get('user/a'))?.reinforcementCount).toBe(2)
  })

  test('that says more about the same value keeps what it says', async () => {
    const { set, get, found } = await open()
    await set({ key: 'user/a', value: 'Alice likes green tea.', tags: ['x'] })
    expect(await set({ key: 'user/a', value: 'Alice likes green tea.', tags: ['y'], confidence: 0.4 })).toMatchObject({
      noop: false,
    })
    expect(await get('user/a')).toMatchObject({ tags: ['y'], confidence: 0.4, reinforcementCount: 2 })
    expect(await found('green tea')).toEqual(['user/a'])
  })

  test('brings back what had ended', async () => {
    const { set, get, system, found, keys } = await open()
    await set({ key: 'user/a', value: 'Alice likes green tea.', ttlSeconds: 10 })
    system.advance(20_000)
    expect(await get('user/a')).toBeNull()
    await set({ key: 'user/a', value: 'Alice likes green tea.' })
    expect(await get('user/a')).toMatchObject({ expiresAt: null })
    expect([await found('tea'), await keys()]).toEqual([['user/a'], ['user/a']])
  })

  test('renews the time it has left when it says so', async () => {
    const { set, get, system } = await open()
    await set({ key: 'user/a', value: 'Alice likes green tea.', ttlSeconds: 10 })
    system.advance(5_000)
    await set({ key: 'user/a', value: 'Alice likes green tea.', ttlSeconds: 10 })
    system.advance(7_000)
    expect((await get('user/a'))?.value).toBe('Alice likes green tea.')
  })
})

describe('a write in the same words', () => {
  test('is merged, composed or decomposed, under another key or the same', async () => {
    const { set, get } = await open()
    await set({ key: 'user/a', value: 'The caf\u00e9 opens at nine.' })
    const other = await set({ key: 'user/b', value: 'the cafe\u0301 opens at nine' })
    expect(other).toMatchObject({ verdict: 'merge', noop: true, key: 'user/a', mergedIntoKey: 'user/a' })
    expect(other.peers).toMatchObject([{ key: 'user/a', similarity: 1, status: 'active' }])
    expect(await get('user/b')).toBeNull()
    expect(await set({ key: 'user/a', value: 'The cafe\u0301 opens at nine.' })).toMatchObject({ verdict: 'merge' })
    expect(await get('user/a')).toMatchObject({ value: 'The caf\u00e9 opens at nine.', reinforcementCount: 3 })
  })

  test('under another run is stored as a duplicate that the first one answers for', async () => {
    const { set, get, keys } = await open()
    const first = await set({ key: 'user/a', value: 'Alice lives in Berlin.' }, { ...ALICE, run: 'r1' })
    const second = await set({ key: 'user/b', value: 'Alice lives in Berlin.' }, { ...ALICE, run: 'r2' })
    expect(second).toMatchObject({ verdict: 'duplicate', status: 'duplicate', duplicateOf: first.id, noop: false })
    expect(await get('user/b')).toMatchObject({ status: 'duplicate', duplicateOf: first.id })
    expect(await keys()).toEqual(['user/a'])
    expect(await keys({ includeDuplicates: true })).toEqual(['user/a', 'user/b'])
    expect(await set({ key: 'user/c', value: 'Alice lives in Berlin.' }, { ...ALICE, run: 'r1' })).toMatchObject({
      verdict: 'merge',
    })
  })

  test('never meets what another user, another namespace or a wider tier counts', async () => {
    const { set, get } = await open()
    const value = 'The office closes at nine.'
    await set({ key: 'user/a', value }, MALLORY)
    await set({ key: 'user/a', value }, { ...ALICE, namespace: 'elsewhere' })
    expect(await set({ key: 'user/b', value })).toMatchObject({ verdict: 'clear' })
    await set({ key: 'shared/a', value: 'The lift is broken today.' }, {})
    expect(await set({ key: 'user/c', value: 'The lift is broken today.' })).toMatchObject({
      verdict: 'duplicate',
      key: 'user/c',
    })
    expect((await get('shared/a', {}))?.reinforcementCount).toBe(1)
  })

  test('under a key that says something else does not leave that standing', async () => {
    for (const kind of ['set', 'update'] as const) {
      const memory = await open()
      const first = await memory.set({ key: 'user/a', value: 'Alice lives in Berlin.' })
      await memory.set({ key: 'user/b', value: 'Alice lives in Munich.' })
      const changed = await memory[kind]({ key: 'user/b', value: 'Alice lives in Berlin.' })
      expect(changed).toMatchObject({ verdict: 'duplicate', key: 'user/b', duplicateOf: first.id })
      expect(await memory.get('user/b')).toMatchObject({ value: 'Alice lives in Berlin.', status: 'duplicate' })
      expect(await memory.found('Munich')).toEqual([])
      expect(await memory.keys()).toEqual(['user/a'])
    }
  })

  test('is not merged into what has ended', async () => {
    const { set, get, system } = await open()
    await set({ key: 'user/a', value: 'Alice lives in Berlin.', validTo: '2026-01-02T00:00:00Z' })
    system.advance(2 * DAY)
    expect(await set({ key: 'user/b', value: 'Alice lives in Berlin.' })).toMatchObject({ verdict: 'clear', key: 'user/b' })
    expect((await get('user/b'))?.value).toBe('Alice lives in Berlin.')
  })

  test('of one bare value under two keys is two facts', async () => {
    const { set, keys } = await open()
    await set({ key: 'cat/name', value: 'Mia' })
    expect(await set({ key: 'dog/name', value: 'Mia' })).toMatchObject({ verdict: 'clear' })
    expect(await keys()).toEqual(['cat/name', 'dog/name'])
  })

  test('of an episode or a secret is not weighed against others', async () => {
    const { set, keys, get } = await open()
    for (const key of ['day/1', 'day/2'])
      expect(await set({ key, value: 'Alice went for a run.', type: 'episodic' })).toMatchObject({ verdict: 'clear' })
    expect(await keys({ type: 'episodic' })).toEqual(['day/1', 'day/2'])
    await set({ key: 'code/a', value: 'the door code is 1234', sensitivity: 'high' })
    expect(await set({ key: 'code/b', value: 'the door code is 1234' })).toMatchObject({
      verdict: 'clear',
      key: 'code/b',
      peers: [],
    })
    await set({ key: 'code/c', value: 'The door code is 1234', sensitivity: 'high' })
    expect((await get('code/c'))?.sensitivity).toBe('high')
  })
})

describe('versions', () => {
  test('chain up, newest first, with what each was written on top of', async () => {
    const { set, history } = await open()
    await set({ key: 'user/a', value: 'one' }, MALLORY)
    for (const value of ['one', 'two', 'three']) await set({ key: 'user/a', value })
    const entries = await history('user/a')
    expect(entries.map(({ value }) => value)).toEqual(['three', 'two', 'one'])
    expect(new Set(entries.map(({ id }) => id)).size).toBe(1)
    entries.forEach((entry, i) => {
      const before = entries[i + 1]
      expect(entry.prevSha256).toBe(before?.sha256 ?? null)
      expect(entry.parents).toEqual(before === undefined ? [] : [before.rowId])
      if (before !== undefined) expect(BigInt(entry.version) > BigInt(before.version)).toBe(true)
      expect(entry).toMatchObject({ kind: 'set', synced: false, scope: { user: 'alice' } })
    })
  })

  test('rise when the clock was set back', async () => {
    const { set, system } = await open()
    const first = await set({ key: 'user/a', value: 'one' })
    system.advance(-DAY)
    const second = await set({ key: 'user/a', value: 'two' })
    const third = await set({ key: 'user/b', value: 'three' })
    expect(BigInt(second.version) > BigInt(first.version)).toBe(true)
    expect(BigInt(third.version) > BigInt(second.version)).toBe(true)
  })
})

describe('a correction', () => {
  test('replaces what it gives and carries the rest forward, by key or by id', async () => {
    const { set, update, updateById, get } = await open()
    await set({ key: 'user/a', value: 'Berlin' }, MALLORY)
    const { id } = await set({
      key: 'user/a',
      value: 'Berlin',
      tags: ['x'],
      confidence: 0.5,
      validAt: '2025-01-01T00:00:00Z',
    })
    await update({ key: 'user/a', confidence: 0.8 })
    await updateById({ id, value: 'Munich' })
    expect(await get('user/a')).toMatchObject({
      value: 'Munich',
      confidence: 0.8,
      tags: ['x'],
      validAt: Date.UTC(2025, 0, 1),
      id,
    })
    expect((await get('user/a', MALLORY))?.value).toBe('Berlin')
  })

  test('of fields alone is never merged away, also where others say the same', async () => {
    const { set, update, get, keys } = await open()
    await set({ key: 'user/a', value: 'The office closes at nine.' })
    await set({ key: 'shared/a', value: 'The office closes at nine.' }, {})
    expect(await update({ key: 'user/a', tags: ['x'] })).toMatchObject({ verdict: 'clear', noop: false })
    expect(await get('user/a')).toMatchObject({ tags: ['x'], status: 'active' })
    await set({ key: 'user/b', value: 'The office closes at nine.' }, { ...ALICE, run: 'r' })
    expect(await update({ key: 'user/b', tags: ['y'] })).toMatchObject({ status: 'duplicate', noop: false })
    expect(await keys({ includeDuplicates: true, tags: ['y'] })).toEqual(['user/b'])
  })

  test('of the value of a duplicate makes it a belief of its own', async () => {
    const { set, update, get } = await open()
    await set({ key: 'user/a', value: 'Alice lives in Berlin.' })
    await set({ key: 'user/b', value: 'Alice lives in Berlin.' }, { ...ALICE, run: 'r' })
    expect(await update({ key: 'user/b', value: 'Bob lives in Munich.' })).toMatchObject({ status: 'active' })
    expect(await get('user/b')).toMatchObject({ value: 'Bob lives in Munich.', duplicateOf: null })
  })

  test('of the type alone keeps the vector, or gets one', async () => {
    const { set, update, found, settled, db } = await open()
    await set({ key: 'user/a', value: 'Alice likes green tea.' })
    expect(await update({ key: 'user/a', type: 'decision' })).toMatchObject({ degraded: [] })
    expect(await found('green tea', { legs: ['vector'] })).toEqual(['user/a'])
    await update({ key: 'user/a', type: 'episodic' })
    expect(await found('green tea')).toEqual([])
    expect(await update({ key: 'user/a', type: 'semantic' })).toMatchObject({ degraded: ['unembedded'] })
    await settled()
    expect(await found('green tea', { legs: ['vector'] })).toEqual(['user/a'])
    expect(valueOf(db, sql`select count(*) from vectors`)).toBe(1)
  })

  test('needs something to correct', async () => {
    const { set, update, updateById, remove } = await open()
    const { id } = await set({ key: 'user/a', value: 'Berlin' }, MALLORY)
    expect(await refusal(update({ key: 'user/a', value: 'x' }), 'NOT_FOUND')).toEqual({ key: 'user/a' })
    expect(await refusal(updateById({ id, value: 'x' }), 'NOT_FOUND')).toEqual({ id })
    const own = await set({ key: 'user/b', value: 'Berlin' })
    await remove('user/b')
    await refusal(update({ key: 'user/b', value: 'x' }), 'NOT_FOUND')
    await refusal(updateById({ id: own.id, value: 'x' }), 'NOT_FOUND')
  })

  test('by id is refused for a row of a wider scope, which the handle may only read', async () => {
    const { set, updateById, getById } = await open()
    const shared = await set({ key: 'shared/a', value: 'x' }, {})
    const hers = await set({ key: 'user/a', value: 'y' })
    expect(await refusal(updateById({ id: shared.id, value: 'z' }), 'FORBIDDEN')).toEqual({ reason: 'other_scope' })
    await refusal(updateById({ id: hers.id, value: 'z' }, { ...ALICE, session: 's' }), 'FORBIDDEN')
    expect((await getById(shared.id))?.value).toBe('x')
  })
})

describe('a precondition', () => {
  test('lets the write through while the value is the one that was read', async () => {
    const { set, update, get } = await open()
    const { contentSha256: sha } = await set({ key: 'user/a', value: 'one' })
    expect(sha).toBe(contentSha256('one'))
    await update({ key: 'user/a', value: 'two', ifMatchSha256: sha })
    const details = await refusal(set({ key: 'user/a', value: 'three', ifMatchSha256: sha }), 'PRECONDITION_FAILED')
    expect(details).toEqual({ key: 'user/a', currentSha256: contentSha256('two') })
    expect((await get('user/a'))?.value).toBe('two')
  })

  test('fails where nothing lives, and for a restatement as well', async () => {
    const { set } = await open()
    await set({ key: 'user/a', value: 'one' }, MALLORY)
    const sha = contentSha256('one')
    const nothing = await refusal(set({ key: 'user/a', value: 'one', ifMatchSha256: sha }), 'PRECONDITION_FAILED')
    expect(nothing).toEqual({ key: 'user/a', currentSha256: null })
    await set({ key: 'user/a', value: 'two' })
    await refusal(set({ key: 'user/a', value: 'two', ifMatchSha256: sha }), 'PRECONDITION_FAILED')
  })
})
