import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { faultOf } from '../../src/transformers/check-file.js'
import { type DownloadOptions, download } from '../../src/transformers/download.js'
import { createModelFetch, type ModelFetchOptions } from '../../src/transformers/model-fetch.js'

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(text))
const WEIGHTS = new Uint8Array(1_000).fill(8)
const SHA256 = createHash('sha256').update(WEIGHTS).digest('hex')

describe('a file is refused', () => {
  test.each<[string, string, Uint8Array<ArrayBuffer>, Parameters<typeof faultOf>[2], RegExp | null]>([
    ['as a web page', '/a/model.onnx', bytesOf(' \n<!DOCTYPE html><html>'), {}, /web page/],
    ['as a web page, whatever it is called', '/a/vocab.txt', bytesOf('<html lang="en">'), {}, /web page/],
    ['as a pointer', '/a/model.onnx', bytesOf('version https://git-lfs.github.com/spec/v1'), {}, /Git LFS/],
    ['for its size', '/a/model.onnx', WEIGHTS, { bytes: 999 }, /1000 bytes instead of 999/],
    ['for its hash', '/a/model.onnx', WEIGHTS, { sha256: '0'.repeat(64) }, new RegExp(SHA256)],
    ['as JSON that is none', '/a/config.json', bytesOf('{"a": '), {}, /is not JSON/],
    ['as a model that is none', '/a/model.onnx', bytesOf('Not found, sorry about that'), {}, /is not an ONNX model/],
    ['as a model of nothing', '/a/model.onnx', new Uint8Array(), {}, /is not an ONNX model/],
    ['as a module that is none', '/a/ort.wasm', WEIGHTS, {}, /is not a WebAssembly module/],
    ['never when it is right', '/a/model.onnx', WEIGHTS, { bytes: 1_000, sha256: SHA256.toUpperCase() }, null],
    ['never as JSON that is some', '/a/config.json', bytesOf('{}'), {}, null],
    ['never for a kind nobody knows', '/a/merges.txt', bytesOf('#version: 0.2'), {}, null],
    ['never as a module', '/a/ort.wasm', bytesOf('\0asm\u0001\0\0\0'), {}, null],
  ])('%s', async (_, path, bytes, expected, fault) => {
    const found = await faultOf(path, bytes, expected)
    if (fault === null) expect(found).toBeNull()
    else expect(found).toMatch(fault)
  })
})

/** Answers to requests in turn; the last one goes on for ever. */
const server = (...answers: readonly ((range: string | null) => Response | Promise<Response>)[]) => {
  const ranges: (string | null)[] = []
  const fetch = (async (_input, init) => {
    init?.signal?.throwIfAborted()
    const range = new Headers(init?.headers).get('range')
    ranges.push(range)
    const answer = answers[Math.min(ranges.length, answers.length) - 1]
    return await (answer as (range: string | null) => Response)(range)
  }) as typeof globalThis.fetch
  return { fetch, ranges }
}

const whole = (): Response => new Response(WEIGHTS, { headers: { 'content-length': '1000', etag: '"one"' } })

/** The first bytes of the file, and then an error. */
const broken = (
  bytes: number,
  headers: Record<string, string> = { 'content-length': '1000', etag: '"one"' },
  status = 200,
) => {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(WEIGHTS.slice(0, bytes)),
    pull: (controller) => controller.error(new TypeError('network error')),
  })
  return new Response(body, { status, headers })
}

const rest = (from: number, etag = '"one"'): Response =>
  new Response(WEIGHTS.slice(from), {
    status: 206,
    headers: { 'content-range': `bytes ${from}-999/1000`, 'content-length': `${1_000 - from}`, etag },
  })

const load = (fetch: typeof globalThis.fetch, more: Partial<DownloadOptions> = {}) =>
  download('http://a/model.onnx', { fetch, stallMs: 1_000, pause: async () => undefined, onBytes: () => undefined, ...more })

describe('a download', () => {
  test('goes on where it broke off', async () => {
    const { fetch, ranges } = server(
      () => broken(400),
      () => rest(400),
    )
    expect(await load(fetch)).toMatchObject({ bytes: WEIGHTS })
    expect(ranges).toEqual([null, 'bytes=400-'])
  })

  test('starts anew when the server does not know of parts', async () => {
    const { fetch, ranges } = server(() => broken(400), whole)
    expect(await load(fetch)).toMatchObject({ bytes: WEIGHTS })
    expect(ranges).toEqual([null, 'bytes=400-'])
  })

  test('starts anew when the file has changed meanwhile', async () => {
    const { fetch, ranges } = server(
      () => broken(400),
      () => rest(400, '"two"'),
      whole,
    )
    expect(await load(fetch)).toMatchObject({ bytes: WEIGHTS })
    expect(ranges).toEqual([null, 'bytes=400-', null])
  })

  test('starts anew when the part is another one, or is out of range', async () => {
    const odd = server(
      () => broken(400),
      () => rest(300),
      whole,
    )
    expect(await load(odd.fetch)).toMatchObject({ bytes: WEIGHTS })
    const beyond = server(
      () => broken(400),
      () => new Response(null, { status: 416 }),
      whole,
    )
    expect(await load(beyond.fetch)).toMatchObject({ bytes: WEIGHTS })
  })

  test('may break off often as long as it gets on', async () => {
    const { fetch, ranges } = server((range) => {
      const from = Number(/\d+/.exec(range ?? '0')?.[0])
      if (from >= 900) return rest(from)
      const headers = { 'content-range': `bytes ${from}-999/1000`, etag: '"one"' }
      return broken(100, headers, from === 0 ? 200 : 206)
    })
    expect(await load(fetch)).toMatchObject({ bytes: WEIGHTS })
    expect(ranges).toHaveLength(10)
  })

  test('ends after four tries in a row that brought nothing, with growing pauses between them', async () => {
    const pauses: number[] = []
    const pause = async (milliseconds: number) => void pauses.push(milliseconds)
    await expect(load(server(() => new Response(null, { status: 503 })).fetch, { pause })).rejects.toThrow('answers 503')
    expect(pauses).toEqual([300, 600, 1_200])
    const offline = (async () => {
      throw new TypeError('Failed to fetch')
    }) as typeof globalThis.fetch
    await expect(load(offline)).rejects.toThrow('cannot be reached')
    await expect(load(server(() => broken(400)).fetch)).rejects.toThrow('broke off after 400 bytes')
  })

  test('that is shorter than it was said to be is not taken for whole', async () => {
    const short = () => new Response(WEIGHTS.slice(0, 400), { headers: { 'content-length': '1000' } })
    await expect(load(server(short).fetch)).rejects.toThrow('ended after 400 of 1000 bytes')
  })

  test('is measured by what arrives when it is compressed on the way', async () => {
    const packed = () => new Response(WEIGHTS, { headers: { 'content-length': '1200', 'content-encoding': 'br' } })
    expect(await load(server(packed).fetch)).toMatchObject({ bytes: WEIGHTS })
  })

  test('that stalls is given up', async () => {
    const silent = (_range: string | null) => new Response(new ReadableStream())
    const { fetch } = server(silent)
    const heeding = (async (input, init) => {
      const response = await fetch(input, init)
      const body = new ReadableStream({
        start: (controller) => {
          controller.enqueue(WEIGHTS.slice(0, 10))
          init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason))
        },
      })
      return new Response(body, { headers: response.headers })
    }) as typeof globalThis.fetch
    await expect(load(heeding, { stallMs: 5 })).rejects.toThrow('stalled: nothing came for 5 ms after 10 bytes')
  })

  test('believes a server that refuses it', async () => {
    const { fetch, ranges } = server(() => new Response('no', { status: 404 }))
    expect(await load(fetch)).toMatchObject({ refusal: { status: 404 } })
    expect(ranges).toHaveLength(1)
  })

  test('does not try again what says to be a web page', async () => {
    const { fetch, ranges } = server(() => new Response('<p>', { headers: { 'content-type': 'text/html; charset=utf-8' } }))
    await expect(load(fetch)).rejects.toThrow(/web page/)
    expect(ranges).toHaveLength(1)
  })
})

/** As much of the Cache API as is used. */
const memoryCache = () => {
  const kept = new Map<string, Response>()
  const cache = {
    match: async (url: string) => kept.get(url)?.clone(),
    put: async (url: string, response: Response) => void kept.set(url, response),
    delete: async (url: string) => kept.delete(url),
  }
  return { kept, openCache: async () => cache as unknown as Cache }
}

const guard = (fetch: typeof globalThis.fetch, more: Partial<ModelFetchOptions> = {}) =>
  createModelFetch({
    fetch,
    openCache: async () => null,
    addressOf: (asked) => new URL(asked, 'http://a/').href,
    files: {},
    stallMs: 1_000,
    pause: async () => undefined,
    onBytes: () => undefined,
    ...more,
  })

describe('the fetch of a model', () => {
  test('hands out whole files with their length, and keeps them', async () => {
    const { kept, openCache } = memoryCache()
    const { fetch, ranges } = server(whole)
    const model = guard(fetch, { openCache })
    for (let i = 0; i < 2; i++) {
      const response = await model.fetch('/m/model.onnx')
      expect(response.headers.get('content-length')).toBe('1000')
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(WEIGHTS)
    }
    expect(ranges).toHaveLength(1)
    expect([...kept.keys()]).toEqual(['http://a/m/model.onnx'])
    expect(model.trouble()).toBeNull()
  })

  test('loads a file once for all who ask at a time', async () => {
    const { fetch, ranges } = server(whole)
    const model = guard(fetch)
    await Promise.all([model.fetch('/m/model.onnx'), model.fetch('/m/model.onnx')])
    expect(ranges).toHaveLength(1)
  })

  test('keeps nothing that is wrong, and says what it was', async () => {
    const { kept, openCache } = memoryCache()
    const files = { 'onnx/model.onnx': { bytes: 5 } }
    const model = guard(server(whole).fetch, { openCache, files })
    await expect(model.fetch('/m/onnx/model.onnx')).rejects.toThrow('http://a/m/onnx/model.onnx has 1000 bytes instead of 5')
    expect(kept.size).toBe(0)
    expect(model.trouble()).toBe('http://a/m/onnx/model.onnx has 1000 bytes instead of 5')
  })

  test('lets a missing file be missing, and remembers it', async () => {
    const model = guard(server(() => new Response('', { status: 404 })).fetch)
    expect((await model.fetch('/m/generation_config.json')).status).toBe(404)
    expect(model.trouble()).toBe('http://a/m/generation_config.json answers 404')
  })

  test('drops a kept file that is not the one that is expected', async () => {
    const { kept, openCache } = memoryCache()
    kept.set('http://a/m/model.onnx', new Response(new Uint8Array(1_000).fill(10)))
    const { fetch, ranges } = server(whole)
    const model = guard(fetch, { openCache, files: { 'model.onnx': { sha256: SHA256 } } })
    expect(new Uint8Array(await (await model.fetch('/m/model.onnx')).arrayBuffer())).toEqual(WEIGHTS)
    expect(ranges).toHaveLength(1)
    expect(new Uint8Array(await (kept.get('http://a/m/model.onnx') as Response).clone().arrayBuffer())).toEqual(WEIGHTS)
  })

  test('goes on when the disk is full', async () => {
    const full = { match: async () => undefined, put: () => Promise.reject(new DOMException('full', 'QuotaExceededError')) }
    const model = guard(server(whole).fetch, { openCache: async () => full as unknown as Cache })
    expect((await model.fetch('/m/model.onnx')).status).toBe(200)
    expect(model.trouble()).toBeNull()
  })

  test('checks the runtime and does not keep it, and leaves scripts and parts alone', async () => {
    const { kept, openCache } = memoryCache()
    const wasm = server(
      () => new Response(bytesOf('\0asm\u0001\0\0\0'), { headers: { 'content-type': 'application/wasm' } }),
    )
    const model = guard(wasm.fetch, { openCache })
    expect((await model.fetch('/r/ort.wasm')).headers.get('content-type')).toBe('application/wasm')
    expect(kept.size).toBe(0)
    const page = server(() => new Response('<html>'))
    const other = guard(page.fetch)
    expect(await (await other.fetch('/r/ort.mjs')).text()).toBe('<html>')
    expect(await (await other.fetch('/m/config.json', { headers: { range: 'bytes=0-0' } })).text()).toBe('<html>')
    expect(await (await other.fetch('/m/config.json', { method: 'HEAD' })).text()).toBe('<html>')
  })
})
