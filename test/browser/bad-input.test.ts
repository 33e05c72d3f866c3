import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Refusal, SECRET, tryBadInputs } from '../support/bad-inputs.js'
import { type LaunchedBrowser, launchBrowser } from '../support/chromium.js'
import { openPage } from '../support/memory-page.js'
import { startServer, type TestServer } from '../support/server.js'

let server: TestServer
let browser: LaunchedBrowser
let page: Page
let refusals: readonly Refusal[]
let before: unknown
let after: unknown

/** Everything that a write would change, and what pollution would. */
const state = () =>
  page.evaluate(async () => {
    const { memories, unsynced } = await memory.storage()
    const { rows } = await memory.list({ limit: 1000 })
    const probe = {} as Record<string, unknown>
    return {
      memories,
      unsynced,
      rows,
      polluted: [probe['polluted'], probe['user']],
      names: Object.getOwnPropertyNames(Object.prototype),
    }
  })

beforeAll(async () => {
  server = await startServer()
  browser = await launchBrowser()
  page = await openPage(browser.context, server)
  await page.evaluate(async () => {
    globalThis.memory = await openMemory({ name: 'bad-input', embedder: 'hash' })
    await memory.set({ key: 'there', value: 'It stands here from before.' })
  })
  before = await state()
  refusals = await page.evaluate(tryBadInputs)
  after = await state()
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

const titles = (wrong: readonly Refusal[]) =>
  wrong.map(({ title, code, message }) => `${title}: ${code ?? 'accepted'} ${message.slice(0, 120)}`)

test('every bad input is refused as INVALID_ARGUMENT', () => {
  expect(refusals.length).toBeGreaterThan(400)
  expect(titles(refusals.filter(({ code }) => code !== 'INVALID_ARGUMENT'))).toEqual([])
})

test('the refusal names the field', () => {
  const unnamed = refusals.filter(
    ({ code, field, paths }) =>
      code === 'INVALID_ARGUMENT' && !paths.some((path) => path === field || path.startsWith(`${field}.`)),
  )
  expect(
    unnamed.map(
      ({ title, field, paths, message }) => `${title}: ${paths.join()} instead of ${field}: ${message.slice(0, 120)}`,
    ),
  ).toEqual([])
})

test('the refusal repeats no value, and is short', () => {
  expect(titles(refusals.filter(({ said }) => said.includes(SECRET) || said.length > 3_000))).toEqual([])
})

test('nothing was written, and no prototype was changed', () => {
  expect(after).toEqual(before)
})

test('of a bulk write the bad entries are refused one by one, and the others written', async () => {
  const result = await page.evaluate(async () => {
    const entries = [
      null,
      5,
      { key: 'bulk/1', value: 'good' },
      { key: 'bulk 2', value: 'bad key' },
      { key: 'bulk/3' },
      { key: 'bulk/4', value: 1n },
      JSON.parse('{"key": "bulk/5", "value": {"__proto__": 1}}'),
      { key: 'bulk/6', value: 'good too' },
      { key: 'bulk/7', value: 'x', idempotencyKey: 'only for the whole' },
    ]
    const { results, written, failed } = await memory.bulkSet(entries as never)
    const { rows } = await memory.list({ keyPrefix: 'bulk/' })
    return {
      outcomes: results.map((entry) => (entry.ok ? entry.key : entry.code)),
      written,
      failed,
      keys: rows.map(({ key }) => key).sort(),
    }
  })
  const bad = 'INVALID_ARGUMENT'
  expect(result).toEqual({
    outcomes: [bad, bad, 'bulk/1', bad, bad, bad, bad, 'bulk/6', bad],
    written: 2,
    failed: 7,
    keys: ['bulk/1', 'bulk/6'],
  })
})

test('a question of 200 quotes, and other syntax, finds what is there or nothing', async () => {
  const counts = await page.evaluate(async () => {
    const queries = [
      '"'.repeat(200),
      "'".repeat(200),
      '*',
      '(',
      'NEAR(',
      'AND OR NOT',
      'value:stands',
      '\0',
      '%',
      '{}',
      '-stands',
      '\\',
    ]
    return Promise.all(
      queries.map(async (query) => (await attempt(() => memory.search(query))).value?.hits.length ?? 'failed'),
    )
  })
  for (const count of counts) expect(count).toBeTypeOf('number')
})

test('the worker still answers, and wrote nothing to the console', async () => {
  expect(await page.evaluate(async () => (await memory.get('there'))?.value)).toBe('It stands here from before.')
  expect(browser.errors.filter((error) => !error.includes('/dist/'))).toEqual([])
})
