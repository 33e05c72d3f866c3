import { readFileSync } from 'node:fs'
import { parseSync } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PROTOCOL_VERSION } from '../../src/protocol/wire.js'
import { type LaunchedBrowser, launchBrowser } from '../support/chromium.js'
import { startServer, type TestServer } from '../support/server.js'

const code = readFileSync('dist/worker.js', 'utf8')

test.each(['script', 'module'] as const)('the worker parses as a %s', (sourceType) => {
  expect(parseSync('worker.js', code, { lang: 'js', sourceType }).errors.map(({ message }) => message)).toEqual([])
})

test('the worker has no import, export or import.meta that a bundler could rewrite or a classic worker refuse', () => {
  const { staticImports, staticExports, dynamicImports, importMetas } = parseSync('worker.js', code, { lang: 'js' }).module
  expect({ staticImports, staticExports, dynamicImports, importMetas }).toEqual({
    staticImports: [],
    staticExports: [],
    dynamicImports: [],
    importMetas: [],
  })
})

test('the worker is one strict-safe function, so that nothing of it becomes a global', () => {
  expect(parseSync('worker.js', code, { lang: 'js' }).program.body.map(({ type }) => type)).toEqual(['ExpressionStatement'])
})

let server: TestServer
let browser: LaunchedBrowser
beforeAll(async () => {
  server = await startServer()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

test.each(['classic', 'module'] as const)('the worker says hello as a %s worker', async (type) => {
  const page = await browser.context.newPage()
  await page.goto(`${server.origin}/pages/blank.html`)
  const hello = await page.evaluate(
    (workerType) =>
      new Promise((resolve, reject) => {
        const worker = new Worker('/dist/worker.js', { type: workerType })
        worker.onmessage = ({ data }) => resolve(data)
        worker.onerror = () => reject(new Error('The worker did not load.'))
      }),
    type,
  )
  expect(hello).toMatchObject({ type: 'palimpsest:hello', protocol: PROTOCOL_VERSION })
  expect(browser.errors).toEqual([])
})
