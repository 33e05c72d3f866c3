import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ImportReport } from '../../src/schema/archive.js'
import type { ErasuresResult, ForgetResult, UserProfile } from '../../src/schema/erasing.js'
import type { ListResult } from '../../src/schema/records.js'
import type { ScopePatch } from '../../src/schema/scope.js'
import { HELD_BY_IDENTITY, HELD_BY_MEMORY, HOLDS_NOTHING } from '../../worker/store/erasing.js'
import { pendingErasure } from '../../worker/store/erasures.js'
import { sql } from '../../worker/store/sql.js'
import { createTestSystem } from '../support/engine.js'
import { ALICE, type Fields, MALLORY, open, refusal } from '../support/engine-calls.js'
import { openExportedDb } from '../support/exported-db.js'

const LONG = process.env['LONG'] === '1'

/** Words that share no beginning with others, so that the word index writes them out but for a letter or two. */
const SECRET = 'qxvkzpwm jwqzkfyt'
const STEMS = ['xvkzpwm', 'wqzkfyt']
const ROOT: ScopePatch = {}

const openErasing = async (options: Parameters<typeof open>[0] = {}) => {
  const memory = await open(options)
  return {
    ...memory,
    forget: (input: Fields, scope = ROOT) => memory.call<ForgetResult>('memory.forget', input, scope),
    receipts: async () => (await memory.call<ErasuresResult>('erasures.list')).erasures,
    profile: (user: string | null) => memory.call<UserProfile>('users.profile', { user }),
    verified: async (scope = ROOT) => memory.call<{ ok: boolean }>('memory.verifyHistory', {}, scope),
  }
}

test('every table is known to erasure', async () => {
  const { db } = await openErasing()
  const tables = db.all<{ name: string }>(
    sql`select name from pragma_table_list where schema = 'main' and name not like 'sqlite_%' and name not like 'lexicon_%' and type <> 'view'`,
  )
  const known = new Set([HELD_BY_MEMORY, HELD_BY_IDENTITY, HOLDS_NOTHING].flatMap((tables) => Object.keys(tables)))
  expect(tables.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([])
})

test('of what was erased no byte is in the file, and everything else stays', async () => {
  const { db, holds } = await openExportedDb()
  const memory = await openErasing({ db })
  const own = { user: 'qxvkzpwm-alice', session: 'wqzkfyt-1' }
  const scopes = [{ user: own.user }, own, { user: own.user, agent: 'wqzkfyt-agent' }]
  await memory.set({ key: 'roof', value: 'The roof leaks.' }, ROOT)
  await memory.set({ key: 'other', value: 'The roof leaks.' }, MALLORY)
  for (const [i, scope] of scopes.entries()) {
    const said = await memory.set(
      { key: `xvkzpwm/${i}`, value: `Her code is ${SECRET}.`, tags: [SECRET], entities: [SECRET], idempotencyKey: 'one' },
      scope,
    )
    await memory.set({ key: 'long', value: { text: `Her code is ${SECRET}.`.repeat(300) } }, scope)
    await memory.update({ key: `xvkzpwm/${i}`, value: `Her code was ${SECRET} before.` }, scope)
    if (i === 0) await memory.call('memory.redact', { key: `xvkzpwm/${i}`, version: said.version, reason: SECRET }, scope)
    await memory.remove('long', {}, scope)
    await memory.call('memory.outcome', { key: 'roof', outcome: 'helped' }, scope)
    await memory.call('memory.ask', { question: `What is her code, ${SECRET}?` }, scope)
  }
  for (const scope of scopes)
    await memory.forbid({ pattern: SECRET.toUpperCase(), patternType: 'substring', reason: SECRET }, scope)
  for (let i = 0; i < 40; i++) await memory.set({ key: `fill/${i}`, value: i }, ROOT)
  await memory.settled()
  for (const text of [SECRET, ...STEMS]) expect([text, holds(text)]).toEqual([text, true])

  const receipt = await memory.forget({ user: own.user, reason: 'she asked for it' })
  for (const text of [SECRET, ...STEMS]) expect([text, holds(text)]).toEqual([text, false])
  expect(receipt).toMatchObject({ kind: 'user', state: 'done', reason: 'she asked for it', dryRun: false })
  expect(receipt.counts).toMatchObject({ memories: 6, rules: 3, identities: 3, usage: 2 })
  expect(receipt.counts.versions).toBeGreaterThanOrEqual(12)
  expect(receipt.notReached).toEqual(['exports', 'backups', 'other_devices', 'damaged_copies'])
  expect(await memory.receipts()).toMatchObject([{ id: receipt.id, counts: receipt.counts, state: 'done' }])
  expect(JSON.stringify(await memory.receipts())).not.toContain('alice')

  for (const scope of scopes) expect(await memory.keys({}, scope)).toContain('roof')
  expect((await memory.call<ListResult>('memory.list', { tiers: ['user', 'session'] }, own)).rows).toEqual([])
  expect(await memory.get('other', MALLORY)).toMatchObject({ value: 'The roof leaks.' })
  expect(await memory.found('leaks', {}, ROOT)).toEqual(['roof'])
  expect(await memory.verified()).toMatchObject({ ok: true })
  expect(db.get(sql`pragma integrity_check`)).toEqual({ integrity_check: 'ok' })
}, 60_000)

describe('what is forgotten', () => {
  const filled = async () => {
    const memory = await openErasing()
    for (const [scope, key] of [
      [ROOT, 'health/a'],
      [ALICE, 'health/b'],
      [ALICE, 'home'],
      [{ ...ALICE, session: 's1' }, 'health/c'],
      [{ ...ALICE, session: 's2' }, 'note'],
      [{ user: null }, 'anonymous'],
      [MALLORY, 'health/d'],
      [{ namespace: 'other', user: 'alice' }, 'health/e'],
    ] as const)
      await memory.set({ key, value: `The text of ${key} says nothing.` }, scope)
    const everything = () => memory.db.all<{ key: string }>(sql`select key from heads order by key`).map(({ key }) => key)
    return { ...memory, everything }
  }
  const ALL = ['anonymous', 'health/a', 'health/b', 'health/c', 'health/d', 'health/e', 'home', 'note']

  test.each<[string, Fields, ScopePatch, readonly string[]]>([
    ['a user of the namespace', { user: 'alice' }, ROOT, ['health/b', 'health/c', 'home', 'note']],
    ['the handle’s own user', { user: 'alice' }, ALICE, ['health/b', 'health/c', 'home', 'note']],
    ['the anonymous ones', { user: null }, ROOT, ['anonymous']],
    ['a session', { session: 's1' }, ALICE, ['health/c']],
    ['a namespace', { namespace: 'other' }, ROOT, ['health/e']],
    ['keys of the handle’s own scope', { keyPrefix: 'health/' }, ALICE, ['health/b']],
    ['keys of everybody’s', { keyPrefix: 'health/' }, ROOT, ['health/a']],
    ['keys of a user, in every session', { user: 'alice', keyPrefix: 'health/' }, ROOT, ['health/b', 'health/c']],
    ['a user of another namespace', { user: 'alice' }, { namespace: 'other' }, ['health/e']],
    ['somebody who is not there', { user: 'zoe' }, ROOT, []],
  ])('is %s', async (_, input, scope, gone) => {
    const memory = await filled()
    expect((await memory.forget({ ...input, dryRun: true }, scope)).counts.memories).toBe(gone.length)
    expect(memory.everything()).toEqual(ALL)
    expect(await memory.receipts()).toEqual([])
    memory.events.length = 0
    const { counts } = await memory.forget(input, scope)
    expect(counts.memories).toBe(gone.length)
    expect(memory.everything()).toEqual(ALL.filter((key) => !gone.includes(key)))
    expect(memory.events.map(({ key }) => key).toSorted()).toEqual(gone)
  })

  test('is what was written before an instant, where one is given', async () => {
    const memory = await filled()
    const before = new Date(memory.system.now() + 500).toISOString()
    memory.system.advance(1_000)
    await memory.set({ key: 'home', value: 'Alice lives in Berlin.' })
    await memory.call('users.erase', { user: 'alice', before })
    expect(memory.everything()).toEqual(['anonymous', 'health/a', 'health/d', 'health/e', 'home'])
  })

  test.each<[Fields, ScopePatch]>([
    [{ user: 'mallory' }, ALICE],
    [{ namespace: 'other' }, { namespace: 'mine' }],
    [{ session: 's2' }, { ...ALICE, session: 's1' }],
  ])('is not %j for a handle of %j', async (input, scope) => {
    const memory = await filled()
    expect(await refusal(memory.forget(input, scope), 'FORBIDDEN')).toEqual({ reason: 'other_scope' })
    expect(memory.everything()).toEqual(ALL)
  })

  test.each<[Fields, string]>([
    [{}, 'user'],
    [{ reason: 'x' }, 'user'],
    [{ user: '' }, 'user'],
    [{ user: '*' }, 'user'],
    [{ user: 5 }, 'user'],
    [{ keyPrefix: '' }, 'keyPrefix'],
    [{ user: 'a', before: 'yesterday' }, 'before'],
  ])('is not %j', async (input, path) => {
    const memory = await openErasing()
    const { issues } = await refusal(memory.forget(input), 'INVALID_ARGUMENT')
    expect(issues?.[0]?.path).toBe(path)
  })
})

describe('after an erasure', () => {
  test('a key begins anew, and nothing brings back what stood under it', async () => {
    const memory = await openErasing()
    await memory.set({ key: 'home', value: 'Alice lives in Delhi.' })
    const then = new Date(memory.system.now()).toISOString()
    memory.system.advance(5_000)
    const archive = await memory.call<Blob>('memory.export', {}, ROOT)
    await memory.forget({ user: 'alice' })
    await refusal(memory.restore('home'), 'NOT_FOUND')
    await memory.call('namespaces.rollback', { to: then, dryRun: false }, ALICE)
    await memory.call('memory.undo', { lastN: 10, dryRun: false }, ALICE)
    expect(await memory.get('home')).toBeNull()
    expect(await memory.call('memory.get', { key: 'home', asOf: then }, ALICE)).toBeNull()

    const report = await memory.call<ImportReport>('memory.import', { archive }, ROOT)
    expect(report.outcomes).toEqual({ erased: 1 })
    expect(await memory.get('home')).toBeNull()

    memory.system.advance(5_000)
    await memory.set({ key: 'home', value: 'Alice lives in Berlin.' })
    expect((await memory.history('home')).map(({ value }) => value)).toEqual(['Alice lives in Berlin.'])
    const later = await memory.call<Blob>('memory.export', {}, ROOT)
    await memory.remove('home')
    await memory.call('memory.import', { archive: later }, ROOT)
    expect(await memory.history('home')).toHaveLength(2)
  })

  test('an archive tells a third store of it, which then takes in no older archive of it', async () => {
    const memory = await openErasing()
    await memory.set({ key: 'home', value: 'Alice lives in Delhi.' })
    await memory.set({ key: 'roof', value: 'The roof leaks.' }, ROOT)
    memory.system.advance(5_000)
    const older = await memory.call<Blob>('memory.export', {}, ROOT)
    const receipt = await memory.forget({ user: 'alice' })
    const newer = await memory.call<Blob>('memory.export', {}, ROOT)
    // Others of the namespace are not told whose it was.
    const ofMallory = await memory.call<Blob>('memory.export', {}, MALLORY)
    const third = async () => openErasing({ system: createTestSystem(Date.UTC(2026, 1, 1), 99) })
    const restored = await third()
    expect(await restored.call('memory.import', { archive: newer }, ROOT)).toMatchObject({ mode: 'restored', erasures: 1 })
    expect(await restored.receipts()).toMatchObject([{ id: receipt.id, counts: receipt.counts, state: 'done' }])
    const judged = await third()
    await judged.set({ key: 'own', value: 'The kettle is blue.' }, ROOT)
    expect(await judged.call('memory.import', { archive: newer }, ROOT)).toMatchObject({ mode: 'judged', erasures: 1 })
    expect(await judged.call('memory.import', { archive: newer }, ROOT)).toMatchObject({ erasures: 0 })
    for (const store of [restored, judged]) {
      const { outcomes } = await store.call<ImportReport>('memory.import', { archive: older }, ROOT)
      expect(outcomes).toEqual({ known: 1, erased: 1 })
      expect(await store.get('home')).toBeNull()
    }
    const stranger = await third()
    expect(await stranger.call('memory.import', { archive: ofMallory }, MALLORY)).toMatchObject({ erasures: 0 })
  })

  test('where only the past was erased, what was written again since comes in', async () => {
    const memory = await openErasing()
    await memory.set({ key: 'home', value: 'Alice lives in Delhi.' })
    await memory.set({ key: 'tea', value: 'Alice drinks no tea.' })
    memory.system.advance(60_000)
    const before = new Date(memory.system.now()).toISOString()
    const older = await memory.call<Blob>('memory.export', {}, ROOT)
    await memory.set({ key: 'home', value: 'Alice lives in Berlin.' })
    expect(await memory.forget({ user: 'alice', before })).toMatchObject({ counts: { memories: 1 } })
    const newer = await memory.call<Blob>('memory.export', {}, ROOT)
    const third = await openErasing({ system: createTestSystem(Date.UTC(2026, 1, 1), 99) })
    await third.set({ key: 'own', value: 'The kettle is blue.' }, ROOT)
    expect(await third.call('memory.import', { archive: newer }, ROOT)).toMatchObject({
      outcomes: { written: 1 },
      erasures: 1,
    })
    // Both were written last before, as this archive knows them.
    expect(await third.call('memory.import', { archive: older }, ROOT)).toMatchObject({ outcomes: { erased: 2 } })
    expect(await third.get('home')).toMatchObject({ value: 'Alice lives in Berlin.' })
  })

  test('what another system exported before does not come back either', async () => {
    const memory = await openErasing()
    await memory.forget({ user: 'alice' })
    const entry = { id: '1', memory: 'Alice lives in Delhi.', user_id: 'alice', created_at: '2025-01-01T00:00:00Z' }
    const report = await memory.call<ImportReport>('memory.import', { archive: JSON.stringify({ results: [entry] }) }, ALICE)
    expect(report.outcomes).toEqual({ erased: 1 })
  })

  test('others lose their links to it, and speak for themselves', async () => {
    const memory = await openErasing()
    await memory.set({ key: 'shared', value: 'The deposit is 500 euros.' }, ROOT)
    await memory.set({ key: 'own', value: 'The deposit is not 500 euros.' })
    await memory.set({ key: 'same', value: 'The deposit is 500 euros.' }, MALLORY)
    expect(await memory.get('own')).toMatchObject({ status: 'conflicted' })
    expect(await memory.get('same', MALLORY)).toMatchObject({ status: 'duplicate' })
    const { counts } = await memory.forget({ keyPrefix: 'shared' })
    expect(counts.links).toBe(2)
    await memory.settled()
    expect(await memory.get('own')).toMatchObject({ status: 'active', conflictWith: [] })
    expect(await memory.get('same', MALLORY)).toMatchObject({ status: 'active', duplicateOf: null })
  })

  test.each<[string, (memory: Awaited<ReturnType<typeof openErasing>>) => Promise<unknown>, string]>([
    ['deleted', (memory) => memory.remove('same', {}, MALLORY), 'tombstoned'],
    ['rejected', (memory) => memory.call('memory.reject', { key: 'same', reason: 'wrong' }, MALLORY), 'rejected'],
  ])('a duplicate that was %s stays so', async (_, end, status) => {
    const memory = await openErasing()
    await memory.set({ key: 'shared', value: 'The deposit is 500 euros.' }, ROOT)
    await memory.set({ key: 'same', value: 'The deposit is 500 euros.' }, MALLORY)
    await end(memory)
    await memory.forget({ keyPrefix: 'shared' })
    await memory.settled()
    expect(memory.db.all(sql`select key, status from heads`)).toEqual([{ key: 'same', status }])
    expect(await memory.keys({ tiers: ['user'] }, MALLORY)).toEqual([])
    expect(await memory.verified(MALLORY)).toMatchObject({ ok: true })
    if (status === 'rejected') return
    expect(await memory.restore('same', {}, MALLORY)).toMatchObject({ status: 'active' })
    expect(await memory.get('same', MALLORY)).toMatchObject({ duplicateOf: null, value: 'The deposit is 500 euros.' })
  })

  test('an archive brings back neither its rules nor its settings, nor the name they stood under', async () => {
    const { db, holds } = await openExportedDb()
    const memory = await openErasing({ db })
    const own = { namespace: 'xvkzpwm', user: 'wqzkfyt' }
    await memory.set({ key: 'tea', value: 'Tea is green.' }, { namespace: own.namespace })
    const { id } = await memory.set({ key: 'roof', value: 'The roof leaks.' }, ROOT)
    await memory.call('memory.outcome', { key: 'roof', outcome: 'helped' }, { user: own.user })
    await memory.call('namespaces.register', { defaultConflictPolicy: 'append_only' }, { namespace: own.namespace })
    for (const user of [{ user: own.user }, own]) await memory.forbid({ pattern: SECRET, patternType: 'substring' }, user)
    const handles: readonly ScopePatch[] = [ROOT, { namespace: own.namespace }]
    const archives = await Promise.all(handles.map((scope) => memory.call<Blob>('memory.export', {}, scope)))
    memory.system.advance(1_000)
    await memory.forget({ user: own.user })
    await memory.forget({ namespace: own.namespace })
    // The handle of the namespace would name it again by its own call.
    for (const archive of archives)
      expect(await memory.call<ImportReport>('memory.import', { archive }, ROOT)).toMatchObject({ rules: 0, namespaces: 0 })
    const again = await memory.call<ImportReport>('memory.import', { archive: archives[1] }, handles[1])
    expect(again).toMatchObject({ rules: 0, namespaces: 0, outcomes: { erased: 1 } })
    expect(db.all(sql`select pattern from blacklist union all select settings from namespaces`)).toEqual([])
    expect(db.all(sql`select helped from usage`)).toEqual([])
    for (const text of [SECRET, own.user]) expect([text, holds(text)]).toEqual([text, false])
    expect((await memory.get('roof', ROOT))?.id).toBe(id)
    memory.system.advance(1_000)
    await memory.forbid({ pattern: 'later', patternType: 'substring' }, { user: own.user })
    const later = await memory.call<Blob>('memory.export', {}, ROOT)
    for (const rule of await memory.rules({ user: own.user })) await memory.allow(rule.id, { user: own.user })
    expect(await memory.call<ImportReport>('memory.import', { archive: later }, ROOT)).toMatchObject({ rules: 1 })
  })

  test('a repeat of the call answers with the receipt', async () => {
    const memory = await openErasing()
    await memory.set({ key: 'a', value: 'The kettle is blue.' })
    const first = await memory.forget({ user: 'alice', idempotencyKey: 'once' })
    expect(await memory.forget({ user: 'alice', idempotencyKey: 'once' })).toEqual(first)
    expect(await memory.receipts()).toHaveLength(1)
  })

  test('its receipt is for those who read all of the namespace, and for those it was about', async () => {
    const memory = await openErasing()
    await memory.set({ key: 'a', value: 'The kettle is blue.' })
    const { id } = await memory.forget({ user: 'alice', reason: 'a private matter' })
    const seen = async (scope: ScopePatch) =>
      (await memory.call<ErasuresResult>('erasures.list', {}, scope)).erasures.map((one) => one.id)
    for (const scope of [ROOT, { namespace: 'default' }, ALICE]) expect(await seen(scope)).toEqual([id])
    for (const scope of [MALLORY, { user: null }, { namespace: 'other' }, { agent: 'helper' }])
      expect(await seen(scope)).toEqual([])
  })

  test('who erased themselves is not named', async () => {
    const memory = await openErasing()
    const alice = { ...ALICE, actor: 'human:alice' }
    await memory.set({ key: 'a', value: 'The kettle is blue.' }, alice)
    expect(await memory.forget({ user: 'alice' }, alice)).toMatchObject({ actor: 'human:erased' })
    expect(JSON.stringify(await memory.audited())).not.toContain('alice')
  })
})

test('what is held about a person is told in numbers, and goes out as an archive of theirs alone', async () => {
  const memory = await openErasing()
  await memory.set({ key: 'a', value: 'The kettle is blue.' })
  await memory.update({ key: 'a', value: 'The kettle is red.' })
  await memory.set({ key: 'b', value: 'Alice Okafor', type: 'profile' }, { ...ALICE, session: 's1', agent: 'helper' })
  await memory.set({ key: 'c', value: 'The roof leaks.' }, ROOT)
  expect(await memory.profile('alice')).toMatchObject({
    memories: 2,
    versions: 3,
    byType: { semantic: 1, profile: 1 },
    byStatus: { active: 2 },
    sessions: 1,
    agents: ['helper'],
  })
  expect(await memory.profile('zoe')).toMatchObject({ memories: 0, bytes: 0, firstAt: null, lastAt: null })
  const archive = await memory.call<Blob>('users.export', { user: 'alice' })
  const other = await openErasing({ system: createTestSystem(Date.UTC(2026, 1, 1), 99) })
  await other.call('memory.import', { archive })
  expect(await other.keys({}, { ...ALICE, session: 's1' })).toEqual(['a', 'b'])
  await refusal(memory.call('users.profile', { user: 'mallory' }, ALICE), 'FORBIDDEN')
})

test('an erasure that was cut off after any of its steps is carried to its end by the next opening', async () => {
  for (let cut = 1; ; cut++) {
    const { db, holds } = await openExportedDb()
    const memory = await openErasing({ db })
    await memory.set({ key: 'roof', value: 'The roof leaks.' }, ROOT)
    for (let i = 0; i < 3; i++) await memory.set({ key: `k/${i}`, value: `Code ${i} is ${SECRET}.` })
    // The file takes so many transactions more, as if the worker was ended then.
    let left = Number.POSITIVE_INFINITY
    const { transaction } = db
    const limited = Object.assign(db as { transaction: typeof db.transaction }, {
      transaction: <T>(work: () => T): T => {
        if (left-- <= 0) throw new Error('cut off')
        return transaction(work)
      },
    })
    left = cut
    const ended = await memory.forget({ user: 'alice' }).then(
      () => 'done',
      () => 'cut',
    )
    limited.transaction = transaction
    const wasPending = pendingErasure(db) !== null
    if (ended === 'done') {
      expect(cut).toBeGreaterThan(3)
      return
    }
    const again = await openErasing({ db, system: createTestSystem(Date.UTC(2026, 5, 1), 7) })
    // What was begun is out of service from its first step on.
    if (wasPending) expect(await again.keys({ tiers: ['user'] })).toEqual([])
    await again.settled()
    if (wasPending) {
      expect(await again.receipts()).toMatchObject([{ state: 'done', counts: { memories: 3 } }])
      expect([cut, holds(STEMS[0] as string)]).toEqual([cut, false])
    } else expect((await again.keys({ tiers: ['user'] })).length).toBe(3)
    expect(await again.get('roof', ROOT)).not.toBeNull()
  }
})

const anyScope = fc.constantFrom<ScopePatch>(
  ROOT,
  ALICE,
  MALLORY,
  { ...ALICE, session: 's1' },
  { ...MALLORY, session: 's1' },
)
const anyWrite = fc.record({
  scope: anyScope,
  key: fc.constantFrom('a', 'b', 'c'),
  value: fc.constantFrom('The kettle is blue.', 'The kettle is red.', 'Ada likes tea.', 'Ada does not like tea.'),
})

test('an erasure takes what it names and leaves all else as it was', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyWrite, { minLength: 1, maxLength: 10 }),
      fc.constantFrom<Fields>({ user: 'alice' }, { session: 's1' }, { user: 'mallory', keyPrefix: 'a' }),
      async (writes, target) => {
        const memory = await openErasing()
        const marked = (scope: ScopePatch) => `${scope.user ?? 'all'}${scope.session ?? ''}`
        for (const { scope, key, value } of writes) await memory.set({ key, value, tags: [marked(scope)] }, scope)
        const kept = () =>
          memory.db.all(
            sql`select i.user, i.session, h.key, v.body ->> '$.value' as value from heads h join versions v on v.row = h.row
              join identities i on i.identity = h.identity order by 1, 2, 3`,
          ) as readonly { user: string; session: string; key: string; value: string }[]
        const isTarget = ({ user, session, key }: { user: string; session: string; key: string }) =>
          (target['user'] === undefined || user === `=${target['user']}`) &&
          (target['session'] === undefined || session === `=${target['session']}`) &&
          (target['keyPrefix'] === undefined || key.startsWith(String(target['keyPrefix'])))
        const before = kept()
        await memory.forget(target)
        await memory.settled()
        expect(kept()).toEqual(before.filter((row) => !isTarget(row)))
        expect(await memory.verified()).toMatchObject({ ok: true })
        const orphans = memory.db.all(
          sql`select memory from versions where memory not in (select memory from heads)
            union all select memory from passages where memory not in (select memory from heads)
            union all select memory from erasing`,
        )
        expect(orphans).toEqual([])
      },
    ),
    { numRuns: LONG ? 500 : 25 },
  )
})
