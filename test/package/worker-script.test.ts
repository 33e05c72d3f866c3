import { readFileSync } from 'node:fs'
import { parseSync } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PROTOCOL_VERSION } from '../../src/protocol/wire.js'
import { type LaunchedBrowser, launchBrowser } from '../support/chromium.js'
import { startServer, type TestServer } from '../support/server.js'

/** The scripts that run in workers, with their first words. */
const SCRIPTS = [
  { name: 'worker.js', hello: { type: 'palimpsest:hello', protocol: PROTOCOL_VERSION }, dynamicImports: 1 },
  // What judging asks of language is imported with the first write; the library of models from where the app says.
  { name: 'embedder-worker.js', hello: { type: 'palimpsest:embedder' }, dynamicImports: 1 },
  { name: 'pattern-worker.js', hello: { type: 'palimpsest:patterns' }, dynamicImports: 0 },
].map((script) => ({ ...script, code: readFileSync(`dist/${script.name}`, 'utf8') }))

describe.each(SCRIPTS)('$name', ({ name, code, dynamicImports }) => {
  test.each(['script', 'module'] as const)('parses as a %s', (sourceType) => {
    expect(parseSync(name, code, { lang: 'js', sourceType }).errors.map(({ message }) => message)).toEqual([])
  })

  test('has no import, export or import.meta that a bundler could rewrite or a classic worker refuse', () => {
    const { module } = parseSync(name, code, { lang: 'js' })
    expect({ ...module, dynamicImports: module.dynamicImports.length }).toMatchObject({
      staticImports: [],
      staticExports: [],
      dynamicImports,
      importMetas: [],
    })
    // What is imported at run time is none of a bundler's business.
    for (const { start, end } of module.dynamicImports)
      for (const word of ['webpackIgnore: true', 'turbopackIgnore: true', '@vite-ignore'])
        expect(code.slice(start, end)).toContain(word)
  })

  test('is one strict-safe function, so that nothing of it becomes a global', () => {
    expect(parseSync(name, code, { lang: 'js' }).program.body.map(({ type }) => type)).toEqual(['ExpressionStatement'])
  })
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

describe.each(SCRIPTS)('$name', ({ name, hello }) => {
  test.each(['classic', 'module'] as const)('says hello as a %s worker', async (type) => {
    const page = await browser.context.newPage()
    await page.goto(`${server.origin}/pages/blank.html`)
    const heard = await page.evaluate(
      ([url, workerType]) =>
        new Promise((resolve, reject) => {
          const worker = new Worker(url, { type: workerType })
          worker.onmessage = ({ data }) => resolve(data)
          worker.onerror = () => reject(new Error('The worker did not load.'))
        }),
      [`/dist/${name}`, type] as const,
    )
    expect(heard).toMatchObject(hello)
    expect(browser.errors).toEqual([])
  })
})
