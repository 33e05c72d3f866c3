import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type LaunchedBrowser, launchBrowser } from '../support/chromium.js'
import { type ModelServer, startModelServer } from '../support/model-page.js'
import type { Override } from '../support/server.js'
import type { Embedded, ReachedEmbedder } from './pages/transformers-page.js'

// A small library of our own stands in for transformers.js: these tests are about files and workers.

declare global {
  /** The embedder that a test works with. */
  var reached: ReachedEmbedder
}

const LIBRARY = '/pages/tiny-transformers.js'
const CONFIG = '/models/tiny/config.json'
const WEIGHTS = '/models/tiny/onnx/model_quantized.onnx'
/** As a model starts, and long enough to arrive in parts. */
const BYTES = Buffer.alloc(300_000, 8)
const TYPE = { 'content-type': 'application/octet-stream' }
const SHA256 = createHash('sha256').update(BYTES).digest('hex')

let server: ModelServer
let browser: LaunchedBrowser
let page: Page
/** What the server answers, by path. */
let answers: Record<string, Override>

beforeAll(async () => {
  server = await startModelServer()
  browser = await launchBrowser()
  page = await server.openPage(browser.context)
})
afterAll(async () => {
  await browser.close()
  await server.close()
})
beforeEach(() => {
  answers = { [CONFIG]: { body: '{}' }, [WEIGHTS]: { body: BYTES, headers: TYPE } }
  server.setOverrides((path) => answers[path])
})
afterEach(async () => {
  await page.evaluate(async () => {
    globalThis.reached?.end()
    for (const name of await caches.keys()) await caches.delete(name)
  })
  await expect.poll(() => page.workers().length).toBe(0)
})

const use = (text: string): Promise<Embedded> => page.evaluate((given) => embed(globalThis.reached, [given]), text)

const start = (more: object = {}): Promise<void> =>
  page.evaluate(
    (options) => {
      globalThis.reached = reach(transformersEmbedder(options))
    },
    { url: LIBRARY, model: 'tiny', ...more },
  )

const kept = (): Promise<readonly string[]> =>
  page.evaluate(async () => {
    const names = await caches.keys()
    const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
    return requests.flat().map(({ url }) => new URL(url).pathname)
  })

const asked = (path: string): number => server.requests.filter((request) => request === path).length

/** How an answer begins that promises all the bytes. */
const promise = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { ...TYPE, 'content-length': BYTES.length, etag: '"one"' })

/** Sends the first bytes, and ends the connection when they have been read: a browser forgets what an error overtakes. */
const breakOff = (response: ServerResponse, bytes: number): void => {
  promise(response).write(BYTES.subarray(0, bytes), () => setTimeout(() => response.socket?.end(), 200))
}

const WORKS = { vectors: [[expect.closeTo(1, 5), 0, 0, 0]] }

describe('a start that fails names address and cause, keeps nothing, and the next one works, when', () => {
  const cases: readonly { title: string; path?: string; answer: Override; cause: RegExp; options?: object }[] = [
    {
      title: 'a web page stands in for the weights',
      answer: { headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Not found</title>' },
      cause: /web page/,
    },
    {
      title: 'a web page does so under another name',
      answer: { headers: TYPE, body: '\n<!DOCTYPE html><title>Not found</title>' },
      cause: /web page/,
    },
    {
      title: 'the weights are a pointer of Git LFS',
      answer: { headers: TYPE, body: 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n' },
      cause: /Git LFS/,
    },
    { title: 'the weights are not there', answer: { status: 404 }, cause: /answers 404/ },
    { title: 'the server breaks down', answer: { status: 503 }, cause: /answers 503/ },
    {
      title: 'the configuration is cut short',
      path: CONFIG,
      answer: { body: '{"model_type": "be' },
      cause: /is not JSON/,
    },
    {
      title: 'the weights are cut short, and said to be whole',
      answer: { body: BYTES.subarray(0, 100), headers: TYPE },
      options: { files: { 'onnx/model_quantized.onnx': { bytes: BYTES.length } } },
      cause: /100 bytes instead of 300000/,
    },
    {
      title: 'the weights are others',
      answer: { body: Buffer.alloc(300_000, 10), headers: TYPE },
      options: { files: { 'onnx/model_quantized.onnx': { sha256: SHA256 } } },
      cause: /not the file that is expected/,
    },
    {
      title: 'the connection breaks off again and again',
      answer: { answer: (_, response) => breakOff(response, 1000) },
      cause: /broke off after 1000 bytes/,
    },
    {
      title: 'nothing comes any more',
      answer: {
        answer: (_, response) => {
          promise(response).write(BYTES.subarray(0, 1000))
        },
      },
      cause: /stalled: nothing came for 300 ms/,
      options: { stallMs: 300 },
    },
    { title: 'the library is not there', path: LIBRARY, answer: { status: 404 }, cause: /could not be imported/ },
    {
      title: 'a web page stands in for the library',
      path: LIBRARY,
      answer: { headers: { 'content-type': 'text/html' }, body: '<!doctype html>' },
      cause: /could not be imported/,
    },
    {
      title: 'the library is something else',
      path: LIBRARY,
      answer: { body: 'export const other = 1' },
      cause: /has no function pipeline/,
    },
    {
      title: 'the embedder worker is not there',
      path: '/dist/embedder-worker.js',
      answer: { status: 404 },
      cause: /embedder-worker\.js does not run/,
    },
  ]
  test.each(cases)('$title', async ({ path = WEIGHTS, answer, cause, options }) => {
    const right = answers[path]
    answers[path] = answer
    await start(options)
    const failed = await use('d')
    expect(failed).toMatchObject({ code: 'EMBEDDING_FAILED', message: expect.stringMatching(cause) })
    expect(failed.message).toContain(path.split('/').at(-1))
    expect(await kept()).not.toContain(path)

    if (right === undefined) delete answers[path]
    else answers[path] = right
    expect(await use('d')).toEqual(WORKS)
    expect(await kept()).toEqual(expect.arrayContaining([CONFIG, WEIGHTS]))
  })
})

test('a download that breaks off goes on where it ended', async () => {
  const ranges: (string | undefined)[] = []
  answers[WEIGHTS] = {
    answer: ({ headers }, response) => {
      ranges.push(headers.range)
      const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0)
      if (from === 0) return breakOff(response, 120_000)
      const rest = BYTES.subarray(from)
      const range = `bytes ${from}-${BYTES.length - 1}/${BYTES.length}`
      response.writeHead(206, { ...TYPE, 'content-length': rest.length, 'content-range': range, etag: '"one"' })
      response.end(rest)
    },
  }
  await start({ files: { 'onnx/model_quantized.onnx': { bytes: BYTES.length, sha256: SHA256 } } })
  expect(await use('d')).toEqual(WORKS)
  expect(ranges.at(-1)).toBe('bytes=120000-')
  const progress = await page.evaluate(() => globalThis.reached.progress.map(({ loaded }) => loaded))
  expect(progress).toEqual([...progress].sort((a, b) => a - b))
})

test('a file that is kept is used without a request, and loaded anew when it is not the one that is expected', async () => {
  await start()
  expect(await use('d')).toEqual(WORKS)
  const before = asked(WEIGHTS)
  await page.evaluate(() => globalThis.reached.end())
  await start()
  expect(await use('d')).toEqual(WORKS)
  expect(asked(WEIGHTS)).toBe(before)

  await page.evaluate(async (path) => {
    globalThis.reached.end()
    await (await caches.open('palimpsest-models')).put(path, new Response(new Uint8Array(300_000).fill(9)))
  }, WEIGHTS)
  await start({ files: { 'onnx/model_quantized.onnx': { sha256: SHA256 } } })
  expect(await use('d')).toEqual(WORKS)
  expect(asked(WEIGHTS)).toBe(before + 1)
})

describe('a worker that is lost', () => {
  test('because somebody ended it fails what waits, and the next call starts another', async () => {
    await start()
    expect(await use('d')).toEqual(WORKS)
    const pending = page.evaluate(async () => {
      const waiting = embed(globalThis.reached, ['wait'])
      startedWorkers.at(-1)?.terminate()
      return waiting
    })
    expect(await pending).toMatchObject({ code: 'EMBEDDING_FAILED', message: expect.stringMatching(/ended/) })
    expect(await use('d')).toEqual(WORKS)
  })

  test('because its memory is full fails the call with the reason, and the next call starts another', async () => {
    await start()
    const before = await page.evaluate(() => startedWorkers.length)
    expect(await use('break down')).toMatchObject({
      code: 'EMBEDDING_FAILED',
      message: expect.stringMatching(/allocation failed/),
    })
    expect(await use('d')).toEqual(WORKS)
    expect(await page.evaluate(() => startedWorkers.length)).toBe(before + 2)
    await expect.poll(() => page.workers().length).toBe(1)
  })

  test('is not one that only refuses a text', async () => {
    await start()
    expect(await use('refuse')).toMatchObject({ code: 'EMBEDDING_FAILED', message: expect.stringMatching(/not this text/) })
    expect(await use('d')).toEqual(WORKS)
    expect(page.workers()).toHaveLength(1)
  })
})

test('a single text does not wait for a long list, and what is aborted is not gone on with', async () => {
  await start()
  const seen = await page.evaluate(async () => {
    const { embedder } = globalThis.reached
    await embedder.embed(['d'])
    const order: string[] = []
    const note = (name: string) => () => order.push(name)
    const controller = new AbortController()
    const long = embedder.embed(Array.from({ length: 2_000 }, () => 'd')).then(note('long'))
    const cut = embedder.embed(['wait'], { signal: controller.signal }).then(note('cut'), note('aborted'))
    controller.abort()
    await Promise.all([embedder.embed(['d']).then(note('single')), long, cut])
    return order
  })
  expect(seen).toEqual(['aborted', 'single', 'long'])
})

test('stores share one worker, which ends with the last of them', async () => {
  const seen = await page.evaluate(
    async (options) => {
      const before = startedWorkers.length
      const embedder = transformersEmbedder(options)
      const open = (name: string) => openMemory({ name, backend: 'memory', embedder })
      const [one, two] = await Promise.all([open('one'), open('two')])
      await Promise.all([one.set({ key: 'a', value: 'd' }), two.set({ key: 'a', value: 'd' })])
      const workers = startedWorkers.length - before
      await one.close()
      await two.set({ key: 'b', value: 'e' })
      const same = startedWorkers.length - before
      await two.close()
      return [workers, same]
    },
    { url: LIBRARY, model: 'tiny' },
  )
  // Two databases, and one model for both, which is gone after them.
  expect(seen).toEqual([3, 3])
})
