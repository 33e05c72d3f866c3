import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { INT8_SHA256, prepareMiniLm } from '../../model/minilm.js'
import type { TransformersEmbedder, TransformersOptions } from '../../src/index.js'
import { embedderContract } from '../contracts/embedder.contract.js'
import { type LaunchedBrowser, launchBrowser } from '../support/chromium.js'
import { openPage } from '../support/memory-page.js'
import { type ModelServer, RUNTIME, startModelServer } from '../support/model-page.js'

// The real library and the real model: what takes seconds to load is loaded as seldom as possible.

let server: ModelServer
let browser: LaunchedBrowser
let page: Page

beforeAll(async () => {
  server = await startModelServer()
  browser = await launchBrowser()
  page = await server.openPage(browser.context)
})
afterAll(async () => {
  await browser.close()
  await server.close()
})
afterEach(() => {
  server.setOverrides(() => undefined)
  expect(browser.errors.splice(0)).toEqual([])
})

const MODEL = { model: 'all-MiniLM-L6-v2', wasmPaths: RUNTIME } satisfies Partial<TransformersOptions>
const HUGGING_FACE = '/transformers/transformers.min.js'
const XENOVA = '/xenova/transformers.min.js'

const SENTENCES = [
  'The user lives in Berlin.',
  'Berlin is where the user has her home.',
  'The database listens on port 5432.',
] as const

const cosine = (one: readonly number[] = [], other: readonly number[] = []): number =>
  one.reduce((sum, value, d) => sum + value * (other[d] as number), 0)

const modelRequests = () => server.requests.filter((path) => path.startsWith('/models/'))

describe('MiniLM in a worker of its own', () => {
  let vectors: readonly (readonly number[])[] = []

  test('means what the sentences mean, after a download that is checked and reported', async () => {
    const { checksums } = await prepareMiniLm()
    expect(checksums['onnx/model_quantized.onnx']?.sha256).toBe(INT8_SHA256)
    const seen = await page.evaluate(
      async ([options, sentences]) => {
        const shown: number[] = []
        const host = transformersEmbedder({ ...options, onProgress: ({ ratio }) => shown.push(ratio) })
        const reached = reach(host)
        const embedded = await embed(reached, sentences)
        reached.end()
        return { id: host.id, embedded, progress: reached.progress, shown }
      },
      [{ ...MODEL, url: HUGGING_FACE, files: checksums }, SENTENCES] as const,
    )
    expect(seen.id).toBe('transformers:all-MiniLM-L6-v2@main/q8/mean')
    expect(seen.embedded).not.toHaveProperty('message')
    vectors = seen.embedded.vectors ?? []
    expect(vectors.map(({ length }) => length)).toEqual([384, 384, 384])
    expect(cosine(vectors[0], vectors[0])).toBeCloseTo(1, 5)
    expect(cosine(vectors[0], vectors[1])).toBeGreaterThan(0.7)
    expect(cosine(vectors[0], vectors[2])).toBeLessThan(0.2)

    const loaded = seen.progress.map((made) => made.loaded)
    expect(loaded).toEqual([...loaded].sort((a, b) => a - b))
    expect(seen.shown).toEqual([...seen.shown].sort((a, b) => a - b))
    const last = seen.progress.at(-1)
    expect(last).toMatchObject({ ratio: 1, loaded: last?.total })
    expect(last?.loaded).toBeGreaterThan(23_000_000)
    expect(seen.shown.at(-1)).toBe(1)
    expect(await page.evaluate(() => startedWorkers.length)).toBe(1)
  })

  test('is the same under the library’s other name, and is not downloaded twice', async () => {
    const before = modelRequests().length
    const again = await page.evaluate(
      async ([options, sentences]) => {
        const reached = reach(transformersEmbedder(options))
        const embedded = await embed(reached, sentences)
        reached.end()
        return embedded
      },
      [{ ...MODEL, url: XENOVA }, SENTENCES] as const,
    )
    expect(again.vectors).toEqual(vectors)
    expect(modelRequests().length).toBe(before)
  })

  test('serves a worker of the app’s own, which has imported the library itself', async () => {
    const own = await page.evaluate(
      async ([options, sentences]) => {
        const worker = () => new Worker('/pages/own-embedder-worker.js', { type: 'module' })
        const reached = reach(transformersEmbedder({ ...options, worker }))
        const embedded = await embed(reached, sentences)
        reached.end()
        return embedded
      },
      [MODEL, SENTENCES] as const,
    )
    expect(own.vectors).toEqual(vectors)
  })

  test('works under a strict content security policy', async () => {
    const policy = {
      headers: {
        'content-security-policy':
          "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src data:",
      },
    }
    server.setOverrides((path) => (/\.(html|m?js)$/.test(path) ? policy : undefined))
    const strict = await openPage(browser.context, server, { path: '/pages/strict.html' })
    const found = await strict.evaluate(
      async (options) => {
        const memory = await openMemory({ name: 'strict', embedder: transformersEmbedder(options) })
        await memory.set({ key: 'user/home/city', value: 'The user lives in Berlin.' })
        await memory.set({ key: 'db/port', value: 'The database listens on port 5432.' })
        const { hits } = await memory.search('In which city does the user live?', { legs: ['vector'], limit: 1 })
        await memory.close()
        return hits.map(({ key }) => key)
      },
      { ...MODEL, url: HUGGING_FACE },
    )
    expect(found).toEqual(['user/home/city'])
    await strict.close()
  })

  test('runs on the page when the library’s function is given', async () => {
    await page.evaluate(`import('${HUGGING_FACE}').then((library) => { globalThis.library = library })`)
    const before = await page.evaluate(() => startedWorkers.length)
    const found = await page.evaluate(
      async ([options]) => {
        const { pipeline, env } = (globalThis as unknown as { library: Pick<TransformersOptions, 'pipeline' | 'env'> })
          .library
        const embedder = transformersEmbedder({ ...options, ...(pipeline && { pipeline }), ...(env && { env }) })
        const memory = await openMemory({ name: 'on-page', backend: 'memory', embedder })
        await memory.set({ key: 'user/home/city', value: 'The user lives in Berlin.' })
        await memory.set({ key: 'user/pet', value: 'The user has a cat named Mia.' })
        const { hits } = await memory.search('Does the user have a pet?', { legs: ['vector'], limit: 1 })
        await memory.close()
        return hits.map(({ key }) => key)
      },
      [MODEL] as const,
    )
    expect(found).toEqual(['user/pet'])
    // The database's alone.
    expect(await page.evaluate(() => startedWorkers.length)).toBe(before + 1)
  })
})

describe('the embedder contract', () => {
  beforeAll(async () => {
    await page.evaluate(
      async (options) => {
        const host = transformersEmbedder(options)
        const kept = reach(host)
        await embed(kept, ['a'])
        Object.assign(globalThis, { host, kept })
      },
      { ...MODEL, url: HUGGING_FACE },
    )
  })
  afterAll(() => page.evaluate(() => (globalThis as unknown as { kept: { end: () => void } }).kept.end()))

  test.each(embedderContract.map(({ name }, index) => ({ name, index })))('$name', ({ index }) =>
    page.evaluate((at) => keepContract((globalThis as unknown as { host: TransformersEmbedder }).host, at), index),
  )
})

describe('what the library cannot load is named, and the next call works', () => {
  const useTwice = (name: string) =>
    page.evaluate(
      async ([options, kept]) => {
        for (const cache of await caches.keys()) await caches.delete(cache)
        const reached = reach(transformersEmbedder(options))
        Object.assign(globalThis, { [kept]: reached })
        const failed = await embed(reached, ['a'])
        const names = await Promise.all((await caches.keys()).map(async (cache) => (await caches.open(cache)).keys()))
        return { failed, cached: names.flat().map(({ url }) => new URL(url).pathname) }
      },
      [{ ...MODEL, url: HUGGING_FACE }, name] as const,
    )

  test('when a web page stands in for the weights, and the runtime’s file is missing after that', async () => {
    const weights = '/models/all-MiniLM-L6-v2/onnx/model_quantized.onnx'
    const answers: Record<string, object> = {
      [weights]: { headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Not found</title>' },
    }
    server.setOverrides((path) => answers[path])
    const { failed, cached } = await useTwice('reached')
    expect(failed).toMatchObject({ code: 'EMBEDDING_FAILED', message: expect.stringContaining(weights) })
    expect(failed.message).toMatch(/web page/)
    expect(cached).not.toContain(weights)
    expect(cached).toContain('/models/all-MiniLM-L6-v2/config.json')

    answers[RUNTIME.wasm] = { status: 404 }
    delete answers[weights]
    const again = () =>
      page.evaluate(() => embed((globalThis as unknown as { reached: Parameters<typeof embed>[0] }).reached, ['a']))
    const second = await again()
    expect(second).toMatchObject({ code: 'EMBEDDING_FAILED', message: expect.stringContaining(RUNTIME.wasm) })
    expect(second.message).toMatch(/404/)

    delete answers[RUNTIME.wasm]
    expect((await again()).vectors?.[0]).toHaveLength(384)
    browser.errors.length = 0
  })
})
