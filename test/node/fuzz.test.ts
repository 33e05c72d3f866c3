import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CallName, CALLS as OFTEN_CALLS } from '../../src/protocol/calls.js'
import { ERROR_STATUS, MemoryError } from '../../src/protocol/errors.js'
import { SELDOM_CALLS } from '../../src/protocol/seldom-calls.js'
import type { BlacklistRule } from '../../src/schema/guards.js'
import type { ListResult } from '../../src/schema/records.js'
import type { ScopePatch } from '../../src/schema/scope.js'
import { sql } from '../../worker/store/sql.js'
import { createTestMemory, type TestMemory } from '../support/engine.js'

const CALLS = { ...OFTEN_CALLS, ...SELDOM_CALLS }

const RUNS = process.env.LONG === '1' ? 10_000 : 250

/** Any sequence of UTF-16 code units: lone surrogates and NUL among them. */
const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 }).map((codes) => String.fromCharCode(...codes))
const awkward = fc.constantFrom(
  '',
  ' ',
  '\0',
  '__proto__',
  'constructor',
  'toString',
  '"'.repeat(200),
  'a/b/c',
  'é'.normalize('NFD'),
  '\ud800',
  'NEAR(a b)',
  '🙂',
  "'; drop table heads; --",
  '%s%n',
  '\u202e',
  '*',
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '2026-03-01T09:00:00Z',
)
const text = fc.oneof(awkward, units, fc.string({ unit: 'grapheme', maxLength: 60 }), fc.lorem({ maxCount: 12 }))
const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withNullPrototype: true,
  withObjectString: true,
  withSparseArray: true,
  withTypedArray: true,
  withUnicodeString: true,
})
/** As JSON.parse makes it: with a field of its own under the name. */
const polluting = fc
  .jsonValue()
  .map((value) => JSON.parse(`{"__proto__": ${JSON.stringify({ polluted: value })}, "a": {"__proto__": 1}}`))
const key = fc.oneof({ weight: 3, arbitrary: fc.constantFrom('a', 'a/b', 'user/home/city', 'k1', 'k2') }, text, anything)
const value = fc.oneof(fc.jsonValue(), text, anything, polluting, fc.constant('Alice lives in Berlin.'))

const BULK_ACTIONS = ['delete', 'expire', 'lock', 'label', 'demote'] as const

/** What a field usually takes; every one of them gets anything at times. */
const FIELDS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  key,
  value,
  id: text,
  type: text,
  tags: fc.array(text),
  entities: fc.array(text),
  relations: fc.array(fc.record({ subject: text, predicate: text, object: text })),
  files: fc.array(text),
  confidence: fc.double(),
  validAt: fc.oneof(
    text,
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  ),
  validTo: text,
  temporalAnchor: text,
  expiresAt: fc.oneof(
    text,
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  ),
  ttlSeconds: fc.double(),
  onExpire: fc.constantFrom('tombstone', 'hide', 'burn'),
  sourceClass: fc.constantFrom('derived', 'external', 'imported', 'asserted', 'root'),
  sourceResourceId: text,
  sourceTrace: text,
  origin: text,
  sensitivity: fc.constantFrom('none', 'medium', 'high', 'top'),
  ifMatchSha256: fc.oneof(text, fc.stringMatching(/^[0-9a-f]{64}$/)),
  idempotencyKey: text,
  dryRun: fc.boolean(),
  onEmbedFailure: fc.constantFrom('fail', 'queue', 'ignore'),
  onPinned: fc.constantFrom('fail', 'propose', 'ignore'),
  mode: fc.constantFrom('read_only', 'no_delete', 'none'),
  reason: text,
  until: fc.oneof(
    text,
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  ),
  force: fc.boolean(),
  pattern: fc.oneof(text, fc.constantFrom('(?i)falcon\\b', '(a|aa)+$', '(?=x)', '[a-', '.{9,}z', '\\d{3}-\\d{2}')),
  patternType: fc.constantFrom('substring', 'regex', 'glob'),
  sweep: fc.boolean(),
  entries: fc.array(fc.oneof(anything, fc.record({ key, value }, { requiredKeys: ['value'] })), { maxLength: 5 }),
  tiers: fc.array(fc.constantFrom('global', 'user', 'session', 'all')),
  keyPrefix: text,
  minConfidence: fc.double({ min: -1, max: 2 }),
  includeDuplicates: fc.boolean(),
  includeSuperseded: fc.boolean(),
  includeProposed: fc.boolean(),
  limit: fc.oneof(fc.integer(), fc.double()),
  cursor: fc.oneof(text, fc.stringMatching(/^\d{1,20}\.\d{1,12}$/)),
  query: text,
  user: fc.oneof({ weight: 4, arbitrary: fc.constantFrom('ana', 'bob', null) }, text, anything),
  question: text,
  tokenBudget: fc.oneof(fc.integer({ min: -10, max: 2_000 }), anything),
  onlySections: fc.oneof(fc.array(fc.constantFrom('facts', 'turns', 'profile')), anything),
  legs: fc.array(fc.constantFrom('vector', 'lexical', 'graph')),
  offset: fc.integer(),
  explain: fc.boolean(),
  signal: fc.constant(5),
  asOf: fc.oneof(
    text,
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.record({ valid: text, known: text }, { requiredKeys: [] }),
  ),
  asOfBasis: fc.constantFrom('valid_time', 'knowledge_time', 'none'),
  action: fc.constantFrom('revise', 'allow', 'contract', 'drop', 'accept', 'reject', ...BULK_ACTIONS),
  memoriesUsed: fc.array(fc.oneof(key, text)),
  outcome: fc.constantFrom('helped', 'harmed', 'neutral', 'unsure'),
  filter: fc.oneof(
    fc.constantFrom({ keyPrefix: 'a' }, { type: 'semantic' }, { minConfidence: 0.9 }),
    fc.record(
      { keyPrefix: text, type: text, tags: fc.array(text), minConfidence: fc.double({ min: -1, max: 2 }) },
      { requiredKeys: [] },
    ),
  ),
  addTags: fc.array(text),
  removeTags: fc.array(text),
  to: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom('user', 'global', 'session') },
    fc.constantFrom('1767225600000000000', '2026-01-01T00:00:00.050Z'),
  ),
  from: fc.oneof(
    fc.constantFrom('1767225600000000000', '2026-01-01T00:00:00Z'),
    { weight: 9, arbitrary: fc.constant({ user: 'ana' }) },
    fc.record(
      { user: fc.constantFrom('ana', null, '*', ''), session: fc.constantFrom('s', 't', '*') },
      { requiredKeys: [] },
    ),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  ),
  depth: fc.integer({ min: -1, max: 70 }),
  namespace: fc.oneof(text, fc.constantFrom('default', 'notes')),
  defaultConflictPolicy: fc.constantFrom(null, 'auto_reinforce', 'manual_review', 'newest_wins', 'append_only', 'none'),
  thresholds: fc.oneof(
    fc.constant(null),
    fc.record({ duplicate: fc.double({ min: -1, max: 2 }), conflict: fc.double({ min: -1, max: 2 }) }, { requiredKeys: [] }),
  ),
  version: fc.oneof(text, fc.stringMatching(/^\d{1,20}$/)),
  subject: text,
  entity: text,
  run: text,
  batch: fc.oneof(text, fc.stringMatching(/^[0-9a-f]{16}\.\d{1,3}$/)),
  lastN: fc.integer({ min: -1, max: 2_000 }),
  types: fc.dictionary(text, fc.record({ conflictPolicy: fc.constantFrom('newest_wins', 'none') })),
  archive: fc.oneof(
    text,
    fc.json({ maxDepth: 3 }),
    fc
      .array(fc.record({ memory: text, user_id: text, created_at: text }), { maxLength: 3 })
      .map((list) => JSON.stringify(list)),
    fc
      .array(
        fc.record({
          type: fc.constant('entity'),
          name: text,
          entityType: text,
          observations: fc.array(text, { maxLength: 3 }),
        }),
        {
          maxLength: 3,
        },
      )
      .map((lines) => lines.map((line) => JSON.stringify(line)).join('\n')),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => new Blob([Uint8Array.from(bytes)])),
  ),
  // Mostly none that is one: to stretch it takes a quarter of a second.
  passphrase: fc.oneof({ weight: 30, arbitrary: fc.constantFrom('', 5, null, '\ud800') }, fc.constant('open sesame')),
  includeSensitive: fc.boolean(),
  turns: fc.array(fc.record({ session: text, text }), { maxLength: 3 }),
  session: fc.constantFrom('s', 'monday'),
  label: fc.oneof(text, fc.constant('tone')),
  name: fc.oneof(text, fc.constant('plan')),
  patch: value,
  lease: fc.constantFrom('l', 'm'),
  brief: value,
  sentences: fc.integer({ min: -1, max: 60 }),
  document: fc.oneof(text, fc.constantFrom('manual', 'guide')),
  content: fc.oneof(text, fc.constantFrom('# A\n\nb', '<h1>A</h1>b', '>'.repeat(5_000))),
  format: fc.constantFrom('markdown', 'html', 'text'),
  title: text,
  source: fc.oneof(text, fc.constantFrom('manual', 'manual#a')),
  collection: fc.constantFrom('people', 'people', 'people', 'x'),
  record: fc.constantFrom('a', 'b'),
  fields: fc.dictionary(
    fc.constantFrom('age', 'name', 'x'),
    fc.oneof(fc.constant({ type: 'number' }), fc.nat(9), fc.constant(null), fc.constant('text')),
  ),
  where: fc.dictionary(
    fc.constantFrom('age', 'name', 'x'),
    fc.oneof(fc.nat(9), fc.constant(null), fc.record({ gte: fc.nat(9) })),
  ),
  sort: fc.array(fc.record({ field: fc.constantFrom('age', 'x') }), { maxLength: 2 }),
  token: fc.oneof(fc.nat(3), fc.double()),
  holder: text,
  fence: fc.record({ lease: text, token: fc.nat(3) }),
  order: fc.constantFrom('newest', 'oldest'),
  messages: fc.array(
    fc.record(
      {
        role: fc.constantFrom('user', 'assistant', 'tool', 'pirate'),
        speaker: fc.oneof(text, fc.constant(null)),
        text: fc.oneof(
          text,
          fc.constantFrom(
            'I live in Porto.',
            'My sister Anna hates rain.',
            'Forget that.',
            'Forget everything you know about me.',
          ),
        ),
        at: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01', '1970-01-01', 'yesterday'),
      },
      { requiredKeys: ['text'] },
    ),
    { maxLength: 4 },
  ),
  observedAt: fc.constantFrom('2026-01-01', 'yesterday'),
  external: fc.boolean(),
  texts: fc.array(text),
  stored: fc.boolean(),
  defer: fc.boolean(),
  attributes: fc.array(fc.record({ attribute: text, cardinality: fc.constantFrom('one', 'many', 'few') })),
}

const ALWAYS: Readonly<Partial<Record<CallName, readonly string[]>>> = {
  'memory.set': ['value'],
  'memory.update': ['key'],
  'memory.updateById': ['id'],
  'memory.getById': ['id'],
  'memory.bulkSet': ['entries'],
  'memory.import': ['archive'],
  'memory.search': ['query'],
  'users.profile': ['user'],
  'users.export': ['user'],
  'users.erase': ['user'],
  'memory.ask': ['question'],
  'context.pack': ['query'],
  'context.offload': ['content'],
  'context.fetch': ['handle'],
  'context.told': ['texts'],
  'memory.get': ['key'],
  'memory.history': ['key'],
  'memory.delete': ['key'],
  'memory.restore': ['key'],
  'conflicts.resolve': ['id', 'action'],
  'proposals.decide': ['id', 'action'],
  'memory.reject': ['key', 'reason'],
  'memory.pin': ['value'],
  'memory.unpin': ['key'],
  'memory.lock': ['key', 'mode', 'reason'],
  'memory.unlock': ['key'],
  'blacklist.add': ['pattern', 'patternType'],
  'blacklist.remove': ['id'],
  'memory.verify': ['key'],
  'memory.provenance': ['key'],
  'memory.lineage': ['key'],
  'memory.evidence': ['key'],
  'memory.outcome': ['key', 'outcome'],
  'runs.complete': ['memoriesUsed', 'outcome'],
  'memory.apply': ['filter', 'action'],
  'memory.promote': ['key', 'to', 'from'],
  'memory.related': ['key'],
  'memory.inspect': ['key'],
  'memory.diff': ['key'],
  'memory.redact': ['key', 'version', 'reason'],
  'memory.setFromMessages': ['messages'],
  'learning.get': ['queueId'],
  'learning.cancel': ['queueId'],
  'namespaces.rollback': ['to'],
  'conversations.append': ['turns'],
  'conversations.recall': ['query'],
  'profile.set': ['label', 'value'],
  'profile.get': ['label'],
  'profile.delete': ['label'],
  'working.set': ['name', 'value'],
  'sessions.setBrief': ['session', 'brief'],
  'sessions.brief': ['session'],
  'sessions.digest': ['session'],
  'sessions.find': ['query'],
  'knowledge.add': ['document', 'content'],
  'knowledge.upsert': ['document', 'content'],
  'knowledge.get': ['source'],
  'knowledge.remove': ['document'],
  'records.define': ['collection', 'fields'],
  'records.put': ['collection', 'record', 'fields'],
  'records.get': ['collection', 'record'],
  'records.list': ['collection'],
  'records.remove': ['collection', 'record'],
  'working.patch': ['name', 'patch'],
  'working.get': ['name'],
  'working.delete': ['name'],
  'working.acquire': ['lease'],
  'working.renew': ['lease', 'token'],
  'working.release': ['lease', 'token'],
}

const fieldsOf = (name: CallName): readonly string[] => Object.keys((CALLS[name].input as { shape?: object }).shape ?? {})

/** Those of the actions that a call has, most of the time. */
const actionOf = (name: CallName) => {
  const own = { 'proposals.decide': ['accept', 'reject'], 'conflicts.resolve': ['revise', 'allow', 'contract'] }
  const actions = name === 'proposals.decide' || name === 'conflicts.resolve' ? own[name] : BULK_ACTIONS
  return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...actions) }, FIELDS['action'] ?? anything)
}

/** What stands and may be promoted, most of the time. */
const PROMOTED = {
  key: fc.oneof({ weight: 4, arbitrary: fc.constantFrom('a', 'a/b', 'user/home/city') }, key),
  to: fc.oneof({ weight: 4, arbitrary: fc.constant('global') }, fc.constantFrom('user', 'session', '2026-01-01T00:00:00Z')),
}

/** Inputs that a schema nearly accepts, and some that are nothing like it. */
const inputsOf = (name: CallName, ids: readonly string[], versions: readonly string[]): fc.Arbitrary<unknown> => {
  const moment = fc.oneof(text, fc.constantFrom('1767225600000000000', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.050Z'))
  const ofRows = {
    version: versions.length === 0 ? text : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...versions) }, text),
    ...(name === 'memory.redact' ? { key: fc.oneof({ weight: 4, arbitrary: fc.constant('a') }, key) } : {}),
    action: actionOf(name),
    ...(name === 'memory.promote' ? PROMOTED : { from: moment, to: moment }),
  }
  const id = fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...ids) }, text)
  const fields = { ...FIELDS, id, queueId: id, handle: id, ...ofRows }
  const usual = (field: string) => (Object.hasOwn(fields, field) ? fields[field as keyof typeof fields] : anything)
  const always = ALWAYS[name] ?? []
  const others = [...new Set([...fieldsOf(name), ...Object.keys(FIELDS)])].filter(
    (field) => field in FIELDS && !always.includes(field),
  )
  const own = others.filter((field) => fieldsOf(name).includes(field))
  const some = fc.uniqueArray(fc.constantFrom(...(own.length > 0 ? own : others)), { maxLength: 3 })
  const stray = fc.uniqueArray(fc.oneof(fc.constantFrom(...others), text), { maxLength: 1 })
  const near = fc
    .tuple(some, fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, stray))
    .chain(([chosen, extra]) =>
      fc.record(
        Object.fromEntries(
          [...always, ...chosen, ...extra].map((field) => [
            field,
            fc.oneof({ weight: 5, arbitrary: usual(field) as fc.Arbitrary<unknown> }, anything),
          ]),
        ),
        { noNullPrototype: false },
      ),
    )
  return fc.oneof({ weight: 6, arbitrary: near }, anything, polluting)
}

const SCOPES: readonly ScopePatch[] = [
  {},
  { user: 'ana' },
  { user: null },
  { user: '*' },
  { user: '' },
  { user: 'ana', session: 's', agent: 'x' },
]

/** Whose conflicts and proposals there are. */
const ANA: ScopePatch = { user: 'ana' }

const prepare = async (): Promise<TestMemory> => {
  const memory = await createTestMemory()
  for (const name of ['a', 'a/b', 'user/home/city', 'k1', 'k2']) {
    await memory.call('memory.set', { key: name, value: `Alice wrote ${name} and lives in Berlin.` })
    await memory.call('memory.set', { key: name, value: `Ana wrote ${name}.` }, { user: 'ana' })
  }
  for (const scope of [{}, { user: 'ana' }])
    for (const pattern of ['falcon', 'osprey', 'kestrel'])
      await memory.call('blacklist.add', { pattern, patternType: 'substring' }, scope)
  for (const scope of [{}, { user: 'ana' }])
    await memory.call('conversations.append', { turns: [{ session: 's', text: 'We fly to Oslo.' }] }, scope)
  for (const scope of [{}, { user: 'ana' }])
    await memory.call('records.define', { collection: 'people', fields: { age: { type: 'number' } } }, scope)
  // For deciding about.
  for (let i = 0; i < 12; i++)
    await memory.call('memory.set', { key: `deposit/${i}`, value: `The deposit is ${500 + i} euros.` }, { user: 'ana' })
  for (let i = 0; i < 12; i++) {
    const write = { key: `pinned/${i}`, value: `The door has code ${i}.`, onPinned: 'propose' }
    await memory.call('memory.pin', { key: write.key, value: `The gate has code ${i}.` }, { user: 'ana' })
    await memory.call('memory.set', write, { user: 'ana' })
  }
  await memory.call('memory.setFromMessages', { messages: [{ text: 'I live in Porto.' }], defer: true }, { user: 'ana' })
  await memory.call('context.offload', { content: 'The kettle is blue. '.repeat(50) }, { user: 'ana' })
  // For restoring.
  for (const scope of [{}, { user: 'ana' }])
    for (const name of ['k1', 'k2']) await memory.call('memory.delete', { key: name }, scope)
  return memory
}

test.each(Object.keys(CALLS) as CallName[])(
  `%s answers ${RUNS} random inputs, or refuses them with an error of ours`,
  async (name) => {
    const memory = await prepare()
    const filter = name === 'proposals.decide' ? { includeProposed: true, keyPrefix: 'pinned/' } : {}
    const { rows } = await memory.call<ListResult>('memory.list', filter, { user: 'ana' })
    const rules = await memory.call<readonly BlacklistRule[]>('blacklist.list', {}, { user: 'ana' })
    const versions = rows.filter((row) => row.key === 'a').map(({ version }) => version)
    const waiting = await memory.call<readonly { readonly queueId: string }[]>('learning.list', {}, { user: 'ana' })
    const aside = memory.db.all<{ handle: string }>(sql`select handle from offloads`)
    const ids = name.startsWith('learning.')
      ? waiting.map(({ queueId }) => queueId)
      : name === 'context.fetch'
        ? aside.map(({ handle }) => handle)
        : (name === 'blacklist.remove' ? rules : rows).map(({ id }) => id)
    const prototype = Object.getOwnPropertyNames(Object.prototype)
    const codes = new Set<string>()
    // What is promoted to all is said by who speaks for all.
    const usual = name === 'memory.promote' ? {} : ANA
    await fc.assert(
      fc.asyncProperty(
        inputsOf(name, ids, versions),
        fc.constantFrom(...SCOPES, usual, usual, usual),
        async (input, scope) => {
          try {
            await memory.call(name, input, scope)
            codes.add('ok')
          } catch (error) {
            if (!(error instanceof MemoryError)) throw error
            expect(Object.keys(ERROR_STATUS)).toContain(error.code)
            expect(error.code).not.toBe('INTERNAL')
            codes.add(error.code)
          }
          expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
        },
      ),
      { numRuns: RUNS },
    )
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(prototype)
    // The inputs are near enough to reach behind the schemas, and far enough to be refused.
    expect([...codes]).toContain('INVALID_ARGUMENT')
    expect([...codes]).toContain('ok')
    expect(memory.db.get(sql`pragma integrity_check`)).toEqual({ integrity_check: 'ok' })
    await memory.call('memory.settled')
    expect(await memory.call('memory.list', { limit: 1000 })).toHaveProperty('rows')
  },
  RUNS * 200,
)
