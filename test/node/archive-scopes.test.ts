import { expect, test } from 'vitest'
import type { ScopePatch } from '../../src/schema/scope.js'
import type { StorageReport } from '../../src/schema/storage.js'
import { contentsOf, linesOf, openElsewhere, versionsIn } from '../support/archives.js'
import { ALICE, MALLORY, refusal } from '../support/engine-calls.js'

const EVERYBODY: readonly ScopePatch[] = [
  {},
  ALICE,
  { ...ALICE, session: 's' },
  { ...ALICE, agent: 'x' },
  MALLORY,
  { user: null },
  { namespace: 'elsewhere', user: 'alice' },
  { org: 'other', user: 'alice' },
]

const nameOf = (scope: ScopePatch): string => JSON.stringify(scope)

/** A store in which everybody has a memory, a rule and a namespace of their own. */
const shared = async () => {
  const memory = await openElsewhere()
  for (const scope of EVERYBODY) {
    await memory.set({ key: 'who', value: `This was written by ${nameOf(scope)}.` }, scope)
    await memory.forbid({ pattern: `forbidden by ${nameOf(scope)}`.slice(0, 200), patternType: 'substring' }, scope)
  }
  for (const namespace of ['default', 'elsewhere'])
    await memory.call('namespaces.register', { namespace, defaultConflictPolicy: 'append_only' })
  return memory
}

const valueOf = (line: string): string => {
  const { body } = JSON.parse(line) as { readonly body?: string }
  return body === undefined ? '' : (JSON.parse(body) as { readonly value: string }).value
}

const writers = (lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) => (valueOf(line) === '' ? [] : [valueOf(line).slice('This was written by '.length, -1)]))

test.each<[title: string, handle: ScopePatch, owned: readonly ScopePatch[], namespaces: number]>([
  ['a handle that is bound to nothing takes out all', {}, EVERYBODY, 2],
  ['one of a namespace takes out all of it', { namespace: 'elsewhere' }, [{ namespace: 'elsewhere', user: 'alice' }], 1],
  ['one of an org takes out all of it', { org: 'other' }, [{ org: 'other', user: 'alice' }], 0],
  [
    'one of a user takes out that user, sessions and agents included, and nothing shared',
    { org: 'local', namespace: 'default', ...ALICE },
    EVERYBODY.slice(1, 4),
    0,
  ],
  ['one of a session takes out that session', { ...ALICE, session: 's' }, [{ ...ALICE, session: 's' }], 0],
  ['one of an agent takes out what it wrote', { agent: 'x' }, [{ ...ALICE, agent: 'x' }], 0],
  ['the anonymous one takes out its own', { user: null }, [{ user: null }], 0],
  ['one of nobody takes out nothing', { user: '' }, [], 0],
])('%s', async (_, handle, owned, namespaces) => {
  const from = await shared()
  const lines = await linesOf(await from.export({}, handle))
  expect(writers(lines)).toEqual(owned.map(nameOf))
  const ofType = (type: string) => lines.filter((line) => line.startsWith(`{"type":"${type}"`)).length
  expect([ofType('version'), ofType('rule'), ofType('namespace')]).toEqual([owned.length, owned.length, namespaces])
})

test('an import takes in what belongs to the handle and counts the rest, into an empty store and into one in use', async () => {
  const from = await shared()
  const archive = await from.export()
  const bound = { org: 'local', namespace: 'default', ...ALICE }
  const restored = await openElsewhere()
  expect(await restored.import(archive, {}, bound)).toMatchObject({
    mode: 'restored',
    memories: 8,
    versions: 3,
    outcomes: { written: 3, outside: 5 },
    rules: 3,
    namespaces: 0,
  })
  const used = await openElsewhere()
  await used.set({ key: 'x', value: 'Alice was here before.' })
  expect(await used.import(archive, {}, bound)).toMatchObject({ mode: 'judged', outcomes: { written: 3, outside: 5 } })
  for (const { db } of [restored, used]) {
    const users = new Set(versionsIn(db).map((version) => [version['org'], version['namespace'], version['user']].join()))
    expect([...users]).toEqual(['=local,=default,=alice'])
    expect(
      JSON.stringify(contentsOf(db), (_, held: unknown) => (typeof held === 'bigint' ? `${held}` : held)),
    ).not.toContain('mallory')
  }
})

test('two users never meet: whatever one imports, the other reads as before', async () => {
  const memory = await openElsewhere()
  await memory.set({ key: 'plan', value: 'Mallory is on the yearly plan.' }, MALLORY)
  const mallory = await memory.history('plan', MALLORY)
  const from = await openElsewhere()
  await from.set({ key: 'plan', value: 'Mallory is on the yearly plan.' })
  await from.set({ key: 'plan', value: 'Mallory is on no plan.' }, MALLORY)
  await from.remove('plan', {}, MALLORY)
  const report = await memory.import(await from.export(), {}, ALICE)
  expect(report.entries).toMatchObject([
    { outcome: 'written', verdict: 'clear' },
    { at: 2, outcome: 'outside' },
  ])
  expect(report.entries[1]).toEqual({ at: 2, outcome: 'outside' })
  expect(await memory.history('plan', MALLORY)).toEqual(mallory)
  expect(await memory.get('plan')).toMatchObject({ value: 'Mallory is on the yearly plan.', scope: { user: 'alice' } })
})

test('a handle that cannot write cannot import', async () => {
  const from = await shared()
  const archive = await from.export()
  const to = await openElsewhere()
  await refusal(to.import(archive, {}, { user: '' }), 'INVALID_ARGUMENT')
  await refusal(to.import(archive, {}, { user: '*' }), 'FORBIDDEN')
  expect(versionsIn(to.db)).toEqual([])
})

test('what is highly sensitive goes out under a passphrase or when it is asked for, and every time is noted', async () => {
  const from = await openElsewhere()
  await from.set({ key: 'card', value: 'The password is hunter2hunter2.', sensitivity: 'high' })
  await from.set({ key: 'was', value: 'It was a secret once.', sensitivity: 'high' })
  await from.update({ key: 'was', sensitivity: 'none' })
  await from.set({ key: 'plain', value: 'Alice lives in Berlin.' })
  const bare = await linesOf(await from.export())
  expect(bare.filter((line) => line.includes('hunter2') || line.includes('secret once'))).toEqual([])
  expect(JSON.parse(bare.at(-1) ?? '')).toMatchObject({ counts: { memories: 1 }, leftOut: { sensitive: 2 } })
  const noted = () => from.audited().filter(({ action, memory_id }) => action === 'memory.export' && memory_id !== null)
  expect(noted()).toEqual([])
  expect(await linesOf(await from.export({ includeSensitive: true }))).toHaveLength(6)
  expect(noted()).toHaveLength(2)
  const to = await openElsewhere()
  const sealed = await from.export({ passphrase: 'open sesame' })
  expect(noted()).toHaveLength(4)
  await to.import(sealed, { passphrase: 'open sesame' })
  expect(await to.get('card')).toMatchObject({ sensitivity: 'high' })
  expect(await to.found('password')).toEqual([])
  expect(await from.export({ passphrase: 'open sesame', includeSensitive: false })).toBeInstanceOf(Blob)
  expect(noted()).toHaveLength(4)
})

test('the storage report says when everything was last exported', async () => {
  const memory = await openElsewhere()
  const lastExportAt = async () => (await memory.call<StorageReport>('memory.storage')).lastExportAt
  await memory.set({ key: 'a', value: 'Alice lives in Berlin.' })
  expect(await lastExportAt()).toBeNull()
  await memory.export({}, ALICE)
  const first = await lastExportAt()
  expect(first).toEqual(expect.any(Number))
  await memory.set({ key: 'b', value: 'Everybody reads this.' }, {})
  await memory.export({}, ALICE)
  expect(await lastExportAt()).toBe(first)
  await memory.export()
  expect(await lastExportAt()).toBeGreaterThan(first ?? 0)
})

test('an export that is no longer wanted ends, and notes nothing', async () => {
  const stop = new AbortController()
  const memory = await openElsewhere({ progress: ({ phase }) => phase === 'export' && stop.abort() })
  await memory.bulk(Array.from({ length: 1_200 }, (_, i) => ({ key: `n/${i}`, value: { number: i } })))
  await refusal(memory.export({}, {}, { signal: stop.signal }), 'ABORTED')
  expect(memory.audited().filter(({ action }) => action === 'memory.export')).toEqual([])
  expect(await memory.call('memory.storage')).toMatchObject({ lastExportAt: null })
})
