import { describe, expect, test } from 'vitest'
import type { AuditListResult, Evidence, Lineage, Provenance, VerifyResult } from '../../src/schema/provenance.js'
import type { SearchResult } from '../../src/schema/records.js'
import type { ScopePatch } from '../../src/schema/scope.js'
import { sql } from '../../worker/store/sql.js'
import { ALICE, type Fields, MALLORY, open, refusal } from '../support/engine-calls.js'

const ADA: ScopePatch = { ...ALICE, actor: 'human:ada' }
const BOT: ScopePatch = { ...ALICE, actor: 'process:bot' }

const openProvenance = async () => {
  const memory = await open()
  return {
    ...memory,
    verify: (key: string, more: Fields = {}, scope = ADA) =>
      memory.call<VerifyResult>('memory.verify', { key, ...more }, scope),
    provenance: (key: string, scope = ALICE) => memory.call<Provenance | null>('memory.provenance', { key }, scope),
    lineage: (key: string, more: Fields = {}, scope = ALICE) =>
      memory.call<Lineage | null>('memory.lineage', { key, ...more }, scope),
    evidence: (key: string, scope = ALICE) => memory.call<Evidence>('memory.evidence', { key }, scope),
    acts: (filter: Fields = {}, scope = ALICE) => memory.call<AuditListResult>('audit.list', filter, scope),
    versions: () => memory.db.get<{ n: number }>(sql`select count(*) as n from versions`)?.n,
  }
}

describe('an attestation', () => {
  test('names who stands behind the value, and is told by every read', async () => {
    const memory = await openProvenance()
    await memory.set({ key: 'a', value: 'The kettle is blue.' })
    expect(await memory.get('a')).toMatchObject({ verification: 'none' })
    const result = await memory.verify('a')
    expect(result).toMatchObject({ key: 'a', verification: 'human', verifiedBy: 'human:ada', noop: false, dryRun: false })
    expect(result.verifiedSha256).toBe(result.contentSha256)
    expect(await memory.get('a')).toMatchObject({ verification: 'human', actor: 'human:ada', version: result.version })
    const { hits } = await memory.call<SearchResult>('memory.search', { query: 'kettle' }, ALICE)
    expect(hits).toMatchObject([{ verification: 'human' }])
    expect((await memory.history('a')).map(({ verification }) => verification)).toEqual(['human', 'none'])
  })

  test('of one value is stale for another, and stands again for a value that comes back', async () => {
    const memory = await openProvenance()
    await memory.set({ key: 'a', value: 'The kettle is blue.' })
    await memory.verify('a')
    await memory.set({ key: 'a', value: 'The kettle is red.' })
    expect(await memory.get('a')).toMatchObject({ verification: 'stale' })
    await memory.update({ key: 'a', value: 'The kettle is blue.' })
    expect(await memory.get('a')).toMatchObject({ verification: 'human' })
  })

  test('stays through what leaves the value: tags, a pin, a lock, a deletion that is taken back', async () => {
    const memory = await openProvenance()
    await memory.set({ key: 'a', value: 'The kettle is blue.' })
    await memory.verify('a')
    await memory.update({ key: 'a', tags: ['kitchen'] })
    await memory.pin({ key: 'a', value: 'The kettle is blue.' })
    await memory.unpin('a')
    await memory.remove('a')
    await memory.restore('a')
    expect(await memory.get('a')).toMatchObject({ verification: 'human', tags: ['kitchen'] })
  })

  test('passes a lock and a pin, since it changes nothing that they guard', async () => {
    const memory = await openProvenance()
    await memory.pin({ key: 'a', value: 'The kettle is blue.' })
    await memory.lock('a', { mode: 'read_only', reason: 'final' })
    expect(await memory.verify('a')).toMatchObject({ verification: 'human' })
    expect(await memory.get('a')).toMatchObject({ pinned: true, lockMode: 'read_only' })
  })

  test('by a program never replaces that of a person, and the same one again writes nothing', async () => {
    const memory = await openProvenance()
    await memory.set({ key: 'a', value: 'The kettle is blue.' })
    expect(await memory.verify('a', {}, BOT)).toMatchObject({ verification: 'process', noop: false })
    expect(await memory.verify('a', {}, BOT)).toMatchObject({ verification: 'process', noop: true })
    await memory.verify('a')
    const before = memory.versions()
    expect(await memory.verify('a', {}, BOT)).toMatchObject({ verification: 'human', verifiedBy: 'human:ada', noop: true })
    expect(memory.versions()).toBe(before)
  })

  test('is of what was shown: another value since refuses it', async () => {
    const memory = await openProvenance()
    const shown = await memory.set({ key: 'a', value: 'The kettle is blue.' })
    const now = await memory.set({ key: 'a', value: 'The kettle is red.' })
    const details = await refusal(memory.verify('a', { ifMatchSha256: shown.contentSha256 }), 'PRECONDITION_FAILED')
    expect(details).toEqual({ key: 'a', currentSha256: now.contentSha256 })
    expect(await memory.get('a')).toMatchObject({ verification: 'none' })
  })

  test('is rehearsed without a trace, and repeated with its first answer', async () => {
    const memory = await openProvenance()
    await memory.set({ key: 'a', value: 'The kettle is blue.' })
    const acts = memory.audited().length
    expect(await memory.verify('a', { dryRun: true })).toMatchObject({ verification: 'human', dryRun: true })
    expect(await memory.get('a')).toMatchObject({ verification: 'none' })
    expect(memory.audited()).toHaveLength(acts)
    const first = await memory.verify('a', { idempotencyKey: 'once' })
    await memory.set({ key: 'a', value: 'The kettle is red.' })
    expect(await memory.verify('a', { idempotencyKey: 'once' })).toEqual(first)
    expect(await memory.get('a')).toMatchObject({ verification: 'stale' })
  })

  test('needs a memory of the own scope', async () => {
    const memory = await openProvenance()
    await memory.set({ key: 'shared', value: 'The office has a cat.' }, {})
    await memory.set({ key: 'a', value: 'The kettle is blue.' })
    await refusal(memory.verify('nothing'), 'NOT_FOUND')
    await refusal(memory.verify('shared'), 'NOT_FOUND')
    await refusal(memory.verify('a', {}, { ...MALLORY, actor: 'human:mallory' }), 'NOT_FOUND')
    await refusal(memory.verify('a', {}, { user: '*' }), 'FORBIDDEN')
    await memory.remove('a')
    await refusal(memory.verify('a'), 'NOT_FOUND')
  })
})

describe('provenance', () => {
  test('of nothing is null, also where another user has something', async () => {
    const memory = await openProvenance()
    expect(await memory.provenance('a')).toBeNull()
    await memory.set({ key: 'a', value: 'The kettle is blue.' })
    expect(await memory.provenance('a', MALLORY)).toBeNull()
    expect(await memory.provenance('a', { user: '' })).toBeNull()
  })

  test('says who stated a value, though others changed what is said of it since', async () => {
    const memory = await openProvenance()
    await memory.set({ key: 'a', value: 'The kettle is red.' }, BOT)
    await memory.set({ key: 'a', value: 'The kettle is blue.', origin: 'https://shop.example' }, { ...BOT, run: 'r1' })
    await memory.lock('a', { mode: 'no_delete', reason: 'kept' }, ADA)
    const found = await memory.provenance('a')
    expect(found).toMatchObject({
      actor: 'human:ada',
      statedBy: 'process:bot',
      sourceClass: 'asserted',
      origin: 'https://shop.example',
      run: 'r1',
      verification: 'none',
      trust: 'process',
      weakest: null,
      usable: true,
      tier: 'user',
    })
    expect(found?.statedAt).toBeLessThan(found?.updatedAt ?? 0)
    expect(found?.statedAt).toBeGreaterThan(found?.createdAt ?? Number.POSITIVE_INFINITY)
  })

  test('is lowered by the least of the sources, through several steps, and raised by a person who attests', async () => {
    const memory = await openProvenance()
    const page = await memory.set({ key: 'page', value: 'The kettle costs 30 euros.', sourceClass: 'external' }, ADA)
    const note = await memory.set({ key: 'note', value: 'A kettle is cheap.', sourceResourceId: page.id }, ADA)
    await memory.set({ key: 'plan', value: 'Buy two of them soon.', sourceResourceId: `memory:${note.id}` }, ADA)
    const plan = await memory.provenance('plan')
    expect(plan).toMatchObject({ trust: 'external', weakest: { id: page.id, key: 'page' }, usable: false })
    await memory.verify('page', {}, BOT)
    expect(await memory.provenance('plan')).toMatchObject({ usable: false })
    await memory.verify('page')
    expect(await memory.provenance('page')).toMatchObject({ trust: 'attested', usable: true })
    expect(await memory.provenance('plan')).toMatchObject({ trust: 'human', usable: true })
    await memory.update({ key: 'page', value: 'The kettle costs 90 euros.' })
    expect(await memory.provenance('page')).toMatchObject({ verification: 'stale', trust: 'external' })
    expect(await memory.provenance('plan')).toMatchObject({ usable: false })
  })

  test('still answers for what was deleted', async () => {
    const memory = await openProvenance()
    await memory.set({ key: 'a', value: 'The kettle is blue.' })
    await memory.remove('a')
    expect(await memory.provenance('a')).toMatchObject({ status: 'tombstoned', trust: 'process' })
  })

  test('of memories that name each other as their source ends', async () => {
    const memory = await openProvenance()
    const a = await memory.set({ key: 'a', value: 'The kettle is blue.' })
    const b = await memory.set({ key: 'b', value: 'Lunch is at noon.', sourceResourceId: a.id })
    await memory.update({ key: 'a', sourceResourceId: `${a.id} ${b.id}` })
    expect(await memory.provenance('a')).toMatchObject({ trust: 'process' })
    const line = await memory.lineage('a')
    expect(line?.from.map(({ key, why }) => [key, why])).toEqual([['b', 'source']])
    expect(line?.into.map(({ key, why }) => [key, why])).toEqual([['b', 'derived']])
  })
})

describe('a lineage', () => {
  test('names the sources of which nothing can be read any more', async () => {
    const memory = await openProvenance()
    const page = await memory.set({ key: 'page', value: 'The kettle costs 30 euros.' }, ALICE)
    const note = await memory.set({ key: 'note', value: 'Kettles are dear this year.', sourceResourceId: page.id }, ALICE)
    await memory.set({ key: 'plan', value: 'Ada waits until the sales.', sourceResourceId: note.id }, ALICE)
    expect((await memory.lineage('plan'))?.missing).toEqual([])
    await memory.call('memory.forget', { keyPrefix: 'page' }, ALICE)
    expect(await memory.lineage('plan')).toMatchObject({ from: [{ key: 'note' }], missing: [page.id] })
    // What came of a memory names nothing that it came from.
    expect(await memory.lineage('note')).toMatchObject({ into: [{ key: 'plan' }], missing: [page.id] })
  })

  test('goes both ways, over sources, successors and repeats', async () => {
    const memory = await openProvenance()
    const page = await memory.set({ key: 'page', value: 'The kettle costs 30 euros.', sourceClass: 'external' })
    const note = await memory.set({ key: 'note', value: 'A kettle is cheap.', sourceResourceId: page.id })
    await memory.set({ key: 'plan', value: 'Buy two of them soon.', sourceResourceId: note.id })
    const line = await memory.lineage('note')
    expect(line).toMatchObject({
      id: note.id,
      key: 'note',
      truncated: false,
      from: [{ key: 'page', why: 'source', via: note.id, depth: 1, sourceClass: 'external' }],
      into: [{ key: 'plan', why: 'derived', via: note.id, depth: 1 }],
    })
    expect((await memory.lineage('page'))?.into.map(({ key, depth }) => [key, depth])).toEqual([
      ['note', 1],
      ['plan', 2],
    ])
    expect(await memory.lineage('page', { depth: 1 })).toMatchObject({ into: [{ key: 'note' }], truncated: true })
    expect(await memory.lineage('page', { limit: 1 })).toMatchObject({ into: [{ key: 'note' }], truncated: true })
    expect(JSON.stringify(line)).not.toContain('kettle')
  })

  test('has what was superseded, and what says the same elsewhere', async () => {
    const memory = await openProvenance()
    await memory.call('namespaces.register', { defaultConflictPolicy: 'newest_wins' })
    await memory.set({ key: 'x', value: 'Ada lives in Delhi.' })
    await memory.set({ key: 'y', value: 'Ada lives in Berlin.' })
    expect((await memory.lineage('y'))?.from).toMatchObject([{ key: 'x', why: 'supersedes', status: 'superseded' }])
    expect((await memory.lineage('x'))?.into).toMatchObject([{ key: 'y', why: 'superseded_by' }])
    await memory.set({ key: 'shared', value: 'The office has a cat.' }, {})
    await memory.set({ key: 'own', value: 'the office has a cat' })
    expect((await memory.lineage('own'))?.from).toMatchObject([{ key: 'shared', why: 'duplicate_of' }])
    expect((await memory.lineage('shared'))?.into).toMatchObject([{ key: 'own', why: 'duplicate' }])
    expect((await memory.lineage('shared', {}, MALLORY))?.into).toEqual([])
  })

  test('never leaves the scope, and never names what is highly sensitive', async () => {
    const memory = await openProvenance()
    const hers = await memory.set({ key: 'hers', value: 'Mallory likes plums.' }, MALLORY)
    const secret = await memory.set({ key: 'safe', value: 'The safe opens with 4711.', sensitivity: 'high' })
    await memory.set({ key: 'a', value: 'The kettle is blue.', sourceResourceId: `${hers.id} ${secret.id}` })
    expect(await memory.lineage('a')).toMatchObject({ from: [], into: [] })
    expect(await memory.lineage('hers')).toBeNull()
    expect(await memory.provenance('a')).toMatchObject({ trust: 'process', weakest: null })
    expect(await memory.lineage('hers', {}, MALLORY)).toMatchObject({ into: [] })
    expect(await memory.lineage('hers', {}, { user: '*' })).toMatchObject({ into: [{ key: 'a' }] })
  })

  test('is looked for page by page, and can be stopped', async () => {
    const memory = await openProvenance()
    const { id } = await memory.set({ key: 'root', value: 'It all began here.' })
    const entries = Array.from({ length: 1_100 }, (_, i) => ({
      key: `n/${i}`,
      value: i,
      ...(i % 500 === 0 ? { sourceResourceId: id } : {}),
    }))
    await memory.bulk(entries)
    expect((await memory.lineage('root'))?.into.map(({ key }) => key)).toEqual(['n/0', 'n/500', 'n/1000'])
    const abort = new AbortController()
    const asked = memory.call('memory.lineage', { key: 'root' }, ALICE, { signal: abort.signal })
    const refused = refusal(asked, 'ABORTED')
    abort.abort()
    await refused
  })
})

describe('evidence', () => {
  test('is the turns that a fact names, oldest first, as long as they are there', async () => {
    const memory = await openProvenance()
    const first = await memory.set({ key: 'chat/1', value: 'I moved to Berlin.', type: 'episodic' })
    await memory.set({ key: 'chat/2', value: 'Yes, last week.', type: 'episodic' })
    await memory.set({ key: 'note', value: 'A note that is no turn.' })
    const named = { sourceTrace: 'chat/2', sourceResourceId: first.id }
    await memory.set({ key: 'city', value: 'Alice lives in Berlin.', ...named })
    expect((await memory.evidence('city')).map(({ key, value }) => [key, value])).toEqual([
      ['chat/1', 'I moved to Berlin.'],
      ['chat/2', 'Yes, last week.'],
    ])
    await memory.remove('chat/1')
    expect((await memory.evidence('city')).map(({ key }) => key)).toEqual(['chat/2'])
    await memory.update({ key: 'city', sourceTrace: 'note' })
    expect(await memory.evidence('city')).toEqual([])
  })

  test('is empty for what names none, for nothing, and for turns of another user', async () => {
    const memory = await openProvenance()
    const hers = await memory.set({ key: 'chat/1', value: 'I like plums.', type: 'episodic' }, MALLORY)
    await memory.set({ key: 'a', value: 'The kettle is blue.', sourceTrace: 'chat/1', sourceResourceId: hers.id })
    expect(await memory.evidence('a')).toEqual([])
    expect(await memory.evidence('nothing')).toEqual([])
  })
})

describe('the audit', () => {
  test('says who did what when, newest first, page by page, and holds no text', async () => {
    const memory = await openProvenance()
    await memory.set({ key: 'user/city', value: 'Alice lives in Berlin.' }, ADA)
    await memory.verify('user/city', {}, BOT)
    await refusal(memory.update({ key: 'nothing', tags: [] }), 'NOT_FOUND')
    const { rows, nextCursor } = await memory.acts()
    expect(rows.map(({ action, actor, outcome }) => [action, actor, outcome])).toEqual([
      ['memory.update', 'process:local', 'NOT_FOUND'],
      ['memory.verify', 'process:bot', 'ok'],
      ['memory.set', 'human:ada', 'ok'],
    ])
    expect(nextCursor).toBeNull()
    expect(rows[1]?.keyHash).toBe(rows[2]?.keyHash)
    expect(JSON.stringify(rows)).not.toMatch(/user\/city|Berlin/)
    const first = await memory.acts({ limit: 2 })
    expect(first.rows).toEqual(rows.slice(0, 2))
    expect((await memory.acts({ limit: 2, cursor: first.nextCursor })).rows).toEqual(rows.slice(2))
  })

  test('is narrowed to a time and to a call', async () => {
    const memory = await openProvenance()
    await memory.set({ key: 'a', value: 1 })
    memory.system.advance(60_000)
    const between = new Date(memory.system.now()).toISOString()
    memory.system.advance(60_000)
    await memory.set({ key: 'a', value: 2 })
    await memory.remove('a')
    const actions = async (filter: Fields) => (await memory.acts(filter)).rows.map(({ action }) => action)
    expect(await actions({ from: between })).toEqual(['memory.delete', 'memory.set'])
    expect(await actions({ to: between })).toEqual(['memory.set'])
    expect(await actions({ action: 'memory.delete' })).toEqual(['memory.delete'])
    expect(await actions({ action: 'memory.del%' })).toEqual([])
    await refusal(memory.acts({ cursor: '1; drop table audit' }), 'INVALID_ARGUMENT')
  })

  test('shows nothing of another user, also where a wider handle acted on both', async () => {
    const memory = await openProvenance()
    await memory.set({ key: 'a', value: 'Alice knows the falcon project.' })
    await memory.set({ key: 'm', value: 'Mallory knows the falcon project, too.' }, MALLORY)
    await memory.forbid({ pattern: 'falcon', patternType: 'substring', sweep: true }, {})
    const seen = async (scope: ScopePatch) =>
      (await memory.acts({}, scope)).rows.map(({ action, scope: by }) => [action, by.user ?? null])
    expect(await seen(ALICE)).toEqual([
      ['blacklist.sweep', null],
      ['blacklist.add', null],
      ['memory.set', 'alice'],
    ])
    expect(await seen(MALLORY)).toEqual([
      ['blacklist.sweep', null],
      ['blacklist.add', null],
      ['memory.set', 'mallory'],
    ])
    expect(await seen({})).toEqual([['blacklist.add', null]])
    expect(await seen({ user: '' })).toEqual([])
    expect(await seen({ user: '*' })).toHaveLength(5)
  })
})
