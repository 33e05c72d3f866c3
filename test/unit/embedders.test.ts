import { afterEach, describe, expect, test } from 'vitest'
import { openEmbedderLine } from '../../src/client/embedder-line.js'
import { type EmbedderHost, type EmbeddingModel, readEmbedder } from '../../src/client/embedders.js'
import { readLocation } from '../../src/client/location.js'
import { transformersEmbedder } from '../../src/client/transformers-embedder.js'
import type { EmbedderNews, EmbedReply } from '../../src/protocol/embedding.js'
import { MemoryError } from '../../src/protocol/errors.js'
import type { TransformersOptions } from '../../src/transformers/options.js'

const noWorker = (): Worker => {
  throw new Error('no worker is wanted here')
}

const issueOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    if (error instanceof MemoryError && error.code === 'INVALID_ARGUMENT') return error.message
    throw error
  }
  return 'accepted'
}

const ports: MessagePort[] = []
afterEach(() => {
  for (const port of ports.splice(0)) port.close()
})

const channel = (): MessageChannel => {
  const made = new MessageChannel()
  ports.push(made.port1, made.port2)
  return made
}

/** Asks once, and answers with what came back. */
const ask = (host: EmbedderHost, texts: readonly string[]): Promise<EmbedReply> => {
  const { port1, port2 } = channel()
  host.start(port1, () => undefined, noWorker)
  return new Promise((resolve) => {
    port2.onmessage = ({ data }) => resolve(data)
    port2.postMessage({ id: 1, texts })
  })
}

const vectorsOf = async (host: EmbedderHost, texts: readonly string[]) => {
  const reply = await ask(host, texts)
  return 'vectors' in reply ? reply.vectors.map((vector) => [...vector]) : reply
}

describe('a model of the AI SDK', () => {
  const model = (more: Partial<EmbeddingModel> = {}) => {
    const calls: string[][] = []
    const made: EmbeddingModel = {
      provider: 'openai.embedding',
      modelId: 'text-embedding-3-small',
      doEmbed: async ({ values }) => {
        calls.push(values)
        return { embeddings: values.map((value) => [value.length, 1]) }
      },
      ...more,
    }
    return { calls, made }
  }

  test('is named by its provider and model', () => {
    expect(readEmbedder(model().made, 'embedder').id).toBe('openai.embedding:text-embedding-3-small')
  })

  test.each([
    ['without a limit', undefined, [['a', 'bb', 'ccc']]],
    ['with no limit', Number.POSITIVE_INFINITY, [['a', 'bb', 'ccc']]],
    ['with a limit', 2, [['a', 'bb'], ['ccc']]],
    ['with a limit that it tells later', Promise.resolve(1), [['a'], ['bb'], ['ccc']]],
  ])('gets as many texts per call as it takes, %s', async (_, maxEmbeddingsPerCall, expected) => {
    for (const supportsParallelCalls of [false, Promise.resolve(true)]) {
      const { calls, made } = model({ maxEmbeddingsPerCall, supportsParallelCalls })
      const host = readEmbedder(made, 'embedder')
      expect(await vectorsOf(host, ['a', 'bb', 'ccc'])).toEqual([
        [1, 1],
        [2, 1],
        [3, 1],
      ])
      expect(calls).toEqual(expected)
    }
  })

  test('that answers with too few vectors, or fails, fails the call', async () => {
    const short = model({ doEmbed: async () => ({ embeddings: [] }) })
    expect(await ask(readEmbedder(short.made, 'embedder'), ['a'])).toMatchObject({ message: '0 vectors came for 1 texts' })
    const failing = model({ doEmbed: () => Promise.reject(new Error('401 Unauthorized')) })
    expect(await ask(readEmbedder(failing.made, 'embedder'), ['a'])).toMatchObject({ message: '401 Unauthorized' })
  })

  test('gets the signal that says that nobody waits', async () => {
    const signals: (AbortSignal | undefined)[] = []
    const { made } = model({
      doEmbed: ({ abortSignal }) => {
        signals.push(abortSignal)
        return new Promise(() => undefined)
      },
    })
    const { port1, port2 } = channel()
    const stop = readEmbedder(made, 'embedder').start(port1, () => undefined, noWorker)
    port2.postMessage({ id: 1, texts: ['a'] })
    await expect.poll(() => signals.length).toBe(1)
    stop()
    expect(signals[0]?.aborted).toBe(true)
  })

  test('is refused without a name', () => {
    expect(issueOf(() => readEmbedder({ doEmbed: async () => ({ embeddings: [] }) }, 'model'))).toMatch(
      /provider and modelId/,
    )
  })
})

describe('what an app brings', () => {
  test('may be a function, named by its name', async () => {
    const letters = async (texts: readonly string[]) => texts.map((text) => [text.length])
    const host = readEmbedder(letters, 'embedder')
    expect(host.id).toBe('function:letters')
    expect(await vectorsOf(host, ['abc'])).toEqual([[3]])
    expect(readEmbedder(async () => [], 'embedder').id).toBe('function:anonymous')
  })

  test('is named in what is refused', () => {
    const embed = async () => []
    expect(issueOf(() => readLocation({ name: 'a', embedder: 'text-embedding-3-small' as 'auto' }))).toMatch(
      /^embedder must be 'auto'.*openai\.embedding/,
    )
    expect(issueOf(() => readLocation({ name: 'a', embedder: 7 as never }))).toMatch(/^embedder must be an object/)
    expect(issueOf(() => readLocation({ name: 'a', embedder: null as never }))).toMatch(/^embedder must be an object/)
    expect(issueOf(() => readLocation({ name: 'a', embedder: { id: '', embed } }))).toMatch(/^embedder\.id must be/)
    expect(issueOf(() => readLocation({ name: 'a', embedder: 'auto', model: { id: 'a', dims: 1.5, embed } }))).toMatch(
      /^model\.dims must be/,
    )
  })

  test('is what auto moves up to, and nothing else does', () => {
    const model = { id: 'own@1', dims: 3, embed: async () => [] }
    expect(readLocation({ name: 'a', embedder: 'auto', model })).toMatchObject({
      embedder: 'auto',
      model: { id: 'own@1', dims: 3 },
    })
    expect(readLocation({ name: 'a', embedder: 'auto' })).toMatchObject({ embedder: 'auto' })
    for (const embedder of [undefined, 'static', model] as const)
      expect(issueOf(() => readLocation({ name: 'a', ...(embedder && { embedder }), model }))).toMatch(/^model is used with/)
  })
})

describe('the line to the database worker', () => {
  /** The database worker's end. */
  const openLine = (host: EmbedderHost) => {
    const { port1, port2 } = channel()
    const news: EmbedderNews[] = []
    port2.onmessage = ({ data }) => void news.push(data)
    const end = openEmbedderLine(host, port1, noWorker)
    const ported = () => news.filter(({ type }) => type === 'port').length
    return { news, end, ported, wish: (type: 'start' | 'stop') => port2.postMessage({ type, start: 7 }) }
  }
  const watched = () => {
    const starts: { lost: (cause: string) => void; stopped: boolean }[] = []
    const host: EmbedderHost = {
      id: 'own@1',
      start: (_port, lost) => {
        const started = { lost, stopped: false }
        starts.push(started)
        return () => {
          started.stopped = true
        }
      },
    }
    return { starts, host }
  }

  test('starts nothing before it is asked to, and hands over a port then', async () => {
    const { starts, host } = watched()
    const { wish, ported, end } = openLine(host)
    expect(starts).toHaveLength(0)
    wish('start')
    await expect.poll(ported).toBe(1)
    wish('stop')
    await expect.poll(() => starts[0]?.stopped).toBe(true)
    wish('start')
    await expect.poll(ported).toBe(2)
    end()
    expect(starts.map(({ stopped }) => stopped)).toEqual([true, true])
  })

  test('says once that it is lost, and starts anew', async () => {
    const { starts, host } = watched()
    const { wish, news, ported } = openLine(host)
    wish('start')
    await expect.poll(ported).toBe(1)
    starts[0]?.lost('out of memory')
    starts[0]?.lost('again')
    await expect.poll(() => news.at(-1)).toEqual({ type: 'lost', start: 7, cause: 'out of memory' })
    wish('start')
    await expect.poll(ported).toBe(2)
    starts[0]?.lost('late')
    wish('start')
    await expect.poll(ported).toBe(3)
    expect(news.filter(({ type }) => type === 'lost')).toHaveLength(1)
    expect(starts.map(({ stopped }) => stopped)).toEqual([true, true, false])
  })

  test('says that it is lost when it cannot be started', async () => {
    const host: EmbedderHost = {
      id: 'own@1',
      start: () => {
        throw new Error('no luck')
      },
    }
    const { wish, news } = openLine(host)
    wish('start')
    await expect.poll(() => news).toEqual([{ type: 'lost', start: 7, cause: 'no luck' }])
  })
})

describe('transformersEmbedder', () => {
  const URL_FORM = { url: '/transformers.js', model: 'all-MiniLM-L6-v2' } satisfies TransformersOptions

  test('has an id of all that changes its vectors', () => {
    expect(transformersEmbedder(URL_FORM)).toMatchObject({ id: 'transformers:all-MiniLM-L6-v2@main/q8/mean' })
    const other = transformersEmbedder({ ...URL_FORM, revision: 'v2', dtype: 'fp16', pooling: 'cls', dims: 384 })
    expect(other).toMatchObject({ id: 'transformers:all-MiniLM-L6-v2@v2/fp16/cls', dims: 384 })
    expect('dims' in transformersEmbedder(URL_FORM)).toBe(false)
  })

  test.each<[string, object, RegExp]>([
    ['no model', { url: '/a.js' }, /^model is missing/],
    ['none of the three forms', { model: 'a' }, /^url or worker or pipeline/],
    ['two of them', { ...URL_FORM, pipeline: async () => undefined }, /^url or worker or pipeline/],
    ['an option nobody knows', { ...URL_FORM, quantized: true }, /^quantized is not an option/],
    ['an option of every object', { ...URL_FORM, constructor: 1 }, /^constructor is not an option/],
    ['hashes without an object', { ...URL_FORM, files: { 'a.onnx': 'sha256' } }, /^files must hold/],
    ['another device', { ...URL_FORM, device: 'gpu' }, /^device must be one of auto, webgpu, wasm/],
    ['another pooling', { ...URL_FORM, pooling: 'max' }, /^pooling must be/],
    ['no number', { ...URL_FORM, batchSize: 0 }, /^batchSize must be a whole number/],
    ['no address', { ...URL_FORM, url: 'http://[' }, /^url must be an address/],
    ['a worker that is started already', { worker: {}, model: 'a' }, /^worker must be a function/],
  ])('refuses %s', (_, options, issue) => {
    expect(issueOf(() => transformersEmbedder(options as TransformersOptions))).toMatch(issue)
  })
})
