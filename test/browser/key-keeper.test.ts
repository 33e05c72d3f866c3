import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keyKeeperContract } from '../contracts/key-keeper.contract.js'
import { bundle } from '../support/bundle.js'
import { type LaunchedBrowser, launchBrowser } from '../support/chromium.js'
import { startServer, type TestServer } from '../support/server.js'
import { STORAGE_MOUNTS } from '../support/storage-page.js'

let server: TestServer
let browser: LaunchedBrowser
let page: Page

beforeAll(async () => {
  const body = await bundle('browser/pages/keys-worker.ts')
  server = await startServer({
    mounts: STORAGE_MOUNTS,
    overrides: (path) => (path === '/pages/keys-worker.js' ? { body } : undefined),
  })
  browser = await launchBrowser()
  page = await browser.context.newPage()
  await page.goto(`${server.origin}/pages/blank.html`)
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

describe('keys in the IndexedDB of a browser', () => {
  keyKeeperContract.forEach(({ name }, index) => {
    test(name, async () => {
      const problem = await page.evaluate(
        (asked) =>
          new Promise((resolve) => {
            const worker = new Worker('/pages/keys-worker.js', { type: 'module' })
            worker.addEventListener('error', ({ message }) => resolve(message))
            worker.addEventListener('message', ({ data }) => {
              worker.terminate()
              resolve(data)
            })
            worker.postMessage(asked)
          }),
        index,
      )
      expect(problem).toBeNull()
    })
  })
})
