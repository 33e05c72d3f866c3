import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { eachNode, foldersOf, importsOf, type Source, sourcesIn } from './support/sources.js'

// A path that ends in a slash means all below it. The first row that fits a file counts; a file without a row fails.

interface Layer {
  readonly from: string
  readonly values: readonly string[]
  readonly types?: readonly string[]
}

const EVERYTHING = ['worker/', 'src/protocol/', 'src/schema/', 'src/domain/']

const LAYERS: readonly Layer[] = [
  { from: 'src/index.ts', values: ['src/'] },
  { from: 'src/schema/', values: ['src/schema/'] },
  { from: 'src/domain/', values: ['src/domain/'], types: ['src/schema/'] },
  { from: 'src/protocol/', values: ['src/protocol/', 'src/schema/'], types: ['src/domain/'] },
  {
    from: 'src/client/',
    values: ['src/client/', 'src/transformers/start.ts', 'src/protocol/', 'src/domain/'],
    types: ['src/transformers/', 'src/schema/'],
  },
  // Loaded apart from the page's first script, and by workers.
  {
    from: 'src/transformers/',
    values: ['src/transformers/', 'src/client/embedder-host.ts'],
    types: ['src/client/', 'src/protocol/'],
  },
  {
    from: 'src/agent/',
    values: ['src/agent/', 'src/domain/', 'src/protocol/errors.ts', 'src/protocol/new-id.ts'],
    types: ['src/client/', 'src/protocol/', 'src/schema/'],
  },
  { from: 'src/llm/', values: ['src/llm/'], types: ['src/protocol/', 'src/schema/'] },
  {
    from: 'worker/extract/',
    values: ['worker/extract/', 'src/domain/'],
    types: ['worker/operations/learning/talk-reader.ts'],
  },
  { from: 'worker/patterns/', values: ['worker/patterns/', 'src/domain/blacklist.ts'] },
  { from: 'worker/embedder/', values: ['src/transformers/'] },
  {
    from: 'worker/ports.ts',
    values: [],
    types: ['src/schema/', 'src/domain/', 'src/protocol/embedding.ts', 'src/protocol/judging.ts'],
  },
  { from: 'worker/digest.ts', values: [] },
  { from: 'worker/modules.ts', values: [] },
  { from: 'worker/repair/', values: ['worker/adapters/check/', 'worker/adapters/salvage/'] },
  {
    from: 'worker/seldom/',
    values: ['worker/operations/', 'worker/loops/', 'worker/parse.ts', 'src/protocol/'],
  },
  { from: 'worker/search/', values: ['worker/operations/finding/', 'worker/adapters/chrono-time.ts'] },
  { from: 'worker/sync/argon2/', values: [], types: ['worker/sync/'] },
  {
    from: 'worker/sync/',
    values: ['worker/sync/', 'src/domain/', 'src/schema/sync-wire.ts', 'src/schema/sync-keys.ts'],
    types: ['worker/ports.ts'],
  },
  { from: 'worker/documents/', values: [], types: ['src/domain/'] },
  { from: 'worker/language/', values: ['src/domain/'], types: ['worker/operations/language.ts'] },
  { from: 'worker/abort.ts', values: ['src/protocol/errors.ts'] },
  {
    from: 'worker/embedding/',
    values: ['worker/embedding/', 'worker/store/', 'worker/abort.ts', 'src/domain/', 'src/protocol/errors.ts'],
    types: ['worker/ports.ts', 'src/schema/'],
  },
  { from: 'worker/parse.ts', values: ['src/schema/', 'src/protocol/'] },
  { from: 'worker/scan/', values: ['worker/scan/'] },
  {
    from: 'worker/store/',
    values: ['worker/store/', 'worker/scan/', 'src/schema/', 'src/domain/', 'src/protocol/errors.ts'],
    types: ['worker/ports.ts'],
  },
  {
    from: 'worker/operations/',
    // The entries of a bulk write are a gate of their own: each is parsed alone.
    values: [
      'worker/operations/',
      'worker/store/',
      'worker/documents/',
      'worker/parse.ts',
      'src/domain/',
      'src/schema/',
      'src/protocol/errors.ts',
    ],
    types: ['worker/ports.ts', 'worker/embedding/', 'src/protocol/events.ts'],
  },
  {
    from: 'worker/loops/',
    values: ['worker/loops/', 'worker/operations/', 'worker/store/', 'src/domain/', 'src/protocol/errors.ts'],
    types: ['worker/ports.ts', 'worker/embedding/', 'src/schema/'],
  },
  {
    from: 'worker/adapters/',
    values: [
      'worker/adapters/',
      'worker/abort.ts',
      'worker/digest.ts',
      'worker/modules.ts',
      'src/domain/',
      'src/schema/',
      'src/protocol/errors.ts',
    ],
    types: [
      'worker/ports.ts',
      'worker/patterns/messages.ts',
      'src/protocol/embedding.ts',
      'src/protocol/judging.ts',
      'worker/operations/language.ts',
      'worker/sync/',
    ],
  },
  {
    from: 'worker/tabs/',
    values: ['worker/tabs/', 'worker/outcome.ts', 'src/protocol/'],
    types: ['worker/engine.ts', 'worker/ports.ts', 'src/domain/', 'src/schema/'],
  },
  { from: 'worker/live/', values: ['worker/live/'], types: ['src/protocol/', 'src/domain/', 'src/schema/'] },
  { from: 'worker/assets.ts', values: ['worker/digest.ts', 'src/protocol/errors.ts'] },
  { from: 'worker/outcome.ts', values: ['src/protocol/errors.ts'], types: ['src/protocol/wire.ts'] },
  { from: 'worker/open.ts', values: EVERYTHING },
  { from: 'worker/engine.ts', values: EVERYTHING },
  { from: 'worker/session.ts', values: EVERYTHING },
  { from: 'worker/main.ts', values: EVERYTHING },
]

/** Who may import which package: each has one home, so that replacing it changes one file. */
const PACKAGES: readonly Layer[] = [
  { from: 'comlink', values: ['src/protocol/wire.ts'] },
  { from: 'zod', values: ['src/schema/', 'worker/parse.ts'] },
  { from: 'idb', values: ['worker/adapters/idb/open.ts'] },
  { from: '@sqlite.org/sqlite-wasm', values: ['worker/adapters/sqlite.ts'], types: ['worker/adapters/'] },
  { from: 'marked', values: ['worker/documents/markdown.ts'] },
  { from: 'parse5', values: ['worker/documents/html.ts'] },
  { from: 'hash-wasm', values: ['worker/sync/argon2/main.ts'] },
  { from: 're2js', values: ['worker/patterns/match.ts'] },
  { from: 'compromise', values: ['worker/extract/words.ts'] },
  { from: 'chrono-node', values: ['worker/adapters/chrono-time.ts', 'worker/extract/dates.ts'] },
  { from: '@noble/hashes', values: ['src/domain/sha256.ts'] },
]

const MAX_LINES = 250
/** Files that may be longer, each with its reason. */
const LONG_FILES: Readonly<Record<string, string>> = {}

/** A folder of that name collects what nobody has found a name for. */
const FORBIDDEN_FOLDERS = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'lib', 'misc', 'shared'])

const IMPURE_NAMES = new Set(['Date', 'Promise', 'performance', 'crypto'])

const sources = sourcesIn('src', 'worker')

const within = (path: string, places: readonly string[] = []) =>
  places.some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place))

const layerViolations = (source: Source): string[] => {
  const layer = LAYERS.find(({ from }) => within(source.path, [from]))
  if (layer === undefined) return [`${source.path} is in no row of the import table`]
  return importsOf(source)
    .filter(({ ours }) => ours)
    .filter(({ target, typeOnly }) => !within(target, layer.values) && !(typeOnly && within(target, layer.types)))
    .map(({ target, typeOnly }) => `${source.path} imports ${typeOnly ? 'types' : 'values'} of ${target}`)
}

const packageViolations = (source: Source): string[] =>
  importsOf(source)
    .filter(({ ours }) => !ours)
    .filter(({ target, typeOnly }) => {
      const home = PACKAGES.find(({ from }) => from === target)
      return !within(source.path, home?.values) && !(typeOnly && within(source.path, home?.types))
    })
    .map(({ target, typeOnly }) => `${source.path} imports ${typeOnly ? 'types' : 'values'} of ${target}`)

const impurities = (source: Source): string[] => {
  const found: string[] = []
  eachNode(source, (node) => {
    const word = impurityOf(node)
    if (word !== null) found.push(`${source.path}: ${word}`)
  })
  return found
}

const impurityOf = (node: ts.Node): string | null => {
  if (node.kind === ts.SyntaxKind.AsyncKeyword) return 'async'
  if (ts.isAwaitExpression(node)) return 'await'
  if (ts.isThrowStatement(node)) return 'throw'
  if (ts.isPropertyAccessExpression(node) && node.getText() === 'Math.random') return 'Math.random'
  return ts.isIdentifier(node) && IMPURE_NAMES.has(node.text) && !isMemberName(node) ? node.text : null
}

const isMemberName = (node: ts.Identifier): boolean =>
  ts.isPropertyAccessExpression(node.parent) && node.parent.name === node

describe('the sources', () => {
  test('import only what the table allows', () => {
    expect(sources.flatMap(layerViolations)).toEqual([])
  })

  test('import each outside package in its one home only', () => {
    expect(sources.flatMap(packageViolations)).toEqual([])
  })

  test(`stay within ${MAX_LINES} lines, or say why not`, () => {
    const long = sources.filter(({ text }) => text.trimEnd().split('\n').length > MAX_LINES).map(({ path }) => path)
    expect(long).toEqual(Object.keys(LONG_FILES).sort())
  })

  test('keep time, chance, promises and exceptions out of the domain', () => {
    expect(sources.filter(({ path }) => path.startsWith('src/domain/')).flatMap(impurities)).toEqual([])
  })

  test('have no folder for odds and ends', () => {
    expect(foldersOf().filter((path) => FORBIDDEN_FOLDERS.has(path.split('/').at(-1) ?? ''))).toEqual([])
  })
})

describe('the checks above', () => {
  const domain = (text: string): Source => ({ path: 'src/domain/judge.ts', text })

  test('tell imports of values from imports of types', () => {
    expect(layerViolations(domain("import type { Key } from '../schema/scalars.js'"))).toEqual([])
    expect(layerViolations(domain("type A = import('../schema/scalars.js').Key"))).toEqual([])
    const refused = ['src/domain/judge.ts imports values of src/schema/scalars.ts']
    expect(layerViolations(domain("import { Key } from '../schema/scalars.js'"))).toEqual(refused)
    expect(layerViolations(domain("import { type Key } from '../schema/scalars.js'"))).toEqual(refused)
    expect(layerViolations(domain("export { Key } from '../schema/scalars.js'"))).toEqual(refused)
    expect(layerViolations(domain("export * from '../schema/scalars.js'"))).toEqual(refused)
    expect(layerViolations(domain("import '../schema/scalars.js'"))).toEqual(refused)
    expect(layerViolations(domain("const load = () => import('../schema/scalars.js')"))).toEqual(refused)
  })

  test('want a row for every file', () => {
    expect(layerViolations({ path: 'src/plugins/a.ts', text: '' })).toEqual([
      'src/plugins/a.ts is in no row of the import table',
    ])
  })

  test('know a package by its name, whatever its entry point', () => {
    expect(packageViolations({ path: 'src/schema/a.ts', text: "import * as z from 'zod/mini'" })).toEqual([])
    expect(packageViolations(domain("import { sha256 } from '@noble/hashes/sha2.js'"))).toEqual([
      'src/domain/judge.ts imports values of @noble/hashes',
    ])
    expect(packageViolations({ path: 'worker/main.ts', text: "import 'node:fs'" })).toEqual([
      'worker/main.ts imports values of node:fs',
    ])
    const types = "import type { Database } from '@sqlite.org/sqlite-wasm'"
    expect(packageViolations({ path: 'worker/adapters/opfs.ts', text: types })).toEqual([])
    expect(packageViolations({ path: 'worker/store/heads.ts', text: types })).toHaveLength(1)
  })

  test('find what is impure in code, and only there', () => {
    expect(impurities(domain('// throw new Date()\nexport const age = (a: Age) => a.Date + "async"'))).toEqual([])
    const words = (text: string) => impurities(domain(text)).map((line) => line.split(': ')[1])
    expect(words('export const a = async () => { await b() }')).toEqual(['async', 'await'])
    expect(words('export const a = () => { throw 1 }')).toEqual(['throw'])
    expect(words('export const a = Date.now() + Math.random()')).toEqual(['Date', 'Math.random'])
    expect(words('export type A = Promise<Date>')).toEqual(['Promise', 'Date'])
  })
})
