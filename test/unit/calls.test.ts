import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CallName, CALLS as OFTEN_CALLS } from '../../src/protocol/calls.js'
import { type ErrorDetails, isMemoryError } from '../../src/protocol/errors.js'
import { SELDOM_CALLS } from '../../src/protocol/seldom-calls.js'
import { BulkEntry } from '../../src/schema/calls.js'
import { ScopePatch } from '../../src/schema/scope.js'
import { parse } from '../../worker/parse.js'

const CALLS = { ...OFTEN_CALLS, ...SELDOM_CALLS }

type Issues = ErrorDetails['INVALID_ARGUMENT']['issues']

/** What a refusal says, and of which fields. */
const refusal = (read: () => unknown): { readonly message: string; readonly issues: Issues } => {
  try {
    read()
  } catch (error) {
    if (isMemoryError(error, 'INVALID_ARGUMENT')) return { message: error.message, issues: error.details.issues }
    throw error
  }
  throw new Error('was not refused')
}

const refusedPaths = (read: () => unknown): readonly string[] => refusal(read).issues.map(({ path }) => path)

const read = (name: CallName, input: unknown) => parse(CALLS[name].input, input)

const ID = '01ARYZ6S41TSV4RRFFQ69G5FAV'

/** The least input of each call. */
const LEAST: { readonly [Name in CallName]: Readonly<Record<string, unknown>> } = {
  'memory.set': { value: 'x' },
  'memory.update': { key: 'a' },
  'memory.updateById': { id: ID },
  'memory.bulkSet': { entries: [] },
  'memory.delete': { key: 'a' },
  'memory.restore': { key: 'a' },
  'memory.pin': { value: 'x' },
  'memory.unpin': { key: 'a' },
  'memory.lock': { key: 'a', mode: 'read_only', reason: 'x' },
  'memory.unlock': { key: 'a' },
  'memory.get': { key: 'a' },
  'memory.getById': { id: ID },
  'memory.list': {},
  'memory.history': { key: 'a' },
  'memory.search': { query: 'x' },
  'context.pack': { query: 'x' },
  'context.offload': { content: 'x' },
  'context.fetch': { handle: ID },
  'context.told': { texts: ['x'] },
  'memory.forget': { user: 'x' },
  'erasures.list': {},
  'users.profile': { user: 'x' },
  'users.export': { user: 'x' },
  'users.erase': { user: 'x' },
  'memory.ask': { question: 'x' },
  'memory.storage': {},
  'memory.settled': {},
  'memory.export': {},
  'memory.import': { archive: 'x' },
  'conflicts.list': {},
  'conflicts.resolve': { id: ID, action: 'allow' },
  'embedder.get': {},
  'embedder.pause': {},
  'embedder.resume': {},
  'embedder.cancel': {},
  'blacklist.add': { pattern: 'x', patternType: 'substring' },
  'blacklist.list': {},
  'blacklist.remove': { id: ID },
  'memory.reject': { key: 'a', reason: 'x' },
  'proposals.list': {},
  'proposals.decide': { id: ID, action: 'accept' },
  'namespaces.register': {},
  'namespaces.get': {},
  'namespaces.audit': {},
  'calibration.get': {},
  'memory.verify': { key: 'a' },
  'memory.provenance': { key: 'a' },
  'memory.lineage': { key: 'a' },
  'memory.evidence': { key: 'a' },
  'audit.list': {},
  'memory.outcome': { key: 'a', outcome: 'helped' },
  'runs.complete': { memoriesUsed: [], outcome: 'neutral' },
  'memory.apply': { filter: { keyPrefix: 'a' }, action: 'delete' },
  'memory.consolidate': { subject: 'Ada' },
  'memory.promote': { key: 'a', to: 'user', from: { session: 's' } },
  'memory.related': { key: 'a' },
  'memory.inspect': { key: 'a' },
  'memory.diff': { key: 'a' },
  'memory.timeline': { key: 'a' },
  'memory.undo': { run: 'r' },
  'memory.redact': { key: 'a', version: '1', reason: 'x' },
  'memory.verifyHistory': {},
  'memory.setFromMessages': { messages: [] },
  'learning.list': {},
  'learning.get': { queueId: 'q' },
  'learning.cancel': { queueId: 'q' },
  'namespaces.rollback': { to: '2026-03-01T09:00:00Z' },
  'conversations.append': { turns: [] },
  'conversations.list': {},
  'conversations.recall': { query: 'a' },
  'profile.set': { label: 'a', value: 1 },
  'profile.get': { label: 'a' },
  'profile.list': {},
  'profile.delete': { label: 'a' },
  'records.define': { collection: 'a', fields: {} },
  'records.put': { collection: 'a', record: 'b', fields: {} },
  'records.get': { collection: 'a', record: 'b' },
  'records.list': { collection: 'a' },
  'records.remove': { collection: 'a', record: 'b' },
  'knowledge.add': { document: 'a', content: 'b' },
  'knowledge.upsert': { document: 'a', content: 'b' },
  'knowledge.get': { source: 'a' },
  'knowledge.list': {},
  'knowledge.remove': { document: 'a' },
  'sessions.setBrief': { session: 'a', brief: 1 },
  'sessions.brief': { session: 'a' },
  'sessions.briefs': {},
  'sessions.digest': { session: 'a' },
  'sessions.digests': {},
  'sessions.find': { query: 'a' },
  'working.set': { name: 'a', value: 1 },
  'working.patch': { name: 'a', patch: {} },
  'working.get': { name: 'a' },
  'working.list': {},
  'working.delete': { name: 'a' },
  'working.acquire': { lease: 'a' },
  'working.renew': { lease: 'a', token: 1 },
  'working.release': { lease: 'a', token: 1 },
}

const names = Object.keys(LEAST) as CallName[]

describe.each(names)('%s', (name) => {
  test('takes its least input', () => {
    expect(read(name, LEAST[name])).toMatchObject(LEAST[name])
  })

  test('refuses an option it does not know and names it', () => {
    expect(refusedPaths(() => read(name, { ...LEAST[name], ttlSecond: 1 }))).toEqual(['ttlSecond'])
  })

  test('refuses what is no object', () => {
    for (const input of [null, undefined, 'text', 7, []]) expect(refusedPaths(() => read(name, input))).toEqual(['input'])
  })

  test('names each field that is missing', () => {
    if (Object.keys(LEAST[name]).length > 0) expect(refusedPaths(() => read(name, {}))).toEqual(Object.keys(LEAST[name]))
  })
})

test('every call is one of these', () => {
  expect(Object.keys(CALLS).sort()).toEqual([...names].sort())
})

test.each<[string, CallName, Readonly<Record<string, unknown>>]>([
  ['run', 'memory.undo', { run: 'r', lastN: 1 }],
  ['key', 'memory.timeline', { key: 'a', subject: 'b' }],
  ['from', 'memory.timeline', { key: 'a', from: '2026-03-01' }],
  ['version', 'memory.redact', { version: '9223372036854775808' }],
  ['to', 'namespaces.rollback', { to: 'yesterday' }],
  ['messages.0.text', 'memory.setFromMessages', { messages: [{ role: 'user' }] }],
  ['messages.1.role', 'memory.setFromMessages', { messages: [{ text: 'a' }, { role: 'pirate', text: 'a' }] }],
  ['observedAt', 'memory.setFromMessages', { messages: [], observedAt: 'yesterday' }],
  ['queueId', 'learning.get', { queueId: '' }],
  ['key', 'memory.set', { key: '/a' }],
  ['key', 'memory.get', { key: 7 }],
  ['value', 'memory.set', { value: '' }],
  ['value.a.0', 'memory.set', { value: { a: [1n] } }],
  ['type', 'memory.set', { type: '' }],
  ['tags.1', 'memory.set', { tags: ['a', ''] }],
  ['tags', 'memory.set', { tags: 'a' }],
  ['entities.0', 'memory.set', { entities: ['a\0'] }],
  ['relations.0.object', 'memory.set', { relations: [{ subject: 'a', predicate: 'b' }] }],
  ['relations.0.kind', 'memory.set', { relations: [{ subject: 'a', predicate: 'b', object: 'c', kind: 'd' }] }],
  ['confidence', 'memory.set', { confidence: 1.1 }],
  ['confidence', 'memory.set', { confidence: Number.NaN }],
  ['validAt', 'memory.set', { validAt: '01.01.2026' }],
  ['validTo', 'memory.set', { validTo: 1_700_000_000_000 }],
  ['ttlSeconds', 'memory.set', { ttlSeconds: 0 }],
  ['ttlSeconds', 'memory.set', { ttlSeconds: Number.POSITIVE_INFINITY }],
  ['ttlSeconds', 'memory.set', { ttlSeconds: 1e300 }],
  ['ttlSeconds', 'memory.set', { ttlSeconds: 5, expiresAt: '2026-01-01T00:00:00Z' }],
  ['onExpire', 'memory.set', { onExpire: 'burn' }],
  ['sourceClass', 'memory.set', { sourceClass: 'asserted' }],
  ['sourceClass', 'memory.set', { sourceClass: 'observed' }],
  ['sensitivity', 'memory.set', { sensitivity: 'top' }],
  ['ifMatchSha256', 'memory.update', { ifMatchSha256: 'A'.repeat(64) }],
  ['idempotencyKey', 'memory.set', { idempotencyKey: '' }],
  ['dryRun', 'memory.delete', { dryRun: 'yes' }],
  ['onEmbedFailure', 'memory.set', { onEmbedFailure: 'ignore' }],
  ['onPinned', 'memory.set', { onPinned: 'override' }],
  ['pinned', 'memory.set', { pinned: true }],
  ['mode', 'memory.lock', { mode: 'write_only' }],
  ['reason', 'memory.lock', { reason: '' }],
  ['until', 'memory.lock', { until: 'tomorrow' }],
  ['ttlSeconds', 'memory.lock', { ttlSeconds: 0 }],
  ['ttlSeconds', 'memory.lock', { ttlSeconds: 5, until: '2030-01-01T00:00:00Z' }],
  ['force', 'memory.unlock', { force: 'yes' }],
  ['pattern', 'blacklist.add', { pattern: '' }],
  ['pattern', 'blacklist.add', { pattern: 'x'.repeat(257) }],
  ['pattern', 'blacklist.add', { pattern: '\ud800' }],
  ['patternType', 'blacklist.add', { patternType: 'glob' }],
  ['sweep', 'blacklist.add', { sweep: 1 }],
  ['id', 'blacklist.remove', { id: 'x' }],
  ['key', 'memory.updateById', { key: 'a' }],
  ['id', 'memory.getById', { id: ID.toLowerCase() }],
  ['limit', 'memory.list', { limit: 0 }],
  ['limit', 'memory.list', { limit: 1001 }],
  ['limit', 'memory.search', { limit: 1.5 }],
  ['offset', 'memory.search', { offset: -1 }],
  ['tiers', 'memory.list', { tiers: [] }],
  ['tiers.0', 'memory.get', { tiers: ['everyone'] }],
  ['legs', 'memory.search', { legs: [] }],
  ['legs.0', 'memory.search', { legs: ['guess'] }],
  ['query', 'memory.search', { query: '\ud800' }],
  ['keyPrefix', 'memory.list', { keyPrefix: '' }],
])('a bad %s is refused under its path by %s', (path, name, more) => {
  expect(refusedPaths(() => read(name, { ...LEAST[name], ...more }))).toEqual([path])
})

test('all bad fields are named at once, up to twenty', () => {
  expect(refusedPaths(() => read('memory.set', { key: '', confidence: 2, tags: [7] })).toSorted()).toEqual([
    'confidence',
    'key',
    'tags.0',
    'value',
  ])
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`x${i}`, 1]))
  expect(refusedPaths(() => read('memory.set', { value: 1, ...many }))).toHaveLength(20)
})

test('an entry of a bulk write is refused under its place in the list', () => {
  expect(refusedPaths(() => parse(BulkEntry, { value: 1, tags: [''] }, 'entries.7'))).toEqual(['entries.7.tags.0'])
  expect(refusedPaths(() => parse(BulkEntry, 'text', 'entries.7'))).toEqual(['entries.7'])
})

test('no refusal ever repeats what was given', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{12,20}$/), fc.constantFrom(...names), (secret, name) => {
      const fields = ['key', 'id', 'value', 'query', 'keyPrefix', 'validAt', 'ifMatchSha256', 'sensitivity', 'onExpire']
      for (const field of fields) {
        const bad = field === 'value' ? { [field]: { a: [`${secret}\ud800`] } } : { [field]: `/${secret}\ud800/` }
        const error = refusal(() => read(name, { ...LEAST[name], ...bad }))
        expect(error.message).not.toContain(secret)
        expect(JSON.stringify(error.issues)).not.toContain(secret)
      }
    }),
    { numRuns: 50 },
  )
})

describe('a scope', () => {
  test.each([
    {},
    { user: null },
    { user: '*' },
    { user: '' },
    { session: '' },
    { user: '~', session: '=x' },
    { agent: 'a', run: 'r', actor: 'human:mia' },
    { actor: 'process:a:b' },
  ])('may be %j', (scope) => expect(parse(ScopePatch, scope)).toEqual(scope))

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['user', { user: 7 }],
    ['session', { session: null }],
    ['agent', { agent: '' }],
    ['agent', { agent: '*' }],
    ['org', { org: null }],
    ['namespace', { namespace: '*' }],
    ['run', { run: '' }],
    ['actor', { actor: 'mia' }],
    ['actor', { actor: 'human:' }],
    ['user', { user: 'a\0b' }],
    ['user', { user: 'a\ud800' }],
    ['user', { user: 'x'.repeat(513) }],
    ['tenant', { tenant: 'a' }],
  ])('may not have such a %s: %j', (path, scope) => {
    expect(refusedPaths(() => parse(ScopePatch, scope))).toEqual([path])
  })
})
