import { expect, test } from 'vitest'
import type { AuditReport } from '../../src/schema/namespaces.js'
import { ALICE, DAY, type Fields, MALLORY, moody, open, refusal } from '../support/engine-calls.js'
import { dump } from '../support/store.js'

const openAudited = async (options: Parameters<typeof open>[0] = {}) => {
  const memory = await open(options)
  return {
    ...memory,
    report: (input: Fields = {}, scope = ALICE) => memory.call<AuditReport>('namespaces.audit', input, scope),
    found: async (scope = ALICE) =>
      Object.fromEntries(
        (await memory.call<AuditReport>('namespaces.audit', {}, scope)).findings.map(({ kind, memories }) => [
          kind,
          memories.map(({ key }) => key),
        ]),
      ),
  }
}

test('names keys that say nothing, that are numbered, and that are easily mistaken', async () => {
  const { set, found } = await openAudited()
  const keys = {
    hash_keys: [
      'note/9f86d081884c7d659a2feaa0c55ad015',
      'x/550e8400-e29b-41d4-a716-446655440000',
      '01ARZ3NDEKTSV4RRFFQ69G5FAV',
      'id/aB3dE5fG7hJ9kL1m',
    ],
    numbered_keys: ['user/editor-v2', 'user/city-2', 'user/city-final'],
    confusable_keys: ['user/p\u0430ypal', 'user/\ufb01sh'],
    none: [
      'user/city',
      'room/gate-12',
      'user/preferences/editor',
      'decade/beefed',
      '\u4eac\u90fd/\u5bbf',
      'deed/facade-added',
    ],
  }
  for (const key of Object.values(keys).flat()) await set({ key, value: `About ${key}.` })
  const { none, ...expected } = keys
  expect(none).not.toEqual([])
  expect(await found()).toEqual(expected)
})

test('names values that hold several facts', async () => {
  const { set, found } = await openAudited()
  const value = 'Alice lives in Berlin. She has a cat. Her sister is a nurse.'
  await set({ key: 'a', value })
  await set({ key: 'b', value: 'Bob met Dr. Yao in Berlin on 3.5. about a cat.' })
  await set({ key: 'c', value: { note: value } })
  expect(await found()).toEqual({ multi_fact: ['a'] })
})

test('names what waits for a decision, or for its embedder', async () => {
  const embedder = moody(0)
  const { set, pin, found, settled } = await openAudited({ embedder })
  await pin({ key: 'diet', value: 'Alice is vegan.' })
  await set({ key: 'diet', value: 'Alice eats fish.', onPinned: 'propose' })
  await set({ key: 'monday', value: 'The office is closed on Monday.' })
  await set({ key: 'also', value: 'The office is open on Monday.' })
  embedder.fail(1)
  await set({ key: 'queued', value: 'The canteen has soup.', onEmbedFailure: 'queue' })
  expect(await found()).toMatchObject({
    open_proposals: ['diet~2'],
    open_conflicts: ['monday', 'also'],
    unjudged: ['queued'],
  })
  await settled()
  expect(await found()).not.toHaveProperty('unjudged')
})

test('names what no search has found in a month', async () => {
  const { set, call, found, system, settled } = await openAudited()
  await set({ key: 'tea', value: 'Alice likes green tea.' })
  await set({ key: 'boat', value: 'Bob rows a wooden boat.' })
  expect(await found()).toEqual({})
  await call('memory.search', { query: 'green tea' }, ALICE)
  await settled()
  system.advance(31 * DAY)
  await set({ key: 'new', value: 'Carol plays the harp.' })
  expect(await found()).toEqual({ never_recalled: ['boat'] })
})

test('sees what its handle may read and nothing else, changes nothing, and tells no secrets', async () => {
  const { set, report, db, call } = await openAudited()
  await set({ key: 'mine-v2', value: 'x' })
  await set({ key: 'theirs-v2', value: 'x' }, MALLORY)
  await set({ key: 'secret-v2', value: 'x', sensitivity: 'high' })
  await call('memory.set', { key: 'other-v2', value: 'x' }, { ...ALICE, namespace: 'other' })
  const before = dump(db)
  expect(await report()).toMatchObject({ namespace: 'default', looked: 1, findings: [{ count: 1 }] })
  expect(await report({ namespace: 'other' })).toMatchObject({ namespace: 'other', looked: 1 })
  expect(await report({}, { user: '' })).toMatchObject({ looked: 0, findings: [] })
  await refusal(call('namespaces.audit', { namespace: 'b' }, { namespace: 'a' }), 'FORBIDDEN')
  expect(dump(db)).toEqual(before)
})

test('counts all and names as many as were asked for', async () => {
  const { bulk, report } = await openAudited()
  await bulk(Array.from({ length: 1_200 }, (_, i) => ({ key: `thing/${i}-v2`, value: i })))
  const { looked, findings } = await report({ limit: 3 })
  expect([looked, findings.map(({ count, memories }) => [count, memories.length])]).toEqual([1_200, [[1_200, 3]]])
})
