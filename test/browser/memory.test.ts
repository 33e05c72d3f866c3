import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { MemoryCase } from '../contracts/memory.contract.js'
import { memoryContract } from '../contracts/memory.contract.js'
import { bundle } from '../support/bundle.js'
import { type LaunchedBrowser, launchBrowser } from '../support/chromium.js'
import { startServer, type TestServer } from '../support/server.js'

declare const globalThis: {
  memoryContract: readonly MemoryCase[]
  openMemory: (location: object) => Promise<Parameters<MemoryCase['run']>[0]>
}

describe('the library in a page, through the real worker', () => {
  let server: TestServer
  let browser: LaunchedBrowser
  let page: Page

  beforeAll(async () => {
    const script = await bundle('browser/pages/memory-contract.ts')
    server = await startServer()
    browser = await launchBrowser()
    page = await browser.context.newPage()
    await page.goto(`${server.origin}/pages/memory.html`)
    await page.waitForFunction('globalThis.openMemory')
    await page.addScriptTag({ content: script, type: 'module' })
    await page.waitForFunction('globalThis.memoryContract')
  })

  afterAll(async () => {
    await browser.close()
    await server.close()
  })

  for (const backend of ['opfs', 'idb', 'memory'] as const)
    describe(backend, () => {
      for (const [index, { name }] of memoryContract.entries())
        test(name, () =>
          page.evaluate(
            async ([place, at]) => {
              const memory = await globalThis.openMemory({ name: `contract-${place}-${at}`, backend: place })
              await globalThis.memoryContract[at]?.run(memory)
              await memory.close()
            },
            [backend, index] as const,
          ),
        )
    })
})
