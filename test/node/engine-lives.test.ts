import { describe, expect, test } from 'vitest'
import { contentSha256 } from '../../src/domain/canonical.js'
import { ALICE, DAY, type Fields, MALLORY, moody, open, refusal } from '../support/engine-calls.js'

describe('deleting', () => {
  test('takes a memory out of every read, and restoring brings it back', async () => {
    const { set, remove, restore, get, getById, keys, found, history, settled } = await open()
    await set({ key: 'user/a', value: 'Alice likes green tea.' }, MALLORY)
    const { id } = await set({ key: 'user/a', value: 'Alice likes green tea.', tags: ['x'] })
    expect(await remove('user/a')).toMatchObject({ found: true, tombstoned: 1 })
    expect([await get('user/a'), await keys(), await found('tea')]).toEqual([null, [], []])
    expect(await getById(id)).toMatchObject({ status: 'tombstoned' })
    expect(await get('user/a', MALLORY)).not.toBeNull()
    expect(await restore('user/a')).toMatchObject({ id, status: 'active' })
    await settled()
    expect(await get('user/a')).toMatchObject({ id, tags: ['x'], tombstonedAt: null })
    expect(await found('tea', { legs: ['vector'] })).toEqual(['user/a'])
    expect((await history('user/a')).map(({ kind }) => kind)).toEqual(['restore', 'tomb', 'set'])
  })

  test('of nothing finds nothing, also when others have the key', async () => {
    const { set, remove, get } = await open()
    await set({ key: 'user/a', value: 'his' }, MALLORY)
    await set({ key: 'user/a', value: 'shared' }, {})
    expect(await remove('user/a')).toMatchObject({ found: false, tombstoned: 0 })
    expect((await get('user/a'))?.value).toBe('shared')
  })

  test('can be taken back for fourteen days to the millisecond, then the memory is gone', async () => {
    const { set, remove, restore, call, system, history } = await open()
    await set({ key: 'user/a', value: 'one' })
    await remove('user/a')
    const at = (await history('user/a'))[0]?.tombstonedAt ?? 0
    const restoreAt = (now: number) => {
      system.advance(now - system.now() - 1)
      return call('memory.restore', { key: 'user/a' }, ALICE)
    }
    expect(await refusal(restoreAt(at + 14 * DAY + 1), 'GONE')).toEqual({ key: 'user/a', tombstonedAt: at })
    expect(await restoreAt(at + 14 * DAY)).toMatchObject({ status: 'active' })
    await refusal(restore('user/b'), 'NOT_FOUND')
  })

  test('is followed by a new lineage when the key is said again, and history has both', async () => {
    const { set, remove, restore, history, get } = await open()
    const first = await set({ key: 'user/a', value: 'one', tags: ['old'] })
    await remove('user/a')
    const second = await set({ key: 'user/a', value: 'one' })
    expect(second.id).not.toBe(first.id)
    expect(await get('user/a')).toMatchObject({ tags: [], reinforcementCount: 1 })
    expect((await history('user/a')).map(({ id, kind }) => [id, kind])).toEqual([
      [second.id, 'set'],
      [first.id, 'tomb'],
      [first.id, 'set'],
    ])
    const details = await refusal(restore('user/a'), 'PRECONDITION_FAILED')
    expect(details).toEqual({ key: 'user/a', currentSha256: contentSha256('one') })
    await remove('user/a')
    expect(await restore('user/a')).toMatchObject({ id: second.id })
  })

  test('of a duplicate and restoring it gives a row that stands for itself', async () => {
    const { set, remove, restore, get } = await open()
    await set({ key: 'user/a', value: 'Alice lives in Berlin.' })
    await set({ key: 'user/b', value: 'Alice lives in Berlin.' }, { ...ALICE, run: 'r' })
    await remove('user/b')
    expect(await restore('user/b')).toMatchObject({ status: 'active' })
    expect(await get('user/b')).toMatchObject({ duplicateOf: null })
  })
})

describe('what has an end', () => {
  test.each<[string, Fields]>([
    ['validTo', { validTo: '2026-01-02T00:00:00Z' }],
    ['expiresAt', { expiresAt: '2026-01-02T00:00:00+00:00' }],
    ['ttlSeconds', { ttlSeconds: 86_000 }],
    ['a fraction of a second', { ttlSeconds: 0.0015 }],
  ])('by %s drops from get, list and search when it comes', async (_, end) => {
    const { set, get, keys, found, system } = await open()
    await set({ key: 'user/a', value: 'Alice likes green tea.', ...end })
    await set({ key: 'user/b', value: 'Bob likes black coffee.' })
    await set({ key: 'user/a', value: 'Mallory likes green tea.' }, MALLORY)
    if (end['ttlSeconds'] !== 0.0015) {
      expect((await get('user/a'))?.value).toBe('Alice likes green tea.')
      expect(await keys()).toEqual(['user/a', 'user/b'])
      expect(await found('green tea')).toEqual(['user/a'])
      expect(await found('green tea', { type: 'semantic' })).toEqual(['user/a'])
    }
    system.advance(DAY)
    expect([await get('user/a'), await keys()]).toEqual([null, ['user/b']])
    for (const options of [{}, { type: 'semantic' }, { legs: ['vector'] }, { legs: ['lexical'] }])
      expect(await found('green tea', options)).toEqual([])
    expect(await get('user/a', MALLORY)).not.toBeNull()
  })
})

describe('what is highly sensitive', () => {
  const secret = { key: 'keys/door', value: 'the door code is 4711', sensitivity: 'high' }

  test('is read by its key alone, and each reading is audited', async () => {
    const { set, get, keys, found, audited, history, settled } = await open()
    await set({ key: 'keys/other', value: 'the door code is unknown' })
    const { id } = await set(secret)
    await settled()
    expect(await keys()).toEqual(['keys/other'])
    for (const options of [{}, { legs: ['vector'] }, { legs: ['lexical'] }, { keyPrefix: 'keys/' }])
      expect(await found('door code 4711', options)).toEqual(['keys/other'])
    const before = (await audited()).length
    expect((await get('keys/door'))?.value).toBe(secret.value)
    await history('keys/door')
    await get('keys/other')
    const added = (await audited()).slice(before)
    expect(added).toMatchObject([
      { action: 'memory.get', memory_id: id, outcome: 'ok', actor: 'process:local' },
      { action: 'memory.history', memory_id: id },
    ])
  })

  test('never reaches the embedder, nor when it is said again or corrected', async () => {
    const embedder = moody(0)
    const { set, update, updateById, get, bulk, settled } = await open({ embedder })
    const { id } = await set(secret)
    await set({ key: secret.key, value: 'the door code is 4712' })
    await update({ key: secret.key, value: 'the door code is 4713' })
    await updateById({ id, value: 'the door code is 4714' })
    await bulk([{ key: secret.key, value: 'the door code is 4715' }])
    await settled()
    expect(embedder.asked).toEqual([])
    expect(await get(secret.key)).toMatchObject({ sensitivity: 'high', value: 'the door code is 4715' })
  })

  test('leaves the index when it becomes so, and enters it when it no longer is', async () => {
    const { set, update, found, settled } = await open()
    await set({ key: 'keys/door', value: 'the door code is 4711' })
    expect(await found('door code')).toEqual(['keys/door'])
    await update({ key: 'keys/door', sensitivity: 'high' })
    expect(await found('door code')).toEqual([])
    await update({ key: 'keys/door', sensitivity: 'none' })
    await settled()
    expect(await found('door code', { legs: ['vector'] })).toEqual(['keys/door'])
  })
})

describe('the type', () => {
  test('procedural needs a situation and two steps, else the claim is a statement that says so', async () => {
    const { set, get, keys } = await open()
    const value = { situation: 'the tap leaks', steps: ['close the valve', 'call Bob'] }
    expect(await set({ key: 'how/a', value, type: 'procedural' })).not.toHaveProperty('retypedFrom')
    expect(await set({ key: 'how/b', value: 'Just call Bob at once.', type: 'procedural', tags: ['x'] })).toMatchObject({
      retypedFrom: 'procedural',
    })
    expect(await get('how/b')).toMatchObject({ type: 'semantic', tags: ['x', 'retyped_from:procedural'] })
    expect(await keys({ type: 'procedural' })).toEqual(['how/a'])
  })

  test('decides what search shows: reflections when asked for, episodes and profiles never', async () => {
    const { set, found, keys } = await open()
    const types = ['semantic', 'decision', 'reflection', 'episodic', 'profile']
    for (const type of types) {
      await set({ key: `t/${type}`, value: `Alice likes green tea, says the ${type}.`, type })
      await set({ key: `t/${type}`, value: `Mallory likes green tea, says the ${type}.`, type }, MALLORY)
    }
    expect(await found('green tea')).toEqual(['t/decision', 't/semantic'])
    expect(await found('green tea', { type: 'reflection' })).toEqual(['t/reflection'])
    for (const type of ['episodic', 'profile']) expect(await found('green tea', { type })).toEqual([])
    expect(await keys()).toEqual(types.map((type) => `t/${type}`).toSorted())
  })
})

describe('a duplicate', () => {
  const SAYS = 'The spare key is in the blue tin.'

  test('speaks for itself again once the memory it points to says something else', async () => {
    const { set, get, keys } = await open()
    await set({ key: 'a/first', value: SAYS })
    await set({ key: 'a/second', value: 'Something else entirely, at first.' })
    const second = await set({ key: 'a/second', value: SAYS })
    expect(second).toMatchObject({ status: 'duplicate' })
    expect(await keys()).toEqual(['a/first'])
    await set({ key: 'a/first', value: 'The spare key is under the third pot.' })
    expect(await get('a/second')).toMatchObject({ status: 'active', duplicateOf: null, value: SAYS })
    expect(await keys()).toEqual(['a/first', 'a/second'])
  })

  test('of a shared memory that is deleted speaks for its own user, and only one of them', async () => {
    const { call, get } = await open()
    await call('memory.set', { key: 'team/key', value: SAYS }, {})
    await call('memory.set', { key: 'mine/one', value: SAYS }, ALICE)
    await call('memory.set', { key: 'mine/two', value: 'Not yet the same words as those.' }, ALICE)
    await call('memory.set', { key: 'mine/two', value: SAYS }, ALICE)
    await call('memory.set', { key: 'theirs', value: SAYS }, MALLORY)
    await call('memory.delete', { key: 'team/key' }, {})
    const [one, two, theirs] = [await get('mine/one'), await get('mine/two'), await get('theirs', MALLORY)]
    expect([one?.status, two?.status, theirs?.status]).toEqual(['active', 'duplicate', 'active'])
    expect(two?.duplicateOf).toBe(one?.id)
  })
})

test('a merge says that what was given beside the value was not kept', async () => {
  const { set } = await open()
  await set({ key: 'a/b', value: 'The spare key is in the blue tin.' })
  const merged = await set({ key: 'a/c', value: 'the spare key is in the blue tin', tags: ['home'] })
  expect(merged).toMatchObject({ verdict: 'merge', mergedIntoKey: 'a/b' })
  expect(merged.advisories.join()).toContain('Update a/b')
})

test('a tombstone does not repeat the value, and every read of it still has it', async () => {
  const { set, remove, history, getById, db } = await open()
  const value = 'The spare key is in the blue tin.'
  const { id } = await set({ key: 'a/b', value })
  await remove('a/b')
  expect((await history('a/b')).map((entry) => [entry.kind, entry.value])).toEqual([
    ['tomb', value],
    ['set', value],
  ])
  expect((await getById(id))?.value).toBe(value)
  const bodies = db.all<{ body: string }>({ text: 'select body from versions order by row', values: [] })
  expect(bodies.map(({ body }) => body.includes('blue tin'))).toEqual([true, false])
})
