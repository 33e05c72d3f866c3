import { expect, test } from 'vitest'
import { ALICE, MALLORY, refusal } from '../support/engine-calls.js'
import { openHistory } from '../support/history.js'

const RUN = { ...ALICE, run: 'r1' }

test('the last write is taken back by a new version, and taking that back brings it again', async () => {
  const memory = await openHistory()
  await memory.set({ key: 'city', value: 'Alice lives in Delhi.', tags: ['home'] })
  await memory.set({ key: 'city', value: 'Alice lives in Berlin.', tags: ['now'] })
  const undone = await memory.undo({ lastN: 1 })
  expect(undone).toMatchObject({ counts: { revert: 1, restore: 0, tombstone: 0, keep: 0 }, dryRun: false })
  expect(undone.rows).toMatchObject([{ key: 'city', action: 'revert', reason: null }])
  expect(await memory.get('city')).toMatchObject({ value: 'Alice lives in Delhi.', tags: ['home'] })
  expect(await memory.history('city')).toHaveLength(3)
  expect(await memory.found('Delhi')).toEqual(['city'])
  await memory.undo({ lastN: 1 })
  expect(await memory.get('city')).toMatchObject({ value: 'Alice lives in Berlin.', tags: ['now'] })
  expect(await memory.found('Delhi')).toEqual([])
  expect((await memory.verify()).ok).toBe(true)
})

test('a plan names what would become of each memory, and changes nothing', async () => {
  const memory = await openHistory()
  await memory.set({ key: 'a', value: 'The gate is green.' })
  const before = await memory.get('a')
  const plan = await memory.call('memory.undo', { lastN: 1 }, ALICE)
  expect(plan).toMatchObject({
    dryRun: true,
    batch: null,
    counts: { tombstone: 1 },
    rows: [{ key: 'a', action: 'tombstone', from: { status: 'active', contentSha256: before?.contentSha256 }, to: null }],
  })
  expect(await memory.get('a')).toEqual(before)
})

test('a run is taken back where it still stands, and what others wrote since is left and told', async () => {
  const memory = await openHistory()
  await memory.set({ key: 'a', value: 'The gate is green.' })
  await memory.set({ key: 'a', value: 'The gate is red.' }, RUN)
  await memory.set({ key: 'b', value: 'The roof leaks.' }, RUN)
  await memory.set({ key: 'c', value: 'The lawn is long.' }, RUN)
  await memory.update({ key: 'c', tags: ['garden'] })
  await memory.remove('a', {}, RUN)
  const { rows, counts } = await memory.undo({ run: 'r1' })
  expect(counts).toEqual({ restore: 1, revert: 0, tombstone: 1, keep: 1 })
  expect(rows.map(({ key, action, reason }) => [key, action, reason])).toEqual([
    ['a', 'restore', null],
    ['b', 'tombstone', null],
    ['c', 'keep', 'changed_since'],
  ])
  expect(await memory.served()).toMatchObject({ a: { value: 'The gate is green.' }, c: { tags: ['garden'] } })
  expect(await memory.get('b')).toBeNull()
})

test('an origin is taken back also where it said the same twice, and where its memory was pinned by it', async () => {
  const memory = await openHistory()
  await memory.pin({ key: 'a', value: 'Pay invoices to account 111.' })
  await memory.update({ key: 'a', value: 'Pay invoices to account 999.', origin: 'https://evil.example' })
  for (let i = 0; i < 2; i++) await memory.set({ key: 'b', value: 'The door code is 0000.', origin: 'https://evil.example' })
  await memory.set({ key: 'c', value: 'The roof leaks.', origin: 'https://good.example' })
  const { counts } = await memory.undo({ origin: 'https://evil.example' })
  expect(counts).toMatchObject({ revert: 1, tombstone: 1, keep: 0 })
  expect(await memory.get('a')).toMatchObject({ value: 'Pay invoices to account 111.', pinned: true })
  expect(Object.keys(await memory.served())).toEqual(['a', 'c'])
})

test('a bulk write of several transactions is one batch, also when it is repeated, and a stranger has none of that name', async () => {
  const memory = await openHistory()
  await memory.set({ key: 'n/0', value: 'Before the import.', type: 'episodic' })
  const entries = Array.from({ length: 600 }, (_, i) => ({ key: `n/${i}`, value: i, type: 'episodic' }))
  const { batch } = await memory.bulk(entries, { idempotencyKey: 'import' })
  expect((await memory.bulk(entries, { idempotencyKey: 'import' })).batch).toBe(batch)
  await memory.set({ key: 'other', value: 'The roof leaks.' })
  await refusal(memory.undo({ batch }, MALLORY), 'NOT_FOUND')
  await refusal(memory.undo({ batch: `${'0'.repeat(16)}.1` }), 'NOT_FOUND')
  expect((await memory.audited()).at(-1)).toMatchObject({ action: 'memory.undo', outcome: 'NOT_FOUND' })
  const { rows, counts, nextCursor } = await memory.undo({ batch, limit: 100 })
  expect(counts).toEqual({ restore: 0, revert: 1, tombstone: 599, keep: 0 })
  expect([rows.length, nextCursor]).toEqual([100, expect.any(String)])
  expect(await memory.keys()).toEqual(['n/0', 'other'])
  expect(await memory.get('n/0')).toMatchObject({ value: 'Before the import.' })
})

test('a bulk write that wrote nothing, or was only rehearsed, has no name', async () => {
  const memory = await openHistory()
  expect((await memory.bulk([{ key: '/bad', value: 1 }])).batch).toBeNull()
  expect((await memory.bulk([{ key: 'a', value: 'The roof leaks.' }], { dryRun: true })).batch).toBeNull()
})

test('what the background made of a write goes with it', async () => {
  const memory = await openHistory()
  await memory.set({ key: 'old', value: 'Alice lives in Delhi.' })
  const before = await memory.served()
  await memory.set({ key: 'new', value: 'Alice lives in Berlin.' })
  await memory.settled()
  expect(await memory.getById((await memory.history('old'))[0]?.id ?? '')).toMatchObject({ status: 'superseded' })
  await memory.undo({ lastN: 1 })
  expect(await memory.served()).toEqual(before)
})

test('a lock of another actor, or one that stood before, holds; a lock of the writes goes with them', async () => {
  const memory = await openHistory()
  await memory.set({ key: 'mine', value: 'The gate is green.' })
  await memory.set({ key: 'theirs', value: 'The roof leaks.' })
  await memory.lock('mine', { mode: 'read_only', reason: 'final' })
  await memory.lock('theirs', { mode: 'no_delete', reason: 'final' }, { ...ALICE, actor: 'human:bo' })
  const { rows } = await memory.undo({ lastN: 4 })
  expect(rows.map(({ key, action, reason }) => [key, action, reason])).toEqual([
    ['mine', 'tombstone', null],
    ['theirs', 'keep', 'locked'],
  ])
})

test('what a rule forbids, what was scrubbed and what has lost its key to another is left and told', async () => {
  const memory = await openHistory()
  await memory.set({ key: 'a', value: 'Project falcon starts.' })
  await memory.set({ key: 'b', value: 'The gate is green.' })
  await memory.set({ key: 'c', value: 'The roof leaks.' })
  const [scrubbed] = await memory.history('b')
  for (const key of ['a', 'b', 'c']) await memory.set({ key, value: `The ${key} is something else.` }, RUN)
  await memory.remove('c', {}, RUN)
  await memory.set({ key: 'c', value: 'A memory of its own now.' })
  await memory.forbid({ pattern: 'falcon', patternType: 'substring' })
  await memory.redact('b', scrubbed?.version ?? '')
  const { rows } = await memory.undo({ run: 'r1' })
  expect(rows.map(({ key, action, reason }) => [key, action, reason])).toEqual([
    ['a', 'keep', 'blacklisted'],
    ['b', 'keep', 'redacted'],
    ['c', 'keep', 'key_taken'],
  ])
})

test('a handle takes back what its own scope wrote and nothing else', async () => {
  const memory = await openHistory()
  await memory.set({ key: 'a', value: 'The gate is green.' }, RUN)
  await memory.set({ key: 'a', value: 'The gate is red.' }, { ...MALLORY, run: 'r1' })
  expect((await memory.undo({ run: 'r1' }, MALLORY)).counts).toMatchObject({ tombstone: 1 })
  expect(await memory.get('a')).toMatchObject({ value: 'The gate is green.' })
  expect((await memory.undo({ lastN: 50 }, {})).rows).toEqual([])
  await refusal(memory.undo({ lastN: 1 }, { user: '*' }), 'FORBIDDEN')
})

test('a repeated undo under one idempotency key is one', async () => {
  const memory = await openHistory()
  await memory.set({ key: 'a', value: 'The gate is green.' })
  const first = await memory.undo({ lastN: 1, idempotencyKey: 'once' })
  expect(await memory.undo({ lastN: 1, idempotencyKey: 'once' })).toEqual(first)
  expect(await memory.get('a')).toBeNull()
})

test('the deletion that is brought back keeps the value that it buried', async () => {
  const memory = await openHistory()
  await memory.set({ key: 'a', value: 'The gate is green.' })
  await memory.remove('a')
  await memory.restore('a')
  await memory.update({ key: 'a', value: 'The gate is red.' })
  await memory.undo({ lastN: 2 })
  expect(await memory.get('a')).toBeNull()
  await memory.restore('a')
  expect(await memory.get('a')).toMatchObject({ value: 'The gate is green.' })
})
