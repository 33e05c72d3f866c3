import { fileURLToPath } from 'node:url'
import type { BrowserContext, Page } from 'playwright-core'
import { prepareMiniLm } from '../../model/minilm.js'
import type * as transformersPage from '../browser/pages/transformers-page.js'
import { bundle } from './bundle.js'
import { openPage } from './memory-page.js'
import { PACKAGE_MOUNTS, startServer, type TestServer } from './server.js'

declare global {
  var reach: typeof transformersPage.reach
  var embed: typeof transformersPage.embed
  var keepContract: typeof transformersPage.keepContract
}

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Where the test server has transformers.js under its two names, its runtime, and models. */
const MOUNTS = {
  ...PACKAGE_MOUNTS,
  '/transformers/': at('node_modules/@huggingface/transformers/dist'),
  '/xenova/': at('node_modules/@xenova/transformers/dist'),
  '/runtime/': at('node_modules/onnxruntime-web/dist'),
  '/models/': at('.cache/model'),
}

/** The runtime without a GPU: half the size of the one that the library takes by itself. */
export const RUNTIME = {
  mjs: '/runtime/ort-wasm-simd-threaded.mjs',
  wasm: '/runtime/ort-wasm-simd-threaded.wasm',
} as const

export interface ModelServer extends TestServer {
  /** Opens a page that can reach embedders as the database worker does. */
  readonly openPage: (context: BrowserContext) => Promise<Page>
}

/** A server with everything that an embedder of transformers.js asks for. The model is made when it is not there. */
export const startModelServer = async (): Promise<ModelServer> => {
  await prepareMiniLm()
  const script = await bundle('browser/pages/transformers-page.ts')
  const server = await startServer({ mounts: MOUNTS })
  return {
    ...server,
    openPage: async (context) => {
      const page = await openPage(context, server)
      await page.addScriptTag({ content: script, type: 'module' })
      await page.waitForFunction('globalThis.keepContract')
      return page
    },
  }
}
