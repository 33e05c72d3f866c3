import { expect, test } from 'vitest'
import { ALICE, DAY, type Fields, MALLORY, refusal } from '../support/engine-calls.js'
import { iso, openHistory } from '../support/history.js'

test('the newest version is compared with the one before it, field by field and word by word', async () => {
  const memory = await openHistory()
  const first = await memory.set({ key: 'city', value: 'Alice lives in Delhi.', confidence: 0.5 })
  const second = await memory.update({ key: 'city', value: 'Alice lives in Berlin.', tags: ['home'] })
  const diff = await memory.diff('city')
  expect(diff).toMatchObject({
    id: first.id,
    from: { version: first.version, kind: 'set', redacted: false },
    to: { version: second.version, status: 'active' },
    changes: [
      { field: 'value', before: 'Alice lives in Delhi.', after: 'Alice lives in Berlin.' },
      { field: 'tags', before: [], after: ['home'] },
    ],
    words: [
      { kind: 'same', text: 'Alice lives in ' },
      { kind: 'removed', text: 'Delhi' },
      { kind: 'added', text: 'Berlin' },
      { kind: 'same', text: '.' },
    ],
  })
  await memory.update({ key: 'city', confidence: 1 })
  const third = await memory.diff('city')
  expect(third).toMatchObject({ changes: [{ field: 'confidence', before: 0.5, after: 1 }], words: null })
  expect((await memory.diff('city', { from: first.version })).changes.map(({ field }) => field)).toEqual([
    'value',
    'tags',
    'confidence',
  ])
  expect((await memory.diff('city', { to: second.version })).from?.version).toBe(first.version)
})

test('the first version is compared with nothing; no other scope and no other version answers', async () => {
  const memory = await openHistory()
  const { version } = await memory.set({ key: 'a', value: 7, tags: ['x'] })
  expect(await memory.diff('a')).toMatchObject({
    from: null,
    words: null,
    changes: [
      { field: 'value', before: null, after: 7 },
      { field: 'tags', before: [], after: ['x'] },
    ],
  })
  await refusal(memory.diff('a', {}, MALLORY), 'NOT_FOUND')
  await refusal(memory.diff('a', { to: '1' }), 'NOT_FOUND')
  await refusal(memory.diff('a', { from: String(BigInt(version) + 1n) }), 'NOT_FOUND')
})

test('nothing is compared with a version that was scrubbed', async () => {
  const memory = await openHistory()
  const { version } = await memory.set({ key: 'a', value: 'The gate is green.' })
  await memory.update({ key: 'a', value: 'The gate is red.' })
  await memory.redact('a', version)
  expect(await memory.diff('a')).toMatchObject({ from: { version, redacted: true }, changes: [], words: null })
})

test('reading what is highly sensitive leaves a trace', async () => {
  const memory = await openHistory()
  await memory.set({ key: 'pin', value: '4711', sensitivity: 'high' })
  await memory.diff('pin')
  await memory.timeline({ key: 'pin' })
  expect((await memory.audited()).map(({ action }) => action)).toEqual(['memory.set', 'memory.diff', 'memory.timeline'])
})

test('a timeline tells who did what in the order in which it was written, over all memories of a prefix', async () => {
  const memory = await openHistory()
  const bo = { ...ALICE, actor: 'human:bo', run: 'r1' }
  await memory.set({ key: 'home/city', value: 'Alice lives in Delhi.', validAt: '2020-01-01T00:00:00Z' })
  await memory.set({ key: 'home/pet', value: 'Alice has a cat.' }, bo)
  await memory.set({ key: 'work', value: 'Alice is a nurse.' })
  await memory.set({ key: 'home/pet', value: 'Alice has a cat.' })
  await memory.set({ key: 'home/city', value: 'Alice lives in Berlin.' })
  await memory.update({ key: 'home/city', tags: ['x'] })
  await memory.remove('home/pet')
  await memory.restore('home/pet')
  await memory.call('memory.reject', { key: 'home/pet', reason: 'It was a dog.' }, ALICE)
  const { events } = await memory.timeline({ keyPrefix: 'home/' })
  expect(events.map(({ key, happening, before, after }) => [key, happening, before, after])).toEqual([
    ['home/city', 'stated', null, 'Alice lives in Delhi.'],
    ['home/pet', 'stated', null, 'Alice has a cat.'],
    ['home/pet', 'repeated', 'Alice has a cat.', 'Alice has a cat.'],
    ['home/city', 'revised', 'Alice lives in Delhi.', 'Alice lives in Berlin.'],
    ['home/city', 'corrected', 'Alice lives in Berlin.', 'Alice lives in Berlin.'],
    ['home/pet', 'deleted', 'Alice has a cat.', null],
    ['home/pet', 'restored', null, 'Alice has a cat.'],
    ['home/pet', 'rejected', 'Alice has a cat.', 'Alice has a cat.'],
  ])
  expect(events[0]).toMatchObject({ validAt: Date.UTC(2020, 0, 1), scope: { user: 'alice' } })
  expect(events[1]).toMatchObject({ actor: 'human:bo', run: 'r1' })
  expect(events[4]?.fields).toEqual(['tags'])
  expect((await memory.timeline({ keyPrefix: 'home/' }, MALLORY)).events).toEqual([])
})

test('a timeline is read page by page, and between two instants', async () => {
  const memory = await openHistory()
  for (let i = 0; i < 7; i++) await memory.set({ key: `k/${i % 3}`, value: i })
  const between = memory.system.now()
  memory.system.advance(DAY)
  for (let i = 7; i < 10; i++) await memory.set({ key: `k/${i % 3}`, value: i })
  const seen: unknown[] = []
  let cursor: string | null | undefined
  do {
    const page = await memory.timeline({ keyPrefix: 'k', limit: 4, ...(cursor == null ? {} : { cursor }) })
    expect(page.events.length).toBeLessThanOrEqual(4)
    seen.push(...page.events.map(({ after }) => after))
    cursor = page.nextCursor
  } while (cursor !== null)
  expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  const after = async (input: object) => (await memory.timeline({ keyPrefix: 'k', ...input })).events.map((e) => e.after)
  expect(await after({ from: iso(between) })).toEqual([7, 8, 9])
  expect(await after({ to: iso(between) })).toEqual([0, 1, 2, 3, 4, 5, 6])
  await refusal(memory.timeline({ keyPrefix: 'k', cursor: 'next' }), 'INVALID_ARGUMENT')
})

test('memories are found by what they are about, and by whatever they name', async () => {
  const memory = await openHistory()
  const lent = [{ subject: 'Wren', predicate: 'lent', object: 'the Tents' }]
  await memory.set({ key: 'a', value: 'Wren lent the tent to Bashir.', relations: lent, entities: ['Bashir'] })
  await memory.set({ key: 'b', value: 'The tent is blue.', entities: ['tent'] })
  await memory.set({ key: 'c', value: 'Somebody else speaks.', entities: ['Osric'] })
  await memory.set({ key: 'd', value: 'Mallory has a tent.', entities: ['tent'] }, MALLORY)
  await memory.set({ key: 'e', value: 'The code of the tent is 4711.', entities: ['tent'], sensitivity: 'high' })
  // What it was about once counts as well.
  await memory.set({ key: 'b', value: 'The flag is blue.' })
  const found = async (input: Fields) => [...new Set((await memory.timeline(input)).events.map(({ key }) => key))]
  expect(await found({ subject: 'wren' })).toEqual(['a'])
  expect(await found({ subject: "Bashir's" })).toEqual(['a'])
  expect(await found({ subject: 'tent' })).toEqual(['b'])
  expect(await found({ entity: 'The Tent' })).toEqual(['a', 'b'])
  expect(await found({ entity: '...' })).toEqual([])
  expect((await memory.timeline({ subject: 'tent' })).events.map(({ after }) => after)).toEqual([
    'The tent is blue.',
    'The flag is blue.',
  ])
})

test('a value that was highly sensitive once is told under its own key only', async () => {
  const memory = await openHistory()
  await memory.set({ key: 'x/pin', value: 'The code is 4711.', sensitivity: 'high' })
  await memory.update({ key: 'x/pin', value: 'There is no code.', sensitivity: 'none' })
  const { events } = await memory.timeline({ keyPrefix: 'x/' })
  expect(events).toMatchObject([{ before: null, after: 'There is no code.' }])
  expect((await memory.timeline({ key: 'x/pin' })).events).toMatchObject([{ after: 'The code is 4711.' }, {}])
})

test('what was scrubbed is told as that it happened', async () => {
  const memory = await openHistory()
  const { version } = await memory.set({ key: 'a', value: 'The gate is green.' })
  await memory.update({ key: 'a', value: 'The gate is red.' })
  await memory.redact('a', version)
  expect((await memory.timeline({ key: 'a' })).events).toMatchObject([
    { happening: 'redacted', before: null, after: null, version },
    { happening: 'revised', before: null, after: 'The gate is red.' },
  ])
})
