import { MemoryError } from '../../src/protocol/errors.js'
import type { Embedder } from '../../worker/ports.js'

/** One behaviour that every embedder has. `create` makes a fresh embedder. Runs in any realm: a failed check throws. */
export interface EmbedderCase {
  readonly name: string
  readonly run: (create: () => Embedder | Promise<Embedder>) => Promise<void>
}

const SENTENCES = ['The port is 5432.', 'Ana lives in Lisbon', 'a man plays a guitar', 'The port is 5432.']

const ODD_TEXTS: { readonly [what: string]: string } = {
  'the empty text': '',
  blanks: ' \t\n\u00a0',
  'punctuation only': '?!… —',
  'emoji only': '🎉👩‍👩‍👧🇵🇹👍🏽',
  'emoji inside words': 'great🎉news',
  Arabic: 'مرحبا بالعالم',
  Chinese: '你好，世界',
  Korean: '안녕하세요',
  Hindi: 'नमस्ते दुनिया',
  'combining marks': `e${'\u0301\u0316'.repeat(500)} Z\u0351\u036b\u0343a\u0363l\u0368g\u034fo\u0328`,
  'a lone surrogate': 'half \ud83d of a pair \udc00',
  'control characters': 'zero\u0000 and \u0007 and \u200b and \ufeff',
  'one very long word': 'abc'.repeat(10_000),
}

export const embedderContract: readonly EmbedderCase[] = [
  {
    name: 'answers one vector per text, in order',
    run: async (create) => {
      const vectors = await (await create()).embed(SENTENCES)
      check(vectors.length === SENTENCES.length, `${vectors.length} vectors for ${SENTENCES.length} texts`)
      check(same(vectors[0], vectors[3]), 'equal texts got different vectors')
      check(!same(vectors[0], vectors[1]) && !same(vectors[1], vectors[2]), 'different texts got equal vectors')
    },
  },
  {
    name: 'has an id before anything was embedded, dims once something was, and keeps to both',
    run: async (create) => {
      const embedder = await create()
      const { id, dims: before } = embedder
      const vectors = await embedder.embed(SENTENCES)
      const { dims } = embedder
      check(id.length > 0 && dims !== null && Number.isInteger(dims) && dims > 0, `id ${id}, dims ${dims}`)
      for (const vector of vectors) {
        check(vector instanceof Float32Array, 'a vector is not a Float32Array')
        check(vector.length === dims, `${vector.length} numbers instead of ${dims}`)
      }
      check(embedder.id === id && (before ?? dims) === dims, 'id or dims changed')
    },
  },
  {
    name: 'gives vectors of unit length',
    run: async (create) => {
      for (const vector of await (await create()).embed(SENTENCES))
        check(Math.abs(lengthOf(vector) - 1) < 1e-5, `length ${lengthOf(vector)}`)
    },
  },
  {
    name: 'answers an empty list with an empty list',
    run: async (create) => check((await (await create()).embed([])).length === 0, 'vectors for no texts'),
  },
  {
    name: 'gives odd text a finite vector of unit or zero length',
    run: async (create) => {
      const embedder = await create()
      const vectors = await embedder.embed(Object.values(ODD_TEXTS))
      for (const [index, what] of Object.keys(ODD_TEXTS).entries()) checkSound(vectors[index], embedder.dims, what)
    },
  },
  {
    name: 'takes a text of 100 KB whole',
    run: async (create) => {
      const embedder = await create()
      const filler = 'the weather was mild and the road was long, '.repeat(2_300)
      const [one, other] = await embedder.embed([filler, `${filler} ${'guitar '.repeat(2_000)}`])
      checkSound(one, embedder.dims, 'the long text')
      check(!same(one, other), 'the end of a long text was ignored')
    },
  },
  {
    name: 'gives a text of 1 MB a sound vector',
    run: async (create) => {
      const embedder = await create()
      const [vector] = await embedder.embed(['the weather was mild and the road was long, '.repeat(23_000)])
      checkSound(vector, embedder.dims, 'the text')
    },
  },
  {
    name: 'survives 200 KB of combining marks without stalling',
    run: async (create) => {
      const embedder = await create()
      await embedder.embed(['warm up'])
      const started = performance.now()
      const [vector] = await embedder.embed([`e${'\u0301\u0316'.repeat(100_000)}`])
      checkSound(vector, embedder.dims, 'the marks')
      // Milliseconds where it is linear, over five seconds where the whole text is normalised at once.
      check(performance.now() - started < 2_500, `it took ${performance.now() - started} ms`)
    },
  },
  {
    name: 'gives a text the same vector on every call and in every instance',
    run: async (create) => {
      const embedder = await create()
      const [first] = await embedder.embed(['a man plays a guitar'])
      const [again] = await embedder.embed(['a man plays a guitar'])
      const [elsewhere] = await (await create()).embed(['a man plays a guitar'])
      check(same(first, again), 'the second call differs')
      check(same(first, elsewhere), 'another instance differs')
    },
  },
  {
    name: 'gives a text the same vector whatever else is in the batch',
    run: async (create) => {
      const embedder = await create()
      const [alone] = await embedder.embed(['Ana lives in Lisbon'])
      const crowd = await embedder.embed([...Object.values(ODD_TEXTS), 'Ana lives in Lisbon', ...SENTENCES])
      check(same(alone, crowd[Object.keys(ODD_TEXTS).length]), 'the batch changed the vector')
    },
  },
  {
    name: 'keeps calls that overlap apart',
    run: async (create) => {
      const embedder = await create()
      const together = await Promise.all(SENTENCES.map((sentence) => embedder.embed([sentence])))
      const batch = await embedder.embed(SENTENCES)
      for (const [index, [vector]] of together.entries())
        check(same(vector, batch[index]), `call ${index} got another's vector`)
    },
  },
  {
    name: 'hands out vectors that belong to the caller',
    run: async (create) => {
      const embedder = await create()
      const [spoilt] = await embedder.embed(['Ana lives in Lisbon'])
      const before = spoilt?.slice()
      spoilt?.fill(7)
      const [fresh] = await embedder.embed(['Ana lives in Lisbon'])
      check(same(before, fresh), 'writing into a vector changed the next one')
    },
  },
  {
    name: 'rejects with ABORTED when the signal has fired already',
    run: async (create) => {
      const embedder = await create()
      await checkAborted(embedder.embed(SENTENCES, { signal: AbortSignal.abort() }))
    },
  },
  {
    name: 'rejects with ABORTED when the signal fires after the call, and works on',
    run: async (create) => {
      const embedder = await create()
      const controller = new AbortController()
      const cut = embedder.embed(SENTENCES, { signal: controller.signal })
      const other = embedder.embed(SENTENCES)
      controller.abort()
      await checkAborted(cut)
      check((await other).length === SENTENCES.length, 'the other call suffered')
      check((await embedder.embed(SENTENCES)).length === SENTENCES.length, 'the next call suffered')
    },
  },
]

const check = (condition: boolean, message: string): void => {
  if (!condition) throw new Error(message)
}

const checkAborted = async (call: Promise<unknown>): Promise<void> => {
  const outcome = await call.then(
    () => 'it resolved',
    (error: unknown) => (error instanceof MemoryError ? error.code : String(error)),
  )
  check(outcome === 'ABORTED', `expected ABORTED: ${outcome}`)
}

const checkSound = (vector: Float32Array | undefined, dims: number | null, what: string): void => {
  check(vector !== undefined && vector.length === dims, `${what}: no vector of ${dims} numbers`)
  if (vector === undefined) return
  const length = lengthOf(vector)
  check(length === 0 || Math.abs(length - 1) < 1e-5, `${what}: length ${length}`)
}

/** NaN when a number is not finite, which fails every comparison. */
const lengthOf = (vector: Float32Array): number => Math.sqrt(vector.reduce((square, value) => square + value * value, 0))

const same = (one: Float32Array | undefined, other: Float32Array | undefined): boolean =>
  one !== undefined && other !== undefined && one.length === other.length && one.every((value, d) => value === other[d])
