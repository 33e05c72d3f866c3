import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CallName } from '../../src/protocol/calls.js'
import type { ScopePatch } from '../../src/schema/scope.js'
import type { Db } from '../../worker/ports.js'
import { indexRecovered } from '../../worker/store/rebuild.js'
import { refill } from '../../worker/store/refill.js'
import { sql } from '../../worker/store/sql.js'
import { createTestMemory, openTestDb, type TestMemory } from '../support/engine.js'
import { openTestStore, plant, plantForStrangers, valueOf, wordsOf } from '../support/store.js'

const VALUES = [
  'Alice lives in Berlin.',
  'alice lives in berlin',
  'Mia',
  { zebra: 'last', apple: ['first', 1, null] },
  { situation: 'a leak', steps: ['close', 'call'] },
  'A long story. '.repeat(150),
  'caf\u00e9 au lait, please.',
] as const

interface Step {
  readonly name: CallName
  readonly input: Readonly<Record<string, unknown>>
  readonly scope: ScopePatch
}

const step: fc.Arbitrary<Step> = fc.record({
  name: fc.constantFrom<CallName>(
    'memory.set',
    'memory.set',
    'memory.set',
    'memory.update',
    'memory.delete',
    'memory.restore',
  ),
  scope: fc.constantFrom<ScopePatch>(
    { user: 'alice' },
    { user: 'alice', run: 'r' },
    { user: 'mallory' },
    {},
    { user: 'alice', session: 's' },
  ),
  input: fc.record(
    {
      key: fc.constantFrom('user/a', 'user/b', 'user/c'),
      value: fc.constantFrom(...VALUES),
      type: fc.constantFrom('semantic', 'episodic', 'reflection', 'procedural'),
      tags: fc.subarray(['x', 'Y', 'z']),
      sensitivity: fc.constantFrom('none', 'high'),
      ttlSeconds: fc.constantFrom(1, 100_000),
    },
    { requiredKeys: ['key', 'value'] },
  ),
})

const perform = async (memory: TestMemory, { name, input, scope }: Step): Promise<void> => {
  const target = name === 'memory.delete' || name === 'memory.restore' ? { key: input['key'] } : input
  // Refusals are part of a life; what they leave behind must be derivable too.
  await memory.call(name, target, scope).catch(() => undefined)
}

/** The derived tables, passages by where they stand rather than by number. */
const derived = (db: Db) => ({
  heads: db.all(sql`select * from heads order by memory`),
  tags: db.all(sql`select * from head_tags order by memory, tag`),
  passages: db.all(sql`select memory, first, beyond from passages order by memory, first`),
  words: wordsOf(db),
})

/** The tables of a database as a salvage would read them. */
const readable = (db: Db) => ({
  readableRows: (table: string) => db.all<Record<string, never>>({ text: `select * from ${table}`, values: [] }),
})

test('what is derived again from the versions equals what lived, also in a new file', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 15 }), async (steps) => {
      const memory = await createTestMemory()
      for (const one of steps) await perform(memory, one)
      await memory.call('memory.settled')
      const lived = derived(memory.db)
      const moved = await openTestDb()
      expect(refill(moved, readable(memory.db))).toBe(valueOf(memory.db, sql`select count(*) from versions`))
      expect(derived(moved)).toEqual(lived)
      for (const table of ['versions', 'identities', 'devices', 'audit'])
        expect(readable(moved).readableRows(table)).toEqual(readable(memory.db).readableRows(table))
      memory.db.transaction(() => indexRecovered(memory.db))
      expect(derived(memory.db)).toEqual(lived)
      await moved.close()
      await memory.engine.close()
    }),
    { numRuns: 12 },
  )
}, 30_000)

test('a refilled store serves to each what was theirs, and the background embeds it again', async () => {
  const old = await createTestMemory()
  await old.call('memory.set', { key: 'user/a', value: 'Alice likes green tea.' }, { user: 'alice' })
  await old.call('memory.set', { key: 'user/a', value: 'Mallory likes black tea.' }, { user: 'mallory' })
  const db = await openTestDb()
  refill(db, readable(old.db))
  const memory = await createTestMemory({ db, system: old.system })
  await memory.call('memory.settled')
  expect(valueOf(db, sql`select count(*) from vectors`)).toBe(2)
  const { hits } = await memory.call<{ hits: { value: string }[] }>('memory.search', { query: 'tea' }, { user: 'alice' })
  expect(hits.map(({ value }) => value)).toEqual(['Alice likes green tea.'])
  expect(await memory.call('memory.get', { key: 'user/a' }, { user: 'bob' })).toBeNull()
})

test('a version whose identity was lost is kept, and no handle sees it', async () => {
  const store = await openTestStore()
  const own = plant(store, { value: 'hers' })
  const [stranger] = plantForStrangers(store, { value: 'not hers' })
  const db = await openTestDb()
  const tables = readable(store.db)
  refill(db, {
    readableRows: (table) =>
      tables.readableRows(table).filter((row) => table !== 'identities' || row['identity'] !== (own.identity as never)),
  })
  expect(valueOf(db, sql`select count(*) from versions where identity = ${own.identity}`)).toBe(1)
  const again = await openTestStore({ db, system: store.system })
  const everything = again.book.visible({ user: '*', session: '*' }).map(({ identity }) => identity)
  expect(everything).not.toContain(own.identity)
  expect(everything).toContain(stranger?.identity)
})

test('what was of use is kept with the memories that are, and an identity that was lost is given to nobody else', async () => {
  const old = await createTestMemory()
  const ids: Record<string, string> = {}
  for (const key of ['kept', 'lost']) {
    const { id } = await old.call<{ id: string }>('memory.set', { key, value: `${key} tea` })
    ids[key] = id
    await old.call('memory.outcome', { key, outcome: 'helped' }, { user: 'alice' })
  }
  const tables = readable(old.db)
  const db = await openTestDb()
  refill(db, {
    readableRows: (table) =>
      tables
        .readableRows(table)
        .filter((row) => table !== 'identities' || row['user'] !== ('=alice' as never))
        .filter((row) => table !== 'versions' || row['memory_id'] !== (ids['lost'] as never)),
  })
  expect(db.all(sql`select u.helped, h.key from usage u left join heads h using (memory)`)).toEqual([
    { helped: 1, key: 'kept' },
  ])
  const memory = await createTestMemory({ db, system: old.system })
  await memory.call('memory.set', { key: 'a', value: 'Mallory likes black tea.' }, { user: 'mallory' })
  const { hits } = await memory.call<{ hits: { boost: number }[] }>('memory.search', { query: 'tea' }, { user: 'mallory' })
  expect(hits.map(({ boost }) => boost)).toEqual([0, 0])
  const { rows } = await memory.call<{ rows: { action: string; scope: object }[] }>('audit.list', {}, { user: 'mallory' })
  expect(rows.map(({ action }) => action)).toEqual(['memory.set', 'memory.set'])
})

test('a version whose device was lost keeps its place in the counters', async () => {
  const store = await openTestStore()
  const own = plant(store, {})
  const db = await openTestDb()
  const tables = readable(store.db)
  refill(db, { readableRows: (table) => (table === 'devices' ? [] : tables.readableRows(table)) })
  expect(db.all(sql`select last_dseq, last_ver from devices`)).toEqual([{ last_dseq: own.dseq, last_ver: Number(own.ver) }])
  const again = await openTestStore({ db, system: store.system })
  const next = plant(again, { nowMs: 0, value: 'later' })
  expect(next.ver > own.ver).toBe(true)
})

test('rows that do not fit are left out and the others are kept', async () => {
  const store = await openTestStore()
  const own = plant(store, {})
  plantForStrangers(store, {})
  const db = await openTestDb()
  const tables = readable(store.db)
  const count = refill(db, {
    readableRows: (table) =>
      tables
        .readableRows(table)
        .map((row) => (table === 'versions' && row['row'] === (own.row as never) ? { ...row, ver: 'x' as never } : row)),
  })
  expect(count).toBe(store.counters.dseq - 1)
  expect(db.get(sql`select 1 from versions where row = ${own.row}`)).toBeUndefined()
})
