import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Consumer, createConsumer, TOOLS } from '../support/consumer.js'

interface Manifest {
  readonly 'size-budgets': Readonly<Record<string, { readonly gzip?: number; readonly raw?: number }>>
  readonly exports: Readonly<Record<string, unknown>>
}

const ASSETS = [
  'worker.js',
  'embedder-worker.js',
  'pattern-worker.js',
  'sqlite3.wasm',
  'static-256.bin',
  'language.js',
  'repair.js',
  'search.js',
  'seldom.js',
  'extract.js',
  'lexicon.txt',
]
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest
const budgets = Object.entries(manifest['size-budgets'])

let consumer: Consumer
beforeAll(async () => {
  consumer = await createConsumer(inject('tarball'), {})
})
afterAll(() => consumer.remove())

const packed = (path: string): Buffer => readFileSync(join(consumer.packageFolder, path))

test('publint has nothing to say', async () => {
  const { messages, pkg } = await publint({ pkgDir: consumer.packageFolder, pack: false, strict: true })
  expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([])
})

test('types resolve for every kind of importer (arethetypeswrong)', async () => {
  const args = ['--profile', 'esm-only', '--no-color', '--no-emoji', '--exclude-entrypoints', ...ASSETS]
  expect(await consumer.node(TOOLS.attw, inject('tarball'), ...args)).toContain('OK (ESM)')
})

test('every file that the exports name is in the package', () => {
  const targets = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'string' ? [entry] : Object.values(entry as Record<string, string>),
  )
  expect(targets.length).toBeGreaterThan(ASSETS.length)
  for (const target of targets) expect(packed(target).length, target).toBeGreaterThan(0)
})

test('the budgets cover what a page loads', () => {
  expect(budgets.map(([path]) => path)).toEqual(
    expect.arrayContaining(['dist/index.js', 'dist/worker.js', 'dist/embedder-worker.js', 'dist/pattern-worker.js']),
  )
})

test.each(budgets)('%s stays within its size budget', (path, budget) => {
  const file = packed(path)
  const sizes = { gzip: gzipSync(file, { level: 9 }).length, raw: file.length }
  for (const kind of ['gzip', 'raw'] as const) {
    const limit = budget[kind]
    if (limit === undefined) continue
    console.log(`${path}: ${sizes[kind]} of ${limit} bytes (${kind})`)
    expect(sizes[kind], `${path}, ${kind}`).toBeLessThanOrEqual(limit)
  }
  expect(budget.gzip ?? budget.raw, `${path} has a limit`).toBeGreaterThan(0)
})

test('the assets are named by literal URLs, the only form that every bundler finds', () => {
  const urls =
    packed('dist/index.js')
      .toString()
      .match(/new URL\(.*?, import\.meta\.url\)/g) ?? []
  expect([...new Set(urls)].sort()).toEqual(ASSETS.map((asset) => `new URL("./${asset}", import.meta.url)`).sort())
})
