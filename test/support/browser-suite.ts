import { afterAll, beforeAll } from 'vitest'
import { type LaunchedBrowser, launchBrowser } from './chromium.js'
import { startServer, type TestServer } from './server.js'

/** One server and one browser for all tests of a file, there as soon as the first of them runs. */
export const useBrowser = (): { readonly server: TestServer; readonly browser: LaunchedBrowser } => {
  const suite = {} as { server: TestServer; browser: LaunchedBrowser }
  beforeAll(async () => {
    suite.server = await startServer()
    suite.browser = await launchBrowser()
  })
  afterAll(async () => {
    await suite.browser.close()
    await suite.server.close()
  })
  return suite
}
