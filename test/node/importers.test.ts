import { expect, test } from 'vitest'
import type { MemoryRow } from '../../src/schema/records.js'
import { contentsOf, openElsewhere, versionsIn } from '../support/archives.js'
import { ALICE, MALLORY, refusal } from '../support/engine-calls.js'

const mem0 = (more: object = {}) => ({
  id: 'f6dd2bbc-7a24-4eb7-9fd0-0b4b8b8f3d52',
  memory: 'Alice works at Acme.',
  hash: 'd3b0',
  metadata: null,
  created_at: '2024-07-20T01:30:36.275141-07:00',
  updated_at: null,
  user_id: 'alice',
  ...more,
})

const row = (memory: Awaited<ReturnType<typeof openElsewhere>>, key: string | undefined, scope: object = ALICE) =>
  memory.call<MemoryRow | null>('memory.get', { key }, scope)

test('memories of mem0 become statements of the users and agents they name, dated, with keys made from them', async () => {
  const memory = await openElsewhere()
  const export_ = [
    mem0({ categories: ['work', 'work'], metadata: { mood: 'calm' }, run_id: 'run-9' }),
    mem0({
      id: 2,
      memory: 'Mallory likes chess.',
      user_id: 'mallory',
      agent_id: 'coach',
      updated_at: '2025-01-02T00:00:00Z',
    }),
    mem0({
      id: null,
      memory: 'The office is in Oslo.',
      user_id: null,
      created_at: '2024-01-01',
      expiration_date: '2030-06-01',
    }),
  ]
  const report = await memory.import(JSON.stringify(export_, null, 2))
  expect(report).toMatchObject({ format: 'mem0', mode: 'judged', memories: 3, versions: 3, outcomes: { written: 3 } })
  expect(report.entries).toMatchObject([
    { at: 1, outcome: 'written', key: 'alice/works-at', dropped: ['metadata'] },
    { at: 2, outcome: 'written' },
    { at: 3, outcome: 'written', dropped: ['created_at'] },
  ])
  expect(await row(memory, 'alice/works-at')).toMatchObject({
    value: 'Alice works at Acme.',
    tags: ['work'],
    sourceClass: 'imported',
    origin: 'mem0',
    sourceResourceId: 'f6dd2bbc-7a24-4eb7-9fd0-0b4b8b8f3d52',
    run: 'run-9',
    validAt: Date.parse('2024-07-20T08:30:36.275Z'),
    scope: { user: 'alice' },
  })
  const chess = await row(memory, report.entries[1]?.key, MALLORY)
  expect(chess).toMatchObject({ scope: { user: 'mallory', agent: 'coach' }, validAt: Date.parse('2025-01-02T00:00:00Z') })
  expect(await row(memory, report.entries[2]?.key, {})).toMatchObject({
    scope: { org: 'local', namespace: 'default' },
    validAt: null,
    expiresAt: Date.parse('2030-06-01T00:00:00Z'),
  })
  expect(await memory.found('who likes chess?')).toEqual([])
})

test.each([
  [
    'an answer of get_all',
    { results: [mem0()], relations: [{ source: 'alice', relationship: 'works_at', target: 'acme' }] },
  ],
  ['a page of it', { count: 1, next: null, previous: null, results: [mem0()] }],
  ['a list under its own name', { memories: [mem0()] }],
])('%s is read as well', async (_, answer) => {
  const memory = await openElsewhere()
  expect(await memory.import(new Blob([JSON.stringify(answer)]))).toMatchObject({ format: 'mem0', outcomes: { written: 1 } })
})

test('what a handle does not cover stays out, and who is named by nothing is refused', async () => {
  const memory = await openElsewhere()
  const given = [
    mem0(),
    mem0({ user_id: 'mallory' }),
    mem0({ user_id: undefined, memory: 'Alice has a cat called Mia.' }),
    mem0({ user_id: '*' }),
    mem0({ user_id: '' }),
  ]
  const report = await memory.import(JSON.stringify(given), {}, ALICE)
  expect(report.entries.map(({ outcome }) => outcome)).toEqual(['written', 'outside', 'written', 'outside', 'outside'])
  const users = versionsIn(memory.db).map(({ user }) => user)
  expect(users).toEqual(['=alice', '=alice'])
  const all = await memory.import(JSON.stringify([mem0({ user_id: '*' }), mem0({ user_id: '' })]))
  expect(all.entries).toMatchObject([
    { outcome: 'refused', code: 'INVALID_ARGUMENT' },
    { outcome: 'refused', code: 'INVALID_ARGUMENT' },
  ])
})

test('entries that are malformed are refused one by one, and say where; the others come in', async () => {
  const memory = await openElsewhere()
  const secret = 'do not repeat this'
  const given = [
    mem0(),
    null,
    5,
    {},
    { memory: '' },
    { memory: 7 },
    { memory: [secret] },
    mem0({ memory: '   ' }),
    mem0({ memory: `${secret}\ud800` }),
    mem0({ user_id: 5 }),
    mem0({ user_id: `${secret}\0` }),
    mem0({ id: { $oid: secret } }),
    mem0({ categories: secret }),
    mem0({ memory: 'x'.repeat(200_000) }),
    mem0({ memory: 'Alice has two sons.', created_at: 'yesterday', updated_at: '9999999-01-01' }),
  ]
  const report = await memory.import(
    `${JSON.stringify(given).slice(0, -1)},${'{"memory":"Alice paints.","__proto__":{"polluted":1}}'}]`,
  )
  const outcomes = report.entries.map(({ outcome }) => outcome)
  expect(outcomes).toEqual(['written', ...Array.from({ length: 13 }, () => 'refused'), 'written', 'written'])
  expect(report.entries.map(({ at }) => at)).toEqual(Array.from({ length: 16 }, (_, i) => i + 1))
  for (const { outcome, code, message = '' } of report.entries)
    if (outcome === 'refused') {
      expect(code).toBe('INVALID_ARGUMENT')
      expect(message).not.toBe('')
      expect(message).not.toContain(secret)
    }
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  expect(memory.db.get({ text: 'pragma integrity_check', values: [] })).toEqual({ integrity_check: 'ok' })
})

const GRAPH = [
  {
    type: 'entity',
    name: 'Ada Lovelace',
    entityType: 'person',
    observations: ['Speaks fluent French', 'Ada Lovelace was born in 1815'],
  },
  { type: 'entity', name: 'Analytical Engine', entityType: 'machine', observations: [] },
  { type: 'relation', from: 'Ada Lovelace', to: 'Analytical Engine', relationType: 'wrote_programs_for' },
]
const lines = (elements: readonly object[]): string => elements.map((element) => JSON.stringify(element)).join('\n')

test('entities and relations of the MCP memory server become statements that say whom they are about', async () => {
  const memory = await openElsewhere()
  const report = await memory.import(lines(GRAPH), {}, ALICE)
  expect(report).toMatchObject({ format: 'mcp-memory', memories: 4, outcomes: { written: 4 } })
  expect(report.entries.map(({ at, key }) => [at, key])).toEqual([
    [1, 'person/ada-lovelace/speaks-fluent-french'],
    [1, 'person/ada-lovelace/ada-lovelace-was-born-in-1815'],
    [2, 'machine/analytical-engine'],
    [3, 'person/ada-lovelace/wrote-programs-for/analytical-engine'],
  ])
  const rows = await Promise.all(report.entries.map(({ key }) => row(memory, key)))
  expect(rows.map((found) => found?.value)).toEqual([
    'Ada Lovelace: Speaks fluent French',
    'Ada Lovelace was born in 1815',
    'Analytical Engine is of the type machine.',
    'Ada Lovelace wrote programs for Analytical Engine.',
  ])
  expect(rows[0]).toMatchObject({
    tags: ['person'],
    entities: ['Ada Lovelace'],
    sourceClass: 'imported',
    origin: 'mcp-memory',
  })
  expect(rows[3]).toMatchObject({
    relations: [{ subject: 'Ada Lovelace', predicate: 'wrote programs for', object: 'Analytical Engine' }],
  })
  expect(await memory.found('who speaks French?')).toContain('person/ada-lovelace/speaks-fluent-french')
  expect(await memory.keys({}, MALLORY)).toEqual([])
})

test('the graph that the server answers with is read as well, and a second import changes nothing', async () => {
  const memory = await openElsewhere()
  const plain = GRAPH.map(({ type: _, ...element }) => element)
  const graph = JSON.stringify({ entities: plain.slice(0, 2), relations: plain.slice(2) })
  expect(await memory.import(graph)).toMatchObject({ format: 'mcp-memory', outcomes: { written: 4 } })
  const before = contentsOf(memory.db)
  expect(await memory.import(graph)).toMatchObject({ outcomes: { known: 4 } })
  expect(await memory.import(lines(GRAPH))).toMatchObject({ outcomes: { known: 4 } })
  expect(contentsOf(memory.db)).toEqual(before)
})

test('a statement that was deleted here does not come back with the same file, which gives no dates', async () => {
  const memory = await openElsewhere()
  await memory.import(lines(GRAPH), {}, ALICE)
  await memory.remove('person/ada-lovelace/speaks-fluent-french')
  expect(await memory.import(lines(GRAPH), {}, ALICE)).toMatchObject({ outcomes: { known: 3, deleted: 1 } })
  const changed = lines([{ ...GRAPH[0], observations: ['Speaks fluent French!'] }])
  expect((await memory.import(changed, {}, ALICE)).entries).toMatchObject([{ outcome: 'written' }])
})

test('observations that begin alike keep a key each', async () => {
  const memory = await openElsewhere()
  const same = 'Keeps the blue notebook about the weather of the year'
  const entity = {
    type: 'entity',
    name: 'Ada',
    entityType: 'person',
    observations: [`${same} 1842`, `${same} 1843`, `${same} 1842`],
  }
  const report = await memory.import(lines([entity]))
  expect(report.entries.map(({ key, outcome }) => [key, outcome])).toEqual([
    ['person/ada/keeps-blue-notebook-about-weather-year', 'written'],
    ['person/ada/keeps-blue-notebook-about-weather-year~2', 'written'],
    ['person/ada/keeps-blue-notebook-about-weather-year', 'known'],
  ])
})

test('lines that are malformed are refused one by one, and say where; the others come in', async () => {
  const memory = await openElsewhere()
  const text = [
    'not json',
    '{"type":"entity","name":"Ada","entityType":"person","observations":["Paints"]}',
    '{"type":"entity","name":"Bob"',
    '',
    '{"type":"entity","name":"","entityType":"person","observations":[]}',
    '{"type":"entity","name":"Bob","entityType":"person","observations":"Paints"}',
    '{"type":"entity","name":"Bob","entityType":"person","observations":["", 5]}',
    '{"type":"relation","from":"Ada","to":"Bob"}',
    '{"type":"wish","name":"Bob"}',
    'null',
    '[]',
    `{"type":"entity","name":"${'n'.repeat(600)}","entityType":"person","observations":["Is long"]}`,
    '{"type":"relation","from":"日本","to":"東京","relationType":"___"}\r',
  ].join('\n')
  const report = await memory.import(text)
  expect(report.entries.map(({ at, outcome }) => [at, outcome])).toEqual([
    [1, 'refused'],
    [2, 'written'],
    [3, 'refused'],
    [5, 'refused'],
    [6, 'refused'],
    [7, 'refused'],
    [8, 'refused'],
    [9, 'refused'],
    [10, 'refused'],
    [11, 'refused'],
    [12, 'refused'],
    [13, 'written'],
  ])
  expect(report.entries[5]?.message).toContain('lines.7.observations.0')
})

test('a secret in another system’s export is kept as one', async () => {
  const memory = await openElsewhere()
  const report = await memory.import(JSON.stringify([mem0({ memory: 'My password is hunter2hunter2.' })]))
  expect(await row(memory, report.entries[0]?.key)).toMatchObject({ sensitivity: 'high' })
  expect(await memory.found('password')).toEqual([])
})

test('an export of another system that is too large is refused before it is read to its end', async () => {
  const memory = await openElsewhere()
  const blob = new Blob(Array.from({ length: 70 }, () => 'x'.repeat(1024 * 1024)))
  await refusal(memory.import(blob), 'INVALID_ARGUMENT')
})
