import { existsSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ERROR_STATUS } from '../../src/protocol/errors.js'
import * as limits from '../../src/schema/scalars.js'
import { type LaunchedBrowser, launchBrowser } from '../support/chromium.js'
import { fencesOf, instrumented, literalsOfExported, membersOfExported, paperText, typeErrorsOf } from '../support/fences.js'
import { startServer, type TestServer } from '../support/server.js'

const README = paperText('README.md')
const fences = [...fencesOf('README.md'), ...fencesOf('AGENTS.md')]
const running = fences.filter(({ runs }) => runs)

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>An example</title>
    <link rel="icon" href="data:,">
    <script type="importmap">{ "imports": { "palimpsest": "/dist/index.js", "palimpsest/agent": "/dist/agent.js" } }</script>
  </head>
  <body></body>
</html>
`

interface Seen {
  /** What threw, or null. */
  readonly thrown: string | null
  readonly values: readonly (readonly [line: number, json: string])[]
}

/** Imports the fence as the module it is. Passed as text, so that the test runner leaves the import alone. */
const RUN = `(async () => {
  const values = []
  globalThis.saw = (line, value) => {
    values.push([line, JSON.stringify(value) ?? 'undefined'])
    return value
  }
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error('It did not end within 30 seconds.')), 30_000))
  try {
    await Promise.race([import('/fence.js'), late])
    return { thrown: null, values }
  } catch (error) {
    return { thrown: [error.code, error.name, error.message].filter(Boolean).join(' '), values }
  }
})()`

let server: TestServer
let browser: LaunchedBrowser
beforeAll(async () => {
  if (!existsSync('dist/index.d.ts')) throw new Error('Nothing to test: run `npm run build` first.')
  server = await startServer()
  browser = await launchBrowser()
})
afterEach(() => server.setOverrides(() => undefined))
afterAll(async () => {
  await browser.close()
  await server.close()
})

describe('the examples', () => {
  test('compile, strictly, against the declarations that ship', () => {
    expect(typeErrorsOf(fences)).toEqual([])
  })

  test.each(running.map((fence, i) => [fence.name, fence, i] as const))(
    '%s runs and says what it gives',
    async (_, fence, i) => {
      const { script, claims } = instrumented(fence)
      server.setOverrides((path) =>
        path === '/fence.js' ? { body: script } : path === '/fence.html' ? { body: PAGE } : undefined,
      )
      browser.errors.length = 0
      const page = await browser.context.newPage()
      // An origin of its own: whatever it stores under whatever name, it starts with nothing.
      await page.goto(`${server.origin.replace('127.0.0.1', `fence-${i}.localhost`)}/fence.html`)
      const { thrown, values } = await page.evaluate<Seen>(RUN)
      await page.close()
      expect(thrown).toBeNull()
      expect(values.map(([line, json]) => `line ${line}: ${json}`)).toEqual(
        claims.map(({ line, json }) => `line ${line}: ${JSON.stringify(JSON.parse(json))}`),
      )
      expect(browser.errors).toEqual([])
    },
  )

  test('a wrong claim, a claim behind no expression and a wrong type are found', () => {
    const fence = (code: string) => ({ name: 'made-up:1', code, runs: true })
    expect(instrumented(fence('let a = 1\na + 1 // => 3\n'))).toMatchObject({
      script: expect.stringContaining('saw(2, a + 1)'),
      claims: [{ line: 2, json: '3' }],
    })
    expect(() => instrumented(fence('const a = 1 // => 1\n'))).toThrow('not an expression')
    expect(
      typeErrorsOf([fence("import { openMemory } from 'palimpsest'\nopenMemory('a').set({ kye: 'b' })\n")]),
    ).toHaveLength(1)
  })
})

/** Inputs whose every member the manual explains. */
const INPUTS = [
  'OpenOptions',
  'PageEmbedder',
  'TransformersOptions',
  'ScopePatch',
  'SetInput',
  'UpdateInput',
  'UpdateByIdInput',
  'BulkEntry',
  'KeyOptions',
  'TargetOptions',
  'ListFilter',
  'HistoryOptions',
  'SearchOptions',
  'ConflictsFilter',
  'ResolveInput',
  'VerifyOptions',
  'LineageOptions',
  'AuditFilter',
  'CompleteRunInput',
  'OutcomeOptions',
  'ApplyInput',
  'PromoteOptions',
  'RelatedOptions',
  'DiffOptions',
  'TimelineInput',
  'UndoInput',
  'RedactOptions',
  'VerifyHistoryOptions',
  'RollbackInput',
  'Abortable',
  'ExportOptions',
  'ImportOptions',
  'Turn',
  'TurnsFilter',
  'RecallOptions',
  'DocumentOptions',
  'RecordsFilter',
  'ProfileSetOptions',
  'WorkingSetOptions',
  'AcquireOptions',
  'BriefOptions',
  'DigestOptions',
]
/** Answers likewise. */
const ANSWERS = [
  'WriteResult',
  'BulkResult',
  'DeleteResult',
  'ListResult',
  'SearchResult',
  'StorageReport',
  'LiveSnapshot',
  'EmbedderReport',
  'CalibrationReport',
  'Percentiles',
  'Conflict',
  'ConflictsResult',
  'ResolveResult',
  'VerifyResult',
  'Provenance',
  'Lineage',
  'LineageEntry',
  'AuditRow',
  'AuditListResult',
  'CompleteRunResult',
  'OutcomeResult',
  'ApplyResult',
  'PromoteResult',
  'RelatedMemory',
  'Inspection',
  'ImportReport',
  'ImportEntry',
  'DiffResult',
  'VersionRef',
  'FieldChange',
  'WordChange',
  'TimelineResult',
  'TimelineEvent',
  'RestoreResult',
  'PlannedRow',
  'PlannedState',
  'RedactResult',
  'VerifyReport',
  'AppendResult',
  'TurnRow',
  'TurnHit',
  'DocumentResult',
  'DocumentRow',
  'SectionRow',
  'RecordRow',
  'ProfileRow',
  'WorkingRow',
  'LeaseResult',
  'BriefRow',
  'DigestRow',
]

describe('the manual', () => {
  const members = membersOfExported([
    'Memory',
    'ConflictCalls',
    'EmbedderCalls',
    'BlacklistCalls',
    'AuditCalls',
    'RunCalls',
    'NamespaceCalls',
    'ConversationCalls',
    'KnowledgeCalls',
    'RecordCalls',
    'ProfileCalls',
    'WorkingCalls',
    'SessionCalls',
    'LiveQuery',
    ...INPUTS,
    ...ANSWERS,
  ])
  const headings = README.split('\n').filter((line) => line.startsWith('#'))

  test('has a heading for every call of a memory', () => {
    const { Memory = [] } = members
    expect(Memory.length).toBeGreaterThan(10)
    const named = (call: string) => headings.some((line) => line.includes(`${call}(`) || line.includes(`${call}.`))
    expect(Memory.filter((call) => !named(call))).toEqual([])
  })

  test.each([
    ['embedder', 'EmbedderCalls'],
    ['conflicts', 'ConflictCalls'],
    ['blacklist', 'BlacklistCalls'],
    ['namespaces', 'NamespaceCalls'],
    ['conversations', 'ConversationCalls'],
    ['knowledge', 'KnowledgeCalls'],
    ['records', 'RecordCalls'],
    ['profile', 'ProfileCalls'],
    ['working', 'WorkingCalls'],
    ['sessions', 'SessionCalls'],
  ])('has a heading for every call of %s', (name, type) => {
    const calls = members[type] ?? []
    expect(calls.length).toBeGreaterThan(1)
    expect(calls.filter((call) => !headings.some((line) => line.includes(`${name}.${call}(`)))).toEqual([])
  })

  test.each(['LiveQuery', ...INPUTS, ...ANSWERS])('names every member of %s', (type) => {
    const names = members[type] ?? []
    expect(names.length).toBeGreaterThan(0)
    expect(names.filter((name) => !name.startsWith('__') && !README.includes(`\`${name}`))).toEqual([])
  })

  test('names every abstain code, every phase of progress, and every word of history', () => {
    const words = literalsOfExported({
      AbstainCode: null,
      ProgressEvent: 'phase',
      Happening: null,
      KeptReason: null,
      RestoreAction: null,
      Flaw: null,
    })
    expect(words).toEqual(expect.arrayContaining(['nothing_close', 'database']))
    expect(words.filter((word) => !README.includes(`\`${word}\``))).toEqual([])
  })

  test('names everything that the package exports to programs', async () => {
    const [page, agent] = await Promise.all([import('../../src/index.js'), import('../../src/agent/main.js')])
    const names = [...Object.keys(page), ...Object.keys(agent)]
    expect(names).toEqual(expect.arrayContaining(['openMemory', 'agentMemory']))
    expect(names.filter((name) => !README.includes(`\`${name}`))).toEqual([])
  })

  test('states the sizes of the built files, to a tenth', () => {
    const rows = [...README.matchAll(/^\| `([\w.-]+)` \| ([\d,]+) \| ([\d,.]+) \|/gm)]
    expect(rows.map(([, file]) => file)).toEqual([
      'index.js',
      'worker.js',
      'embedder-worker.js',
      'sqlite3.wasm',
      'static-256.bin',
      'pattern-worker.js',
      'repair.js',
      'search.js',
      'seldom.js',
      'extract.js',
      'language.js',
      'lexicon.txt',
    ])
    for (const [, file = '', raw = '', gzip = ''] of rows) {
      const bytes = readFileSync(`dist/${file}`)
      const kilobytes = [bytes.length / 1000, gzipSync(bytes).length / 1000]
      const stated = [raw, gzip].map((size) => Number(size.replaceAll(',', '')))
      const off = stated.map((size, i) => Math.abs(size / (kilobytes[i] ?? 0) - 1))
      expect({ file, kilobytes, stated, fits: off.every((share) => share < 0.1) }).toMatchObject({ fits: true })
    }
  })

  test('has a row with the right status for every error code, and none for others', () => {
    const rows = [...README.matchAll(/^\| `([A-Z_]+)` \| (\d+) \|/gm)].map(({ 1: code = '', 2: status }) => [
      code,
      Number(status),
    ])
    expect(Object.fromEntries(rows)).toEqual(ERROR_STATUS)
  })

  test('states the limits that are in force', () => {
    const stated = (limit: number) => new RegExp(`\\b(${limit}|${limit.toLocaleString('en-US')})\\b`).test(README)
    const all: Readonly<Record<string, unknown>> = limits
    const numbers = Object.entries(all).filter((entry): entry is [string, number] => typeof entry[1] === 'number')
    expect(numbers.length).toBeGreaterThan(0)
    expect(numbers.filter(([, limit]) => !stated(limit)).map(([name]) => name)).toEqual([])
  })
})
