import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { MemoryRow } from '../../src/schema/records.js'
import { sql } from '../../worker/store/sql.js'
import { createTestSystem } from '../support/engine.js'
import { ALICE, DAY, type Fields, open, refusal } from '../support/engine-calls.js'

const HOUR = 3_600_000
const GLOBAL = {}

const openKeeping = async (options: Parameters<typeof open>[0] = {}) => {
  const memory = await open(options)
  return {
    ...memory,
    register: (settings: Fields) => memory.call('namespaces.register', settings, GLOBAL),
    later: async (ms: number) => {
      memory.system.advance(ms)
      await memory.settled()
    },
    waiting: () => memory.db.get<{ n: number }>(sql`select count(*) as n from leaving`)?.n,
  }
}

describe('deleting', () => {
  test('answers what it did, can be taken back for 14 days, and a later set begins anew', async () => {
    const memory = await openKeeping()
    const first = await memory.set({ key: 'boat/name', value: 'The boat is called Heron.' })
    const done = { found: true, tombstoned: 1, dependentsTombstoned: 0, dependentsDowngraded: 0 }
    expect(await memory.remove('boat/name')).toMatchObject(done)
    expect(await memory.remove('boat/name')).toMatchObject({ found: false, tombstoned: 0 })
    memory.system.advance(14 * DAY - HOUR)
    expect(await memory.restore('boat/name')).toMatchObject({ id: first.id, status: 'active' })
    await memory.remove('boat/name')
    memory.system.advance(14 * DAY + HOUR)
    await refusal(memory.restore('boat/name'), 'GONE')
    const second = await memory.set({ key: 'boat/name', value: 'The boat is called Otter.' })
    expect(second.id).not.toBe(first.id)
    expect((await memory.get('boat/name'))?.value).toBe('The boat is called Otter.')
    expect((await memory.history('boat/name')).map(({ id }) => id)).toEqual([second.id, ...Array(4).fill(first.id)])
  })
})

describe('a memory with an end', () => {
  test('leaves service at that moment, and is buried in the background where it asks for it', async () => {
    const memory = await openKeeping()
    await memory.set({
      key: 'code/door',
      value: 'The side door opens with the blue key.',
      ttlSeconds: 60,
      onExpire: 'tombstone',
    })
    await memory.set({ key: 'code/gate', value: 'The gate is painted green this week.', ttlSeconds: 60 })
    memory.system.advance(59_000)
    await memory.settled()
    expect(await memory.keys()).toEqual(['code/door', 'code/gate'])
    memory.system.advance(1_000)
    // Before anything has happened in the background.
    expect(await memory.keys()).toEqual([])
    expect(await memory.get('code/door')).toBeNull()
    expect(await memory.found('door key')).toEqual([])
    await memory.settled()
    expect((await memory.history('code/door'))[0]).toMatchObject({
      kind: 'tomb',
      status: 'tombstoned',
      actor: 'process:keeper',
      statusReason: expect.stringContaining('expired') as string,
    })
    expect(await memory.history('code/gate')).toHaveLength(1)
    expect(memory.waiting()).toBe(0)
    expect(memory.audited().at(-1)).toMatchObject({ actor: 'process:keeper' })
  })

  test('with validTo leaves in the same way', async () => {
    const memory = await openKeeping()
    const validTo = new Date(memory.system.now() + HOUR).toISOString()
    await memory.set({ key: 'stay', value: 'Alice stays at the lodge.', validTo, onExpire: 'tombstone' })
    await memory.later(HOUR)
    expect((await memory.history('stay'))[0]?.status).toBe('tombstoned')
  })

  test('stays deleted when the clock is set back, and is kept once somebody brings it back', async () => {
    const memory = await openKeeping()
    await memory.set({
      key: 'pass',
      value: 'The pass for the ferry is in the drawer.',
      ttlSeconds: 60,
      onExpire: 'tombstone',
    })
    await memory.later(HOUR)
    memory.system.advance(-2 * HOUR)
    await memory.settled()
    expect(await memory.get('pass')).toBeNull()
    memory.system.advance(2 * HOUR)
    expect(await memory.restore('pass')).toMatchObject({ status: 'active' })
    await memory.later(HOUR)
    expect(await memory.get('pass')).toMatchObject({ expiresAt: null, onExpire: 'hide' })
  })

  test('is hidden, not deleted, while it is locked or pinned', async () => {
    const memory = await openKeeping()
    const ending = { ttlSeconds: 60, onExpire: 'tombstone' }
    await memory.set({ key: 'a', value: 'The attic lamp is broken.', ...ending })
    await memory.set({ key: 'b', value: 'Bicycles stand behind the barn.', ...ending })
    await memory.pin({ key: 'c', value: 'Crows nest on the chimney.', ...ending })
    await memory.lock('a', { mode: 'no_delete', reason: 'a case is open', ttlSeconds: 7_200 })
    await memory.lock('b', { mode: 'read_only', reason: 'a case is open' })
    await memory.later(HOUR)
    expect(await memory.keys()).toEqual([])
    const statuses = async () => Promise.all(['a', 'b', 'c'].map(async (key) => (await memory.history(key))[0]?.status))
    expect(await statuses()).toEqual(['active', 'active', 'active'])
    await memory.later(HOUR)
    expect(await statuses()).toEqual(['tombstoned', 'active', 'active'])
    await memory.unlock('b')
    await memory.unpin('c')
    await memory.settled()
    expect(await statuses()).toEqual(['tombstoned', 'tombstoned', 'tombstoned'])
  })

  test('lets its duplicates speak again', async () => {
    const memory = await openKeeping()
    const value = 'The library closes at six on Fridays.'
    await memory.set({ key: 'library/friday', value, ttlSeconds: 60 }, { ...ALICE, run: 'r1' })
    await memory.set({ key: 'hours', value }, { ...ALICE, run: 'r2' })
    await memory.set({ key: 'closing', value }, { ...ALICE, run: 'r3' })
    expect((await memory.get('hours'))?.status).toBe('duplicate')
    expect(await memory.keys()).toEqual(['library/friday'])
    await memory.later(HOUR)
    expect(await memory.keys()).toEqual(['hours'])
    expect(await memory.get('closing')).toMatchObject({ status: 'duplicate', duplicateOf: (await memory.get('hours'))?.id })
  })

  test('is dealt with by the next opening when this one ends before', async () => {
    const first = await openKeeping()
    for (let i = 0; i < 250; i++)
      await first.set({ key: `note/${i}`, value: { n: i }, type: 'episodic', ttlSeconds: 60, onExpire: 'tombstone' })
    first.system.advance(HOUR)
    const system = createTestSystem(first.system.now(), 77)
    const second = await openKeeping({ db: first.db, system })
    expect(second.waiting()).toBe(250)
    await second.settled()
    expect(second.waiting()).toBe(0)
    expect(second.db.get(sql`select count(*) as n from heads where status = 'tombstoned'`)).toEqual({ n: 250 })
  })
})

describe('windows', () => {
  test('without one, nothing ever leaves', async () => {
    const memory = await openKeeping()
    await memory.set({ key: 'old', value: 'The mill was built by her grandfather.' })
    await memory.later(3_000 * DAY)
    expect(await memory.keys()).toEqual(['old'])
  })

  test('of a namespace and of a tag hold for what stands there already, and are taken away again', async () => {
    const memory = await openKeeping()
    await memory.set({ key: 'plain', value: 'Plums ripen in August.' })
    await memory.set({ key: 'draft', value: 'The draft ends with a question.', tags: ['scratch'] })
    await memory.call('memory.set', { key: 'far', value: 'Elsewhere it is raining.' }, { namespace: 'other' })
    memory.system.advance(2 * HOUR)
    await memory.register({ tagRegistry: { scratch: { retention: { ttlSeconds: 3_600 } } } })
    expect(await memory.keys()).toEqual(['plain'])
    expect(await memory.get('draft')).toBeNull()
    expect(await memory.found('draft question')).toEqual([])
    await memory.register({ retention: { ttlSeconds: 3_600 }, tagRegistry: null })
    expect(await memory.keys()).toEqual([])
    expect(await memory.keys({}, { namespace: 'other' })).toEqual(['far'])
    await memory.settled()
    await memory.register({ retention: null })
    expect(await memory.keys()).toEqual(['draft', 'plain'])
    expect((await memory.get('draft'))?.expiresAt).toBeNull()
    await memory.register({ retention: { ttlSeconds: 86_400 } })
    const leavesAt = ((await memory.get('plain'))?.updatedAt ?? 0) + DAY
    expect(await memory.call('memory.inspect', { key: 'plain' }, ALICE)).toMatchObject({ leavesAt })
  })

  test('are counted from the newest version, and follow the tags', async () => {
    const memory = await openKeeping()
    await memory.register({ tagRegistry: { scratch: { retention: { ttlSeconds: 3_600, onExpire: 'tombstone' } } } })
    await memory.set({ key: 'k', value: 'The kettle whistles.', tags: ['scratch'] })
    await memory.later(HOUR - 60_000)
    await memory.set({ key: 'k', value: 'The kettle whistles.' })
    await memory.later(HOUR - 60_000)
    expect(await memory.keys()).toEqual(['k'])
    await memory.update({ key: 'k', tags: [] })
    await memory.later(HOUR)
    expect(await memory.keys()).toEqual(['k'])
    await memory.update({ key: 'k', tags: ['scratch'] })
    await memory.later(HOUR)
    expect((await memory.history('k'))[0]).toMatchObject({
      status: 'tombstoned',
      statusReason: expect.stringContaining('namespace') as string,
    })
  })

  test('leave alone what is pinned', async () => {
    const memory = await openKeeping()
    await memory.register({ retention: { ttlSeconds: 60, onExpire: 'tombstone' } })
    await memory.pin({ key: 'p', value: 'Peanuts are out of the question.' })
    await memory.later(HOUR)
    expect(await memory.keys()).toEqual(['p'])
    await memory.unpin('p')
    await memory.later(HOUR)
    expect(await memory.keys()).toEqual([])
  })

  test('go away with a rehearsal', async () => {
    const memory = await openKeeping()
    await memory.set({ key: 'q', value: 'Quinces need a warm wall.' })
    memory.system.advance(HOUR)
    await memory.register({ retention: { ttlSeconds: 60 }, dryRun: true })
    expect(await memory.keys()).toEqual(['q'])
  })

  test.each([
    { retention: { ttlSeconds: 0 } },
    { retention: { ttlSeconds: 1.5 } },
    { retention: {} },
    { retention: { ttlSeconds: 60, onExpire: 'burn' } },
    { tagRegistry: { a: { retention: { days: 3 } } } },
    { tagRegistry: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`t${i}`, {}])) },
  ])('refuse %j', async (settings) => {
    const memory = await openKeeping()
    await refusal(memory.register(settings), 'INVALID_ARGUMENT')
  })

  test('a tag can carry a policy of its own', async () => {
    const memory = await openKeeping()
    await memory.register({
      defaultConflictPolicy: 'newest_wins',
      tagRegistry: { log: { conflictPolicy: 'append_only', thresholds: { conflict: 0.7 } } },
    })
    const { explanation } = await memory.set({ key: 'l', value: 'The lantern is lit.', tags: ['log'] })
    expect(explanation).toMatchObject({ rule: 'append_only', policy: 'append_only', thresholds: { conflict: 0.7 } })
    expect((await memory.set({ key: 'm', value: 'The mast is down.' })).explanation.policy).toBe('newest_wins')
    expect(await memory.call('calibration.get', { tags: ['log'] })).toMatchObject({
      source: 'tag',
      thresholds: { conflict: 0.7 },
    })
  })
})

/** What a memory of the model is. */
interface Modelled {
  end: number | null
  written: number
  fate: 'tombstone' | 'hide'
  tagged: boolean
  gone: boolean
}

const step = () =>
  fc.oneof(
    fc.record({
      do: fc.constant('set' as const),
      key: fc.constantFrom('a', 'b', 'c', 'd'),
      ttl: fc.option(fc.constantFrom(100, 1_000, 10_000)),
      onExpire: fc.constantFrom('tombstone' as const, 'hide' as const),
      tagged: fc.boolean(),
    }),
    fc.record({
      do: fc.constant('window' as const),
      ttl: fc.option(fc.constantFrom(500, 5_000)),
      tag: fc.option(fc.constantFrom(200, 2_000)),
    }),
    fc.record({ do: fc.constant('wait' as const), seconds: fc.constantFrom(50, 150, 600, 6_000), settle: fc.boolean() }),
  )

test('what a window has hidden is deleted all the same when its own end comes', async () => {
  const memory = await openKeeping()
  await memory.register({ tagRegistry: { t: { retention: { ttlSeconds: 200 } } } })
  await memory.set({ key: 'a', value: { n: 1 }, type: 'episodic', tags: ['t'], ttlSeconds: 1_000, onExpire: 'tombstone' })
  for (const status of ['active', 'tombstoned']) {
    memory.system.advance(600_000)
    await memory.settled()
    const [newest] = await memory.call<readonly MemoryRow[]>('memory.history', { key: 'a' }, ALICE)
    expect(newest?.status).toBe(status)
  }
})

test('what is served at any moment is what a model of ends says', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step(), { minLength: 4, maxLength: 14 }), async (steps) => {
      const memory = await openKeeping()
      const model = new Map<string, Modelled>()
      let windows: { all: number | null; tag: number | null } = { all: null, tag: null }
      const leaves = ({ end, written, tagged }: Modelled): number =>
        Math.min(
          end ?? Number.POSITIVE_INFINITY,
          windows.all === null ? Number.POSITIVE_INFINITY : written + windows.all,
          tagged && windows.tag !== null ? written + windows.tag : Number.POSITIVE_INFINITY,
        )
      for (const [n, one] of steps.entries()) {
        if (one.do === 'set') {
          const { key, ttl, onExpire, tagged } = one
          await memory.set({
            key,
            value: { n },
            type: 'episodic',
            tags: tagged ? ['t'] : [],
            onExpire,
            ...(ttl === null ? {} : { ttlSeconds: ttl }),
          })
          const written = (await memory.get(key))?.updatedAt ?? 0
          model.set(key, { end: ttl === null ? null : written + ttl * 1_000, written, fate: onExpire, tagged, gone: false })
        } else if (one.do === 'window') {
          windows = { all: one.ttl === null ? null : one.ttl * 1_000, tag: one.tag === null ? null : one.tag * 1_000 }
          const retention = (ttlSeconds: number | null) => (ttlSeconds === null ? null : { ttlSeconds })
          await memory.register({
            retention: retention(one.ttl),
            tagRegistry: one.tag === null ? null : { t: { retention: { ttlSeconds: one.tag } } },
          })
        } else {
          memory.system.advance(one.seconds * 1_000)
          if (one.settle) {
            await memory.settled()
            for (const held of model.values())
              if (held.fate === 'tombstone' && held.end !== null && held.end <= memory.system.now()) held.gone = true
          }
        }
        const now = memory.system.now()
        const expected = [...model].filter(([, held]) => !held.gone && leaves(held) > now).map(([key]) => key)
        expect(await memory.keys()).toEqual(expected.toSorted())
        for (const key of ['a', 'b', 'c', 'd']) expect((await memory.get(key)) !== null).toBe(expected.includes(key))
      }
      for (const [key, { gone }] of model)
        expect((await memory.call<readonly MemoryRow[]>('memory.history', { key }, ALICE))[0]?.status).toBe(
          gone ? 'tombstoned' : 'active',
        )
    }),
    { numRuns: process.env['LONG'] === undefined ? 25 : 500 },
  )
})
