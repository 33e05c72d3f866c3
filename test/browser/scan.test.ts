import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { matrixContract } from '../contracts/vector-matrix.contract.js'
import { bundle } from '../support/bundle.js'
import { type LaunchedBrowser, launchBrowser } from '../support/chromium.js'
import { openPage } from '../support/memory-page.js'
import { startServer, type TestServer } from '../support/server.js'

let server: TestServer
let browser: LaunchedBrowser
let page: Page

beforeAll(async () => {
  const body = await bundle('browser/pages/scan-worker.ts')
  server = await startServer({ overrides: (path) => (path === '/pages/scan-worker.js' ? { body } : undefined) })
  browser = await launchBrowser()
  page = await openPage(browser.context, server)
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

describe.each(['simd', 'plain'])('a matrix in a worker, %s,', (form) => {
  matrixContract.forEach(({ name }, index) => {
    test(name, async () => {
      const problem = await page.evaluate(
        (asked) =>
          new Promise((resolve) => {
            const worker = new Worker('/pages/scan-worker.js', { type: 'module' })
            worker.addEventListener('error', ({ message }) => resolve(message))
            worker.addEventListener('message', ({ data }) => {
              worker.terminate()
              resolve(data)
            })
            worker.postMessage(asked)
          }),
        [form, index] as const,
      )
      expect(problem).toBeNull()
    })
  })
})

test('the library scans with the kernel, and without SIMD finds the same in the same order', async () => {
  const search = (name: string) =>
    page.evaluate(async (store) => {
      const memory = await openMemory({ name: store, backend: 'memory', embedder: 'hash' })
      await memory.bulkSet(
        Array.from({ length: 300 }, (_, i) => ({
          key: `note/${i}`,
          value: `Note ${i} about the number ${(i * 7919) % 300}.`,
        })),
      )
      const { hits, explain } = await memory.search('a note about number 42', {
        explain: true,
        limit: 50,
        legs: ['vector'],
      })
      await memory.close()
      return { scan: explain?.scan, found: hits.map(({ key, components }) => [key, components]) }
    }, name)
  const withKernel = await search('with')
  expect(withKernel).toMatchObject({ scan: 'simd' })
  expect(withKernel.found).toHaveLength(50)
  // A browser that knows WebAssembly and no SIMD: between SQLite's own modules, large and tiny, the kernel is known by its size.
  const worker = new TextDecoder().decode(await (await fetch(`${server.origin}/dist/worker.js`)).arrayBuffer())
  const body = `{
    const { Module } = WebAssembly
    WebAssembly.Module = new Proxy(Module, {
      construct: (target, [bytes]) => {
        if (bytes.byteLength > 1_000 && bytes.byteLength < 65_536) throw new WebAssembly.CompileError('no SIMD')
        return new target(bytes)
      },
    })
  }
  ${worker}`
  server.setOverrides((path) => (path === '/dist/worker.js' ? { body } : undefined))
  page = await openPage(browser.context, server)
  const without = await search('without')
  expect(without.scan).toBe('plain')
  expect(without.found).toEqual(withKernel.found)
})
