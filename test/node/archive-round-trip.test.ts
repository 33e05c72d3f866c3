import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { HistoryEntry, ListResult, SearchResult } from '../../src/schema/records.js'
import type { ScopePatch } from '../../src/schema/scope.js'
import { sql } from '../../worker/store/sql.js'
import { jsonValue } from '../support/arbitraries.js'
import { forged, headsIn, linesOf, openElsewhere, versionsIn } from '../support/archives.js'
import { ALICE } from '../support/engine-calls.js'

const LONG = process.env.LONG === '1'
const SCOPES: readonly ScopePatch[] = [
  {},
  ALICE,
  { user: 'bob', agent: 'x' },
  { user: null },
  { user: 'alice', session: 's' },
]
const KEYS = ['user/home/city', 'user/diet', 'a', 'b/é']

type Memory = Awaited<ReturnType<typeof openElsewhere>>

const text = fc.oneof(
  fc.constantFrom('Alice lives in Delhi.', 'Alice lives in Berlin.', 'Alice loves plums.', 'Alice hates plums.', 'Mia'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
)
const value = fc.oneof({ weight: 3, arbitrary: text }, jsonValue())
const content = fc.record(
  {
    value,
    tags: fc.uniqueArray(fc.constantFrom('Home', 'food', 'π'), { maxLength: 3 }),
    confidence: fc.constantFrom(0.25, 1),
    type: fc.constantFrom('semantic', 'preference', 'episodic', 'procedural'),
    sensitivity: fc.constantFrom('none', 'medium', 'high'),
    validAt: fc.constantFrom('2024-05-01T00:00:00Z', '2024-05', '2024-05-01'),
    expiresAt: fc.constantFrom('2026-01-01T00:00:05Z', '2030-01-01T00:00:00Z'),
  },
  { requiredKeys: ['value'] },
)
interface Step {
  readonly call: 'set' | 'update' | 'delete' | 'restore' | 'pin' | 'unpin' | 'lock' | 'unlock' | 'reject' | 'redact'
  readonly key: string
  readonly content: object
  readonly scope: ScopePatch
}
const step: fc.Arbitrary<Step> = fc.record({
  call: fc.constantFrom<Step['call'][]>(
    'set',
    'set',
    'set',
    'update',
    'delete',
    'restore',
    'pin',
    'unpin',
    'lock',
    'unlock',
    'reject',
    'redact',
    'redact',
  ),
  key: fc.constantFrom(...KEYS),
  content,
  scope: fc.constantFrom(...SCOPES),
})

/** Steps that are refused change nothing, and are as good as any. */
const take = async ({ call }: Memory, steps: readonly Step[]): Promise<void> => {
  for (const { call: name, key, content: given, scope } of steps) {
    const oldest = name === 'redact' ? (await call<readonly HistoryEntry[]>('memory.history', { key }, scope)).at(-1) : null
    const input = {
      redact: { key, version: oldest?.version, reason: 'She asked for it.' },
      set: { key, ...given },
      pin: { key, ...given },
      update: { key, ...given },
      lock: { key, mode: 'no_delete', reason: 'kept' },
      reject: { key, reason: 'wrong' },
      delete: { key },
      restore: { key },
      unpin: { key },
      unlock: { key },
    }[name]
    await call(`memory.${name}`, input, scope).catch(() => undefined)
  }
}

const seenBy = async ({ call }: Memory) => {
  const seen: unknown[] = []
  for (const scope of SCOPES) {
    const flags = { includeDuplicates: true, includeSuperseded: true, includeProposed: true, limit: 1000 }
    const { rows } = await call<ListResult>('memory.list', flags, scope)
    const histories: (readonly HistoryEntry[])[] = []
    for (const key of KEYS) histories.push(await call('memory.history', { key }, scope))
    const found: unknown[] = []
    for (const query of ['where does she live?', 'plums', 'Mia'])
      for (const legs of [['lexical'], ['vector', 'lexical']]) {
        const { hits, abstained } = await call<SearchResult>('memory.search', { query, legs, limit: 50 }, scope)
        found.push([abstained, hits.map(({ id }) => id).toSorted()])
      }
    seen.push([rows, histories, found, await call('memory.verifyHistory', {}, scope)])
  }
  return seen
}

test('a store that was restored is the one that was exported: versions, hashes, heads, lists, histories, searches', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), fc.boolean(), async (steps, encrypted) => {
      const from = await openElsewhere()
      await take(from, steps)
      await from.settled()
      const passphrase = 'correct horse'
      const archive = await from.export(encrypted ? { passphrase } : { includeSensitive: true })
      const to = await openElsewhere()
      const report = await to.import(archive, encrypted ? { passphrase } : {})
      expect(report.mode).toBe('restored')
      expect(report.versions).toBe(versionsIn(from.db).length)
      await to.settled()
      expect(versionsIn(to.db)).toEqual(versionsIn(from.db))
      expect(headsIn(to.db)).toEqual(headsIn(from.db))
      // The clocks of both stores stand at the same time, so that what ends has ended in both.
      to.system.advance(from.system.now() - to.system.now())
      expect(await seenBy(to)).toEqual(await seenBy(from))
      const again = await to.export({ includeSensitive: true })
      const lines = await linesOf(again)
      expect(lines.filter((line) => line.includes('"type":"version"'))).toEqual(
        (await linesOf(await from.export({ includeSensitive: true }))).filter((line) => line.includes('"type":"version"')),
      )
    }),
    { numRuns: LONG ? 200 : 12 },
  )
}, 600_000)

test('a store goes on after it was restored: newer versions, its own device, chains that hold', async () => {
  const from = await openElsewhere()
  await from.set({ key: 'a', value: 'Alice lives in Delhi.' })
  const to = await openElsewhere()
  await to.import(await from.export())
  const [before] = await to.history('a')
  await to.set({ key: 'a', value: 'Alice lives in Berlin.' })
  const [after] = await to.history('a')
  expect(BigInt(after?.version ?? 0)).toBeGreaterThan(BigInt(before?.version ?? 0))
  expect(after).toMatchObject({ prevSha256: before?.sha256, parents: [before?.rowId], rowId: `${to.engine.deviceId}.1` })
  // And once more, with the rows of two devices.
  const third = await openElsewhere()
  await third.import(await to.export())
  expect(await third.history('a')).toEqual(await to.history('a'))
})

test('what is dated far ahead is restored as it is, and does not carry the clock of the store along', async () => {
  const from = await openElsewhere()
  from.system.advance(1_000 * 86_400_000)
  await from.set({ key: 'a', value: 'From a clock that is three years ahead.' })
  const to = await openElsewhere()
  await to.import(await from.export())
  const ahead = (await to.history('a'))[0]
  await to.set({ key: 'b', value: 'Now.' })
  const [now] = await to.history('b')
  expect(BigInt(now?.version ?? 0)).toBeLessThan(BigInt(ahead?.version ?? 0))
  await to.set({ key: 'a', value: 'Still on top of it.' })
  expect(await to.get('a')).toMatchObject({ value: 'Still on top of it.' })
})

test('rules and what namespaces have settled come along; a pattern that no store would take does not', async () => {
  const from = await openElsewhere()
  await from.forbid({ pattern: 'falcon', patternType: 'substring', reason: 'secret' })
  await from.forbid({ pattern: 'osp[r]ey', patternType: 'regex' }, {})
  await from.call('namespaces.register', { defaultConflictPolicy: 'append_only' })
  await from.set({ key: 'a', value: 'A memory.' })
  const to = await openElsewhere()
  expect(await to.import(await from.export())).toMatchObject({ rules: 2, namespaces: 1 })
  expect(await to.rules()).toEqual(await from.rules())
  const settled = await from.call<object>('namespaces.get')
  expect(await to.call('namespaces.get')).toEqual(settled)
  await expect(to.set({ key: 'b', value: 'Project Falcon.' })).rejects.toMatchObject({ code: 'BLACKLISTED' })

  const hostile = (await linesOf(await from.export())).map((line) => line.replace('osp[r]ey', '(?=osprey)'))
  const other = await openElsewhere()
  expect(await other.import(forged(hostile))).toMatchObject({ rules: 1 })
})

test('thousands of memories come in batches, and both ways tell how far they are', async () => {
  const count = LONG ? 100_000 : 3_000
  const seen: { phase: string; ratio: number }[] = []
  const from = await openElsewhere({ progress: ({ phase, ratio }) => void seen.push({ phase, ratio }) })
  await from.call('namespaces.register', { defaultConflictPolicy: 'append_only' })
  for (let start = 0; start < count; start += 10_000) {
    const entries = Array.from({ length: Math.min(10_000, count - start) }, (_, i) => ({
      key: `n/${start + i}`,
      value: `Memory number ${start + i} is about topic ${(start + i) % 97}.`,
    }))
    expect((await from.bulk(entries)).failed).toBe(0)
  }
  const archive = await from.export()
  const to = await openElsewhere({ progress: ({ phase, ratio }) => void seen.push({ phase, ratio }) })
  expect(await to.import(archive)).toMatchObject({ mode: 'restored', versions: count, outcomes: { written: count } })
  expect(versionsIn(to.db)).toEqual(versionsIn(from.db))
  await to.settled()
  expect((await to.call<SearchResult>('memory.search', { query: 'number 1234' }, ALICE)).hits[0]?.key).toBe('n/1234')
  for (const phase of ['export', 'check', 'import']) {
    const ratios = seen.filter((one) => one.phase === phase).map(({ ratio }) => ratio)
    expect(ratios.length, phase).toBeGreaterThan(2)
    expect(ratios, phase).toEqual(ratios.toSorted((a, b) => a - b))
    expect(ratios.at(-1), phase).toBe(1)
  }
}, 1_200_000)

test('what was redacted stays so, with who did it and why, and its chain holds', async () => {
  const from = await openElsewhere()
  for (const value of ['Her number is 030 1234567.', 'Her number is not for anybody.'])
    await from.set({ key: 'phone', value, sensitivity: 'none' })
  await from.set({ key: 'gone', value: 'It was buried with what it said.' })
  await from.remove('gone')
  for (const key of ['phone', 'gone']) {
    const [, said] = await from.history(key)
    await from.call('memory.redact', { key, version: said?.version, reason: 'She asked for it.' }, ALICE)
  }
  const archive = await from.export()
  expect((await linesOf(archive)).join()).not.toMatch(/1234567|was buried/)
  const to = await openElsewhere()
  await to.import(archive)
  for (const key of ['phone', 'gone']) {
    expect((await to.history(key))[1]).toMatchObject({ value: null, redacted: { reason: 'She asked for it.' } })
    expect(await to.history(key)).toEqual(await from.history(key))
  }
  expect(await to.call('memory.verifyHistory', {}, ALICE)).toEqual(await from.call('memory.verifyHistory', {}, ALICE))
  const used = await openElsewhere()
  await used.set({ key: 'other', value: 'Something is here already.' })
  expect(await used.import(archive)).toMatchObject({ outcomes: { written: 1, known: 1 } })
})

test('what came of using a memory comes along with who told it', async () => {
  const from = await openElsewhere()
  for (const name of ['a', 'b']) await from.set({ key: name, value: `The ${name} recipe is for plum cake.` })
  await from.call('memory.outcome', { key: 'b', outcome: 'helped' }, ALICE)
  const usage = sql`select h.memory_id, i.user, u.helped, u.harmed, u.uses, u.at from usage u join heads h on h.memory = u.memory
    join identities i on i.identity = u.identity`
  expect(from.db.all(usage)).toHaveLength(1)
  const to = await openElsewhere()
  await to.import(await from.export())
  expect(to.db.all(usage)).toEqual(from.db.all(usage))
  const others = await openElsewhere()
  await others.import(await from.export(), {}, { user: 'bob' })
  expect(others.db.all(usage)).toEqual([])
})

test('what damage has taken from a store leaves a gap, and the rest can be exported and restored', async () => {
  const from = await openElsewhere()
  for (const city of ['Delhi', 'Berlin', 'Oslo']) await from.set({ key: 'a', value: `Alice lives in ${city}.` })
  from.db.script(`update versions set body = replace(body, 'Berlin', 'Bernau') where body like '%Berlin%'`)
  const archive = await from.export()
  expect(JSON.parse((await linesOf(archive)).at(-1) ?? '')).toMatchObject({
    leftOut: { damaged: 1 },
    counts: { versions: 2 },
  })
  const to = await openElsewhere()
  await to.import(archive)
  expect((await to.history('a')).map((entry) => entry.value)).toEqual(['Alice lives in Oslo.', 'Alice lives in Delhi.'])
})
