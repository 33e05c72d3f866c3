import { describe, expect, test } from 'vitest'
import type { ApplyResult } from '../../src/schema/bulk.js'
import type { AuditReport } from '../../src/schema/namespaces.js'
import type { ListResult, WriteResult } from '../../src/schema/records.js'
import type { ScopePatch } from '../../src/schema/scope.js'
import { indexRecovered } from '../../worker/store/rebuild.js'
import { openElsewhere } from '../support/archives.js'
import { createTestMemory } from '../support/engine.js'
import { ALICE } from '../support/engine-calls.js'
import { NEIGHBOUR_STORES } from '../support/neighbours.js'
import { dump } from '../support/store.js'

const WORD = 'quartzite'
const OTHERS: readonly ScopePatch[] = [
  {},
  { user: 'mallory' },
  { user: null },
  { user: '' },
  { user: 'alice', namespace: 'other' },
  { user: 'mallory', session: 'monday' },
]

const said = (answer: unknown): string =>
  JSON.stringify(answer ?? null, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))

describe.each(NEIGHBOUR_STORES)('$name', ({ write, read, isKept = true }) => {
  test('answers who wrote, and nobody else', async () => {
    const { call } = await createTestMemory()
    await write(call, WORD, ALICE)
    await call('memory.settled')
    for (const answer of await read(call, WORD, ALICE)) expect(said(answer)).toContain(WORD)
    for (const scope of OTHERS)
      for (const look of await Promise.allSettled([read(call, WORD, scope)])) expect(said(look)).not.toContain(`is ${WORD}`)
  })

  test('goes out with an export of its scope alone, and comes back, also beside others', async () => {
    const { call, export: exported } = await openElsewhere()
    await write(call, WORD, ALICE)
    const before = await read(call, WORD, ALICE)
    const archive = await exported({}, ALICE)
    const foreign = await exported({}, { user: 'mallory' })
    for (const isEmpty of [true, false]) {
      const there = await openElsewhere()
      if (!isEmpty) await there.call('profile.set', { label: 'tone', value: 'Plain.' }, ALICE)
      await there.import(foreign)
      for (const answer of await read(there.call, WORD, ALICE)) expect(said(answer)).not.toContain(`is ${WORD}`)
      await there.import(archive)
      const after = await read(there.call, WORD, ALICE)
      for (const [i, answer] of after.entries())
        expect(said(answer).includes(`is ${WORD}`)).toBe(isKept && said(before[i]).includes(`is ${WORD}`))
    }
  })

  test('is read again from the versions alone', async () => {
    const { call, db, system } = await createTestMemory()
    await write(call, WORD, ALICE)
    await call('memory.settled')
    const before = await read(call, WORD, ALICE)
    indexRecovered(db)
    const again = await createTestMemory({ db, system })
    await again.call('memory.settled')
    const after = await read(again.call, WORD, ALICE)
    for (const [i, answer] of after.entries())
      expect(said(answer).includes(`is ${WORD}`)).toBe(said(before[i]).includes(`is ${WORD}`))
  })

  test('is gone from every table once its user is erased', async () => {
    const { call, db } = await createTestMemory()
    await write(call, WORD, ALICE)
    await call('memory.settled')
    expect(said(dump(db))).toContain(WORD)
    await call('memory.forget', { user: 'alice' })
    await call('memory.settled')
    expect(said(dump(db))).not.toContain(WORD)
    for (const answer of await read(call, WORD, ALICE)) expect(said(answer)).not.toContain(`is ${WORD}`)
  })

  test('is passed over by what goes through memories, unless it is asked for', async () => {
    const { call } = await createTestMemory()
    await write(call, WORD, ALICE)
    const filter = { minConfidence: 0 }
    const applied = await call<ApplyResult>('memory.apply', { filter, action: 'delete' }, ALICE)
    expect(applied.matched).toBe(0)
    expect((await call<ListResult>('memory.list', {}, ALICE)).rows).toEqual([])
    expect((await call<AuditReport>('namespaces.audit', {}, ALICE)).looked).toBe(0)
    expect((await call<ListResult>('memory.list', { keyPrefix: '~' }, ALICE)).rows.length > 0).toBe(isKept)
  })

  test('a handle that may not write is refused and leaves nothing', async () => {
    const { call } = await createTestMemory()
    for (const [scope, code] of [
      [{ user: '' }, 'INVALID_ARGUMENT'],
      [{ user: '*' }, 'FORBIDDEN'],
    ] as const)
      await expect(write(call, WORD, scope)).rejects.toMatchObject({ code })
    for (const answer of await read(call, WORD, { user: '*' })) expect(said(answer)).not.toContain(`is ${WORD}`)
  })
})

test('what a statement contradicts is found among memories, however much a document says of it', async () => {
  const { call } = await createTestMemory()
  await call('memory.set', { key: 'kettle/colour', value: 'The kettle in the kitchen is red.' }, ALICE)
  const sections = Array.from({ length: 40 }, (_, i) => `## Part ${i}\n\nThe kettle in the kitchen is blue.`)
  await call('knowledge.add', { document: 'manual', content: sections.join('\n\n') }, ALICE)
  await call('memory.settled')
  const input = { key: 'kitchen/kettle', value: 'The kettle in the kitchen is blue.' }
  const { peers } = await call<WriteResult>('memory.set', input, ALICE)
  expect(peers.map(({ key }) => key)).toEqual(['kettle/colour'])
})
