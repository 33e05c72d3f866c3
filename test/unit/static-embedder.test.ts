import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createStaticEmbedder } from '../../worker/adapters/static-embedder.js'
import { describeTableProblem, parseStaticTable, readTableHeader } from '../../worker/adapters/static-table.js'

const URL_OF_TABLE = 'https://app.example/static-256.bin'
const TABLE = new Uint8Array(readFileSync(new URL('../../model/static-256.bin', import.meta.url)))

interface Parts {
  readonly magic?: number
  readonly rows?: number
  readonly dims?: number
  readonly vocabulary?: string | Uint8Array
  readonly scales?: readonly number[]
}

/** A table file of three rows and two dims, or one that differs from it where told. */
const tableFile = ({
  magic = 0x31544553,
  rows = 3,
  dims = 2,
  vocabulary = '[UNK]\nab\n##c',
  scales = [1, 0.5, 2],
}: Parts = {}) => {
  const words = typeof vocabulary === 'string' ? new TextEncoder().encode(vocabulary) : vocabulary
  const start = 16 + words.length + ((4 - ((16 + words.length) % 4)) % 4)
  const file = new Uint8Array(start + rows * 4 + rows * dims)
  const view = new DataView(file.buffer)
  for (const [index, word] of [magic, rows, dims, words.length].entries()) view.setUint32(index * 4, word, true)
  file.set(words, 16)
  for (const [row, scale] of scales.entries()) view.setFloat32(start + row * 4, scale, true)
  for (let at = 0; at < rows * dims; at++) view.setInt8(start + rows * 4 + at, at - 2)
  return file.buffer
}

/** The problem of a file, in its own terms. */
const problemOf = (file: ArrayBuffer, dims = 2) => {
  const parsed = parseStaticTable(file, dims)
  return parsed.ok ? null : parsed.problem
}

describe('the table file', () => {
  test('is read into vocabulary, scales and weights', () => {
    const parsed = parseStaticTable(tableFile(), 2)
    expect(parsed).toEqual({
      ok: true,
      value: {
        dims: 2,
        vocabulary: ['[UNK]', 'ab', '##c'],
        scales: Float32Array.of(1, 0.5, 2),
        weights: Int8Array.of(-2, -1, 0, 1, 2, 3),
      },
    })
  })

  test.each(['[UNK]\nab\n##', '[UNK]\nab\n##c', '[UNK]\nab\n##cd', '[UNK]\nab\n##cde'])(
    'is padded to four bytes (%j)',
    (vocabulary) => {
      expect(problemOf(tableFile({ vocabulary }))).toBeNull()
    },
  )

  test.each([
    ['an empty file', new ArrayBuffer(0), { kind: 'not-a-table', startsWith: '' }],
    ['less than a header', tableFile().slice(0, 15), { kind: 'not-a-table', startsWith: expect.stringMatching(/^SET1/) }],
    ['another magic', tableFile({ magic: 0x32544553 }), { kind: 'not-a-table', startsWith: expect.stringMatching(/^SET2/) }],
    ['other dims', tableFile({ dims: 3 }), { kind: 'wrong-dims', expected: 2, found: 3 }],
    ['a missing byte', tableFile().slice(0, -1), { kind: 'wrong-size', expected: 46, found: 45 }],
    [
      'a byte too many',
      Uint8Array.of(...new Uint8Array(tableFile()), 0).buffer,
      { kind: 'wrong-size', expected: 46, found: 47 },
    ],
    ['fewer words than rows', tableFile({ vocabulary: '[UNK]\nab' }), { kind: 'bad-vocabulary' }],
    ['no word for the unknown', tableFile({ vocabulary: 'a\nb\nc' }), { kind: 'bad-vocabulary' }],
    ['broken UTF-8', tableFile({ vocabulary: Uint8Array.of(0xff, 10, 10) }), { kind: 'bad-vocabulary' }],
    ['a scale that is no number', tableFile({ scales: [1, Number.NaN, 1] }), { kind: 'bad-scales', row: 1 }],
  ])('is refused with %s', (_, file, problem) => {
    const found = problemOf(file)
    expect(found).toMatchObject(problem)
    if (found !== null) expect(describeTableProblem(found)).not.toBe('')
  })

  test('is refused by its header when it would not fit into memory', () => {
    const header = new Uint8Array(tableFile().slice(0, 16))
    header.fill(0xff, 4, 8)
    expect(readTableHeader(header, 2)).toMatchObject({ ok: false, problem: { kind: 'wrong-size' } })
  })

  test('is ours, as shipped', () => {
    expect(readTableHeader(TABLE, 256)).toMatchObject({ ok: true, value: { rows: 29_524, size: TABLE.length } })
  })
})

/** A server that gives one answer per request and counts them. */
const server = (...answers: (() => Response | Promise<Response>)[]) => {
  const requests: RequestInit[] = []
  const fetch = async (_: string, init: RequestInit): Promise<Response> => {
    requests.push(init)
    const answer = answers[requests.length - 1]
    if (answer === undefined) throw new Error('asked more often than planned')
    return answer()
  }
  return { fetch, requests }
}

const good = (): Response => new Response(TABLE, { headers: { 'content-type': 'application/octet-stream' } })

/** A body that arrives in pieces of `size` bytes. */
const inPieces = (bytes: Uint8Array, size: number): ReadableStream<Uint8Array> => {
  let at = 0
  return new ReadableStream({
    pull: (controller) => {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(at, at + size))
      at += size
    },
  })
}

describe('loading', () => {
  test('waits for the first text, then happens once for all calls', async () => {
    const { fetch, requests } = server(good)
    const embedder = createStaticEmbedder({ url: URL_OF_TABLE, fetch })
    expect(embedder).toMatchObject({ id: 'static-256@2', dims: 256 })
    expect(await embedder.embed([])).toEqual([])
    expect(requests).toHaveLength(0)
    await Promise.all([embedder.embed(['one']), embedder.embed(['two']), embedder.load()])
    await embedder.embed(['three'])
    expect(requests).toHaveLength(1)
  })

  test.each<[string, () => Response | Promise<Response>, RegExp]>([
    ['a missing file', () => new Response('not found', { status: 404 }), /404/],
    [
      "the app's page in place of the file",
      () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html; charset=utf-8' } }),
      /web page/,
    ],
    ['a page that is not declared as one', () => new Response('<!doctype html><title>App</title>'), /<!doctype html>/],
    [
      'a truncated file',
      () => new Response(TABLE.subarray(0, 1_000_000)),
      new RegExp(`1000000 bytes instead of ${TABLE.length}`),
    ],
    ['nothing', () => new Response(null), /not a token table/],
    ['a longer file', () => new Response(new Blob([TABLE, 'x'])), new RegExp(`${TABLE.length + 1} bytes`)],
    ['an unreachable server', () => Promise.reject(new TypeError('fetch failed')), /fetch failed/],
    [
      'a connection that breaks off',
      () => new Response(new ReadableStream({ pull: (body) => body.error(new Error('reset')) })),
      /reset/,
    ],
  ])('fails on %s, says so, and succeeds on the next call', async (_, answer, cause) => {
    const { fetch, requests } = server(answer, good)
    const embedder = createStaticEmbedder({ url: URL_OF_TABLE, fetch })
    const [first, second] = await Promise.allSettled([embedder.embed(['a']), embedder.embed(['b'])])
    expect(first).toMatchObject({
      status: 'rejected',
      reason: {
        code: 'EMBEDDING_FAILED',
        details: { embedder: 'static-256@2', url: URL_OF_TABLE, cause: expect.stringMatching(cause) },
        message: expect.stringContaining('static-256.bin'),
      },
    })
    expect(second).toMatchObject({ status: 'rejected' })
    expect(await embedder.embed(['guitar'])).toHaveLength(1)
    expect(requests).toHaveLength(2)
  })

  test('refuses a sound table of another build, and takes the one it was made with', async () => {
    const sha256 = createHash('sha256').update(TABLE).digest('hex')
    const other = Buffer.from(TABLE)
    other[other.length - 1] = (other.at(-1) ?? 0) ^ 1
    const { fetch } = server(() => new Response(other), good)
    const embedder = createStaticEmbedder({ url: URL_OF_TABLE, sha256, fetch })
    await expect(embedder.load()).rejects.toMatchObject({
      code: 'EMBEDDING_FAILED',
      details: { url: URL_OF_TABLE, cause: expect.stringContaining(`instead of ${sha256}`) },
    })
    await embedder.load()
  })

  test('goes past the HTTP cache after a wrong answer, not after no answer', async () => {
    const page = () => new Response('<!doctype html>')
    const { fetch, requests } = server(page, () => Promise.reject(new Error('offline')), good)
    const embedder = createStaticEmbedder({ url: URL_OF_TABLE, fetch })
    await expect(embedder.load()).rejects.toThrow()
    await expect(embedder.load()).rejects.toThrow()
    await embedder.load()
    expect(requests).toEqual([{}, { cache: 'reload' }, {}])
  })

  test('gives a page up after its first bytes', async () => {
    let cancelled = false
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('<html>')),
      cancel: () => {
        cancelled = true
      },
    })
    const { fetch } = server(() => new Response(body))
    await expect(createStaticEmbedder({ url: URL_OF_TABLE, fetch }).load()).rejects.toMatchObject({
      code: 'EMBEDDING_FAILED',
    })
    expect(cancelled).toBe(true)
  })

  test('reports progress, with the total as soon as the header is in', async () => {
    const seen: [number, number | null][] = []
    const { fetch } = server(
      () => new Response(inPieces(TABLE, 10)),
      () => new Response(inPieces(TABLE, 1_000_000)),
    )
    const onProgress = (loaded: number, total: number | null) => {
      seen.push([loaded, total])
      if (loaded === 30) throw new Error('far enough')
    }
    const embedder = createStaticEmbedder({ url: URL_OF_TABLE, fetch, onProgress })
    await expect(embedder.load()).rejects.toThrow()
    expect(seen).toEqual([
      [10, null],
      [20, TABLE.length],
      [30, TABLE.length],
    ])
    seen.length = 0
    await embedder.load()
    expect(seen).toHaveLength(Math.ceil(TABLE.length / 1_000_000))
    expect(seen.at(-1)).toEqual([TABLE.length, TABLE.length])
  })

  test('goes on for the others when one call is aborted', async () => {
    const { fetch, requests } = server(good)
    const embedder = createStaticEmbedder({ url: URL_OF_TABLE, fetch })
    const controller = new AbortController()
    const cut = embedder.embed(['a'], { signal: controller.signal })
    const kept = embedder.embed(['b'])
    controller.abort()
    await expect(cut).rejects.toMatchObject({ code: 'ABORTED' })
    expect(await kept).toHaveLength(1)
    expect(requests).toHaveLength(1)
  })
})

describe('meaning', () => {
  const embedder = createStaticEmbedder({ url: URL_OF_TABLE, fetch: async () => good() })
  const cosine = async (one: string, other: string): Promise<number> => {
    const [a, b] = await embedder.embed([one, other])
    return Array.from(a ?? []).reduce((sum, value, d) => sum + value * (b?.[d] ?? 0), 0)
  }

  test.each([
    ['a man plays a guitar', 'a person is playing guitar', 'the stock market fell today'],
    ['the user lives in Berlin', 'her home is in Berlin', 'the build uses webpack'],
    ['the database listens on port 5432', 'which port does the database use', 'he is allergic to peanuts'],
    ['he is vegetarian', 'he does not eat meat', 'the deadline is on Friday'],
  ])('brings "%s" nearer to "%s" than to "%s"', async (text, near, far) => {
    expect(await cosine(text, near)).toBeGreaterThan((await cosine(text, far)) + 0.3)
  })

  test('is the same for composed and decomposed accents, upper and lower case', async () => {
    expect(await cosine('caf\u00e9 \u00fcber', 'CAFE\u0301 U\u0308BER')).toBeCloseTo(1, 5)
  })

  test('is read from a word that an emoji touches', async () => {
    expect(await cosine('great🎉', 'great')).toBeCloseTo(1, 5)
  })

  test('is nothing, the zero vector, where no token is known', async () => {
    for (const vector of await embedder.embed(['', '🎉', ' \n'])) expect(vector.every((value) => value === 0)).toBe(true)
  })
})
