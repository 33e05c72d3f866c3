import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { hostEmbedder, type PageEmbedder } from '../../src/client/embedder-host.js'
import { openEmbedderLine } from '../../src/client/embedder-line.js'
import { readEmbedder } from '../../src/client/embedders.js'
import { createHashEmbedder } from '../../worker/adapters/hash-embedder.js'
import { createPortEmbedder } from '../../worker/adapters/port-embedder.js'
import { createStaticEmbedder } from '../../worker/adapters/static-embedder.js'
import type { Embedder } from '../../worker/ports.js'
import { embedderContract } from '../contracts/embedder.contract.js'

const TABLE = readFileSync(new URL('../../model/static-256.bin', import.meta.url))

const open: MessagePort[] = []
afterEach(() => {
  for (const port of open.splice(0)) port.close()
})

const channel = (): MessageChannel => {
  const created = new MessageChannel()
  open.push(created.port1, created.port2)
  return created
}

/** The worker's side of an embedder that the page serves. */
const overPort = (embedder: PageEmbedder): Embedder => {
  const { port1, port2 } = channel()
  openEmbedderLine(readEmbedder(embedder, 'embedder'), port1, noWorker)
  return createPortEmbedder({ id: embedder.id, dims: embedder.dims, line: port2 })
}

const noWorker = (): Worker => {
  throw new Error('no embedder here runs in a worker')
}

/** A page's embedder whose vectors are plain numbers, three times too long. */
const stretched = (): PageEmbedder => {
  const dims = 96
  const { embed } = createHashEmbedder({ dims })
  return {
    id: 'stretched@1',
    dims,
    embed: async (texts, options) => (await embed(texts, options)).map((vector) => Array.from(vector, (value) => 3 * value)),
  }
}

const adapters: { readonly [name: string]: () => Embedder } = {
  static: () => createStaticEmbedder({ url: '/static-256.bin', fetch: async () => new Response(TABLE) }),
  hash: () => createHashEmbedder(),
  port: () => overPort(stretched()),
}

describe.each(Object.entries(adapters))('the %s embedder', (_, create) => {
  test.each(embedderContract)('$name', ({ run }) => run(create))
})

describe('an embedder of the page', () => {
  const answering = (embed: PageEmbedder['embed']): Embedder => overPort({ id: 'own@1', dims: 2, embed })

  test.each<[string, PageEmbedder['embed'], RegExp]>([
    ['throws', () => Promise.reject(new Error('model missing')), /model missing/],
    [
      'throws at once',
      () => {
        throw new Error('not even a promise')
      },
      /not even a promise/,
    ],
    ['answers too few vectors', async () => [[1, 0]], /1 vectors came for 2 texts/],
    [
      'answers other dims',
      async () => [
        [1, 0],
        [1, 0, 0],
      ],
      /vector 1 has 3 numbers instead of 2/,
    ],
    [
      'answers NaN',
      async () => [
        [1, 0],
        [Number.NaN, 0],
      ],
      /vector 1 .* finite/,
    ],
    [
      'answers more than a float holds',
      async () => [
        [1e300, 0],
        [1, 0],
      ],
      /vector 0 .* finite/,
    ],
    ['answers no list', (async () => null) as unknown as PageEmbedder['embed'], /null/],
  ])('that %s fails the call', async (_, embed, cause) => {
    await expect(answering(embed).embed(['a', 'b'])).rejects.toMatchObject({
      code: 'EMBEDDING_FAILED',
      details: { embedder: 'own@1', cause: expect.stringMatching(cause) },
    })
  })

  test('keeps the vectors it hands over, also when they share one buffer', async () => {
    const matrix = Float32Array.of(3, 4, 0, 2)
    const embedder = answering(async () => [matrix.subarray(0, 2), matrix.subarray(2, 4)])
    const [one, two] = await embedder.embed(['a', 'b'])
    expect([one, two]).toEqual([Float32Array.of(0.6, 0.8), Float32Array.of(0, 1)])
    expect(matrix).toEqual(Float32Array.of(3, 4, 0, 2))
  })

  test('may be a method that needs its object', async () => {
    const own = {
      id: 'own@1',
      dims: 1,
      value: 5,
      async embed(this: { value: number }) {
        return [[this.value]]
      },
    }
    expect(await overPort(own).embed(['a'])).toEqual([Float32Array.of(1)])
  })

  test('hears that a call was aborted, while the others go on', async () => {
    const signals: AbortSignal[] = []
    const gates: (() => void)[] = []
    const embedder = answering(async (_, { signal }) => {
      signals.push(signal)
      await new Promise<void>((resolve) => gates.push(resolve))
      return [[1, 0]]
    })
    const controller = new AbortController()
    const cut = embedder.embed(['a'], { signal: controller.signal })
    const kept = embedder.embed(['b'])
    await expect.poll(() => gates.length).toBe(2)
    controller.abort()
    await expect(cut).rejects.toMatchObject({ code: 'ABORTED' })
    await expect.poll(() => signals.map((signal) => signal.aborted)).toEqual([true, false])
    for (const release of gates) release()
    expect(await kept).toEqual([Float32Array.of(1, 0)])
  })

  test('fails calls under way and later ones when its port closes, and is aborted', async () => {
    const signals: AbortSignal[] = []
    const { port1, port2 } = channel()
    const own: PageEmbedder = {
      id: 'own@1',
      embed: (_, { signal }) => (signals.push(signal), new Promise(() => {})),
    }
    const end = openEmbedderLine(readEmbedder(own, 'embedder'), port1, noWorker)
    const embedder = createPortEmbedder({ id: 'own@1', line: port2 })
    const call = embedder.embed(['a'])
    await expect.poll(() => signals.length).toBe(1)
    end()
    await expect(call).rejects.toMatchObject({
      code: 'EMBEDDING_FAILED',
      details: { cause: expect.stringMatching(/ended|closed/) },
    })
    await expect(embedder.embed(['b'])).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' })
    expect(signals[0]?.aborted).toBe(true)
  })

  test('is not taken for lost by late news of an earlier start', async () => {
    const { port1: page, port2: line } = channel()
    const embedder = createPortEmbedder({ id: 'own@1', line })
    const starts: number[] = []
    page.onmessage = ({ data }) => void starts.push(data.start)
    const first = embedder.embed(['a'])
    await expect.poll(() => starts).toHaveLength(1)
    page.postMessage({ type: 'lost', start: starts[0], cause: 'out of memory' })
    await expect(first).rejects.toMatchObject({ details: { cause: 'out of memory' } })
    const second = embedder.embed(['b'])
    await expect.poll(() => starts).toHaveLength(2)
    page.postMessage({ type: 'lost', start: starts[0], cause: 'the same death, told twice' })
    const { port1, port2 } = channel()
    hostEmbedder({ embed: async () => [[1, 0]] }, port1)
    page.postMessage({ type: 'port', start: starts[1], port: port2 }, [port2])
    expect(await second).toEqual([Float32Array.of(1, 0)])
  })
})
