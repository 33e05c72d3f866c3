import { join } from 'node:path'
import { createServer } from 'vite'
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import webpack from 'webpack'
import { type LaunchedBrowser, launchBrowser } from '../support/chromium.js'
import { type Consumer, createConsumer, TOOLS } from '../support/consumer.js'
import { startServer } from '../support/server.js'

const page = (script: string) => `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8" /><title>App</title><link rel="icon" href="data:," /></head>
  <body>${script}</body>
</html>
`

/** As much of a library of models as is used, without a file: what counts is how it gets into the embedder worker. */
const LIBRARY = `
const tokenizer = () => ({ input_ids: { dims: [1, 1] } })
const letters = [...'abcdefghijklmnopqrstuvwxyz']
const counts = (text) => letters.map((letter) => text.toLowerCase().split(letter).length - 1)
const extract = async (texts) => ({ data: texts.flatMap(counts), dims: [texts.length, letters.length] })
export const env = {}
export const pipeline = async () => Object.assign(extract, { tokenizer })
`

const app = (from: string) => `import { openMemory, transformersEmbedder } from '${from}'

const LIBRARY = ${JSON.stringify(LIBRARY)}

globalThis.remember = async () => {
  const memory = await openMemory('pkg-test')
  await memory.set({ key: 'a/b', value: 'Alice lives in Berlin.' })
  const { value } = await memory.get('a/b')
  const url = URL.createObjectURL(new Blob([LIBRARY], { type: 'text/javascript' }))
  const embedder = transformersEmbedder({ url, model: 'none' })
  const other = await openMemory({ name: 'pkg-model', embedder })
  await other.set({ key: 'a/b', value })
  return (await other.search('Alice lives in Berlin.', { legs: ['vector'] })).hits[0].value
}
`

// An evaluation has no time limit of its own.
const REMEMBER = `Promise.race([
  remember(),
  new Promise((_, reject) => setTimeout(() => reject(new Error('No answer within 40 seconds.')), 40_000)),
])`

let browser: LaunchedBrowser
let consumer: Consumer
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())
beforeEach(async () => {
  consumer = await createConsumer(inject('tarball'), {
    'index.html': page('<script type="module" src="./main.js"></script>'),
    'main.js': app('palimpsest'),
  })
})
afterEach(() => consumer.remove())

/** Opens the app and lets it remember something, with nothing but what its own server has. */
const expectRemembers = async (origin: string) => {
  browser.errors.length = 0
  const tab = await browser.context.newPage()
  const asked: string[] = []
  tab.on('request', (request) => asked.push(request.url()))
  await tab.goto(`${origin}/`)
  await tab
    .waitForFunction(() => 'remember' in globalThis, undefined, { timeout: 40_000 })
    .catch((cause) => {
      throw new Error(`The app did not load: ${browser.errors.join('\n') || 'no error on the console'}`, { cause })
    })
  expect(await tab.evaluate(REMEMBER)).toBe('Alice lives in Berlin.')
  expect(browser.errors).toEqual([])

  const originsOf = (urls: readonly string[]) => [...new Set(urls.map((url) => new URL(url).origin))]
  expect(originsOf(tab.workers().map((worker) => worker.url()))).toEqual([origin])
  expect(originsOf(asked.filter((url) => url.endsWith('.wasm')))).toEqual([origin])
  expect(originsOf(asked.filter((url) => url.startsWith('http')))).toEqual([origin])
  await tab.close()
}

const expectRemembersFrom = async (folder: string) => {
  const server = await startServer({ mounts: { '/': folder } })
  try {
    await expectRemembers(server.origin)
  } finally {
    await server.close()
  }
}

test('works on the Vite dev server', async () => {
  const vite = await createServer({
    root: consumer.folder,
    configFile: false,
    logLevel: 'warn',
    server: { host: '127.0.0.1', port: 0, watch: null },
  })
  try {
    await vite.listen()
    const [url] = vite.resolvedUrls?.local ?? []
    await expectRemembers(new URL(url ?? '').origin)
  } finally {
    await vite.close()
  }
})

test('works in a Vite build, without a warning', async () => {
  expect(await consumer.node(TOOLS.vite, 'build', '--outDir', 'out', '--logLevel', 'warn')).toBe('')
  await expectRemembersFrom(join(consumer.folder, 'out'))
})

test('works in a webpack build, without a warning', async () => {
  const compiler = webpack({
    context: consumer.folder,
    mode: 'production',
    entry: './main.js',
    output: { path: join(consumer.folder, 'out'), filename: 'app.js' },
    performance: { hints: false },
  })
  const stats = await new Promise<webpack.Stats | undefined>((resolve, reject) =>
    compiler?.run((error, result) => (error ? reject(error) : resolve(result))),
  )
  expect(stats?.toJson({ all: false, errors: true, warnings: true })).toMatchObject({ errors: [], warnings: [] })
  const server = await startServer({
    mounts: { '/': join(consumer.folder, 'out') },
    overrides: (path) => (path === '/' ? { body: page('<script src="./app.js"></script>') } : undefined),
  })
  try {
    await expectRemembers(server.origin)
  } finally {
    await server.close()
  }
})

test('works from a plain module script, without a bundler', async () => {
  const server = await startServer({
    mounts: { '/': consumer.folder },
    overrides: (path) => (path === '/main.js' ? { body: app('./node_modules/palimpsest/dist/index.js') } : undefined),
  })
  try {
    await expectRemembers(server.origin)
  } finally {
    await server.close()
  }
})

test('can be imported on a server, where it does nothing until it is asked to', async () => {
  const script = "import { openMemory } from 'palimpsest'; console.log(typeof openMemory)"
  expect(await consumer.node('--input-type=module', '--eval', script)).toBe('function\n')
})
