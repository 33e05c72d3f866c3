import { describe, expect, test } from 'vitest'
import { MALLORY, open, refusal } from '../support/engine-calls.js'

const NUTS = 'The user is allergic to peanuts.'
const NO_NUTS = 'The user is not allergic to peanuts.'

describe('a pinned memory', () => {
  test('is set and pinned in one', async () => {
    const memory = await open()
    const pinned = await memory.pin({ key: 'user/allergy', value: NUTS, tags: ['health'] })
    expect(pinned).toMatchObject({ key: 'user/allergy', verdict: 'clear', status: 'active' })
    expect(await memory.get('user/allergy')).toMatchObject({ value: NUTS, pinned: true, tags: ['health'] })
  })

  test('is not replaced by a set, alone or in bulk', async () => {
    const memory = await open()
    await memory.pin({ key: 'user/allergy', value: NUTS })
    expect(await refusal(memory.set({ key: 'user/allergy', value: NO_NUTS }), 'PINNED_CONFLICT')).toEqual({
      key: 'user/allergy',
    })
    const { results } = await memory.bulk([
      { key: 'user/allergy', value: NO_NUTS },
      { key: 'x', value: 'Unrelated words.' },
    ])
    expect(results.map((result) => (result.ok ? 'ok' : result.code))).toEqual(['PINNED_CONFLICT', 'ok'])
    expect(await memory.get('user/allergy')).toMatchObject({ value: NUTS, pinned: true })
    expect((await memory.audited()).map(({ outcome }) => outcome)).toEqual([
      'ok',
      'PINNED_CONFLICT',
      'ok',
      'PINNED_CONFLICT',
    ])
  })

  test('takes the same bytes again, and what is said beside them', async () => {
    const memory = await open()
    await memory.pin({ key: 'user/allergy', value: NUTS })
    expect(await memory.set({ key: 'user/allergy', value: NUTS })).toMatchObject({ verdict: 'merge', noop: true })
    await memory.set({ key: 'user/allergy', value: NUTS, tags: ['health'] })
    expect(await memory.get('user/allergy')).toMatchObject({ pinned: true, tags: ['health'], reinforcementCount: 3 })
  })

  test('changes by update and updateById, which keep the pin, and by pin', async () => {
    const memory = await open()
    const { id } = await memory.pin({ key: 'user/diet', value: 'The user eats no meat.' })
    await memory.update({ key: 'user/diet', value: 'The user eats neither meat nor fish.' })
    expect(await memory.get('user/diet')).toMatchObject({ pinned: true, value: 'The user eats neither meat nor fish.' })
    await memory.updateById({ id, value: 'The user is a vegan.' })
    await memory.pin({ key: 'user/diet', value: 'The user eats everything again.' })
    expect(await memory.get('user/diet')).toMatchObject({ pinned: true, value: 'The user eats everything again.', id })
  })

  test('is set like any other once it is unpinned', async () => {
    const memory = await open()
    await memory.pin({ key: 'user/city', value: 'The user lives in Berlin.' })
    expect(await memory.unpin('user/city')).toMatchObject({ key: 'user/city', pinned: false, noop: false })
    expect(await memory.unpin('user/city')).toMatchObject({ noop: true })
    await memory.set({ key: 'user/city', value: 'The user lives in Lisbon.' })
    expect(await memory.get('user/city')).toMatchObject({ pinned: false, value: 'The user lives in Lisbon.' })
    expect((await memory.history('user/city')).map(({ pinned }) => pinned)).toEqual([false, false, true])
  })

  test('can be pinned later by the same words, under its own key or another', async () => {
    const memory = await open()
    await memory.set({ key: 'user/allergy', value: NUTS })
    const pinned = await memory.pin({ key: 'user/nuts', value: NUTS })
    expect(pinned).toMatchObject({ verdict: 'merge', mergedIntoKey: 'user/allergy', noop: false })
    expect(await memory.get('user/allergy')).toMatchObject({ pinned: true })
    await memory.set({ key: 'user/city', value: 'Berlin' })
    await memory.pin({ key: 'user/city', value: 'Berlin' })
    expect(await memory.get('user/city')).toMatchObject({ pinned: true })
  })

  test('is deleted and restored by who asks for that', async () => {
    const memory = await open()
    await memory.pin({ key: 'user/allergy', value: NUTS })
    await memory.remove('user/allergy')
    await memory.restore('user/allergy')
    expect(await memory.get('user/allergy')).toMatchObject({ pinned: true })
  })

  test('is of one user: another one says what they like under the same key', async () => {
    const memory = await open()
    await memory.pin({ key: 'user/allergy', value: NUTS })
    await memory.set({ key: 'user/allergy', value: NO_NUTS }, MALLORY)
    await refusal(memory.unpin('user/allergy', {}, { user: 'bob' }), 'NOT_FOUND')
    await memory.unpin('user/allergy', {}, MALLORY)
    expect(await memory.get('user/allergy')).toMatchObject({ pinned: true, value: NUTS })
  })

  test('a rehearsal pins nothing', async () => {
    const memory = await open()
    await memory.set({ key: 'a', value: 'Some words here.' })
    await memory.pin({ key: 'a', value: 'Some words here.', dryRun: true })
    expect(await memory.get('a')).toMatchObject({ pinned: false })
    await memory.pin({ key: 'a', value: 'Some words here.' })
    expect(await memory.unpin('a', { dryRun: true })).toMatchObject({ pinned: false, dryRun: true })
    expect(await memory.get('a')).toMatchObject({ pinned: true })
  })
})

describe('what stands against a pin', () => {
  test('is refused under another key as well', async () => {
    const memory = await open()
    await memory.pin({ key: 'user/allergy', value: NUTS })
    expect(await refusal(memory.set({ key: 'user/nuts', value: NO_NUTS }), 'PINNED_CONFLICT')).toEqual({
      key: 'user/allergy',
    })
    expect(await memory.keys()).toEqual(['user/allergy'])
  })

  test('becomes a proposal under the next key, once, when the pinned memory holds its own', async () => {
    const memory = await open()
    await memory.pin({ key: 'user/allergy', value: NUTS, tags: ['health'] })
    const proposed = await memory.set({ key: 'user/allergy', value: NO_NUTS, onPinned: 'propose' })
    expect(proposed).toMatchObject({ key: 'user/allergy~2', status: 'proposed', verdict: 'rejected', noop: false })
    expect(proposed.explanation.rule).toBe('pinned')
    expect(proposed.advisories).toEqual(['user/allergy is taken: the proposal was stored as user/allergy~2.'])
    expect(await memory.set({ key: 'user/allergy', value: NO_NUTS, onPinned: 'propose' })).toMatchObject({
      id: proposed.id,
      noop: true,
    })
    const other = await memory.set({ key: 'user/allergy', value: 'The user may eat peanuts.', onPinned: 'propose' })
    expect(other.key).toBe('user/allergy~3')
    expect(await memory.getById(proposed.id)).toMatchObject({ pinned: false, status: 'proposed', value: NO_NUTS })
    expect(await memory.get('user/allergy')).toMatchObject({ pinned: true, value: NUTS })
  })

  test('keeps its own key where that is free', async () => {
    const memory = await open()
    const pinned = await memory.pin({ key: 'user/allergy', value: NUTS })
    const proposed = await memory.set({ key: 'user/nuts', value: NO_NUTS, onPinned: 'propose' })
    expect(proposed).toMatchObject({ key: 'user/nuts', status: 'proposed', verdict: 'rejected', advisories: [] })
    expect(proposed.peers.map(({ id }) => id)).toEqual([pinned.id])
    expect(await memory.getById(proposed.id)).toMatchObject({ conflictWith: [pinned.id] })
    // A second thought takes the place of the first.
    const again = await memory.set({
      key: 'user/nuts',
      value: 'The user is no longer allergic to peanuts.',
      onPinned: 'propose',
    })
    expect(again).toMatchObject({ id: proposed.id, key: 'user/nuts', status: 'proposed' })
  })

  test('leaves an updated memory as it is', async () => {
    const memory = await open()
    await memory.pin({ key: 'user/allergy', value: NUTS })
    await memory.set({ key: 'user/note', value: 'The user likes walnuts a lot.' })
    const proposed = await memory.update({ key: 'user/note', value: NO_NUTS, onPinned: 'propose' })
    expect(proposed).toMatchObject({ key: 'user/note~2', status: 'proposed' })
    expect(await memory.get('user/note')).toMatchObject({ value: 'The user likes walnuts a lot.' })
  })

  test('is neither listed nor found unless one asks for proposals', async () => {
    const memory = await open()
    await memory.pin({ key: 'user/allergy', value: NUTS })
    await memory.set({ key: 'user/allergy', value: NO_NUTS, onPinned: 'propose' })
    expect(await memory.keys()).toEqual(['user/allergy'])
    expect(await memory.found('allergic to peanuts')).toEqual(['user/allergy'])
    expect(await memory.keys({ includeProposed: true })).toEqual(['user/allergy', 'user/allergy~2'])
    expect(await memory.found('allergic to peanuts', { includeProposed: true })).toContain('user/allergy~2')
    expect(await memory.keys({ includeProposed: true }, MALLORY)).toEqual([])
  })

  test('is proposed only if nothing else refuses it', async () => {
    const memory = await open()
    const { contentSha256 } = await memory.pin({ key: 'a', value: 'Some words here.' })
    const propose = { key: 'a', value: 'Some other words here.', onPinned: 'propose' }
    await refusal(memory.set({ ...propose, ifMatchSha256: '0'.repeat(64) }), 'PRECONDITION_FAILED')
    await memory.set({ ...propose, ifMatchSha256: contentSha256, dryRun: true })
    expect(await memory.keys({ includeProposed: true })).toEqual(['a'])
    await memory.forbid({ pattern: 'other words', patternType: 'substring' })
    await refusal(memory.set(propose), 'BLACKLISTED')
    await memory.lock('a', { mode: 'read_only', reason: 'checked' })
    await refusal(memory.set(propose), 'LOCKED')
  })
})
