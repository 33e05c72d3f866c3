import fc from 'fast-check'
import { createPlainRows } from '../../worker/scan/plain-rows.js'
import type { VectorRows } from '../../worker/scan/rows.js'
import { createVectorMatrix, type MatrixOptions, packVector, type VectorMatrix } from '../../worker/store/vector-matrix.js'
import { createPlainMatrix, type PlainMatrix } from '../support/plain-matrix.js'

/** Makes empty rows of one of the two forms. */
export type CreateRows = (dims: number) => VectorRows

/** One behaviour of a matrix, whatever scans it. Runs in any realm: a failed check throws. */
export interface MatrixCase {
  readonly name: string
  readonly run: (create: CreateRows) => void
}

const check = (holds: boolean, problem: string): void => {
  if (!holds) throw new Error(problem)
}

const same = (found: unknown, wanted: unknown): void =>
  check(JSON.stringify(found) === JSON.stringify(wanted), `${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`)

const all = (): boolean => true

/** Of few values, so that many rows are equal; or of many, so that rows differ by less than a rounded query shows. */
const vectorOf = (dims: number): fc.Arbitrary<Float32Array> => {
  const component = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.float({ min: -1, max: 1, noNaN: true }))
  return fc
    .array(component, { minLength: dims, maxLength: dims })
    .map((parts) => Float32Array.from(parts, (part) => part / Math.hypot(...parts, 1e-9)))
}

/** On both sides of sixteen, which is what the kernel reads at once, and a common number. */
const DIMS = [1, 5, 16, 33, 256]
const dimension = fc.constantFrom(...DIMS)

interface Filled {
  readonly dims: number
  readonly vectors: readonly Float32Array[]
  readonly query: Float32Array
}

const filled = dimension.chain((dims) =>
  fc.record({
    dims: fc.constant(dims),
    vectors: fc.array(vectorOf(dims), { maxLength: 60 }),
    query: vectorOf(dims),
  }),
)

const fill = ({ dims, vectors }: Filled, create: CreateRows, options: MatrixOptions = {}) => {
  const matrix = createVectorMatrix(dims, { rows: create(dims), ...options })
  const model = createPlainMatrix()
  vectors.forEach((one, i) => {
    const vector = packVector(one)
    matrix.append(i + 1, (i + 1) * 10, i % 3, vector)
    model.append({ passage: i + 1, memory: (i + 1) * 10, identity: i % 3, vector })
  })
  return { matrix, model }
}

/** Numbers that look drawn and are always the same, near a normal distribution: vectors as embedders make them. */
const drawn = (dims: number, count: number): readonly Float32Array[] => {
  let state = 1
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32 - 0.5
  }
  return Array.from({ length: count }, () => {
    const parts = Array.from({ length: dims }, () => next() + next() + next())
    return Float32Array.from(parts, (part) => part / Math.hypot(...parts))
  })
}

type Step =
  | { readonly kind: 'append'; readonly vector: Float32Array }
  | { readonly kind: 'block'; readonly vectors: readonly Float32Array[] }
  | { readonly kind: 'kill'; readonly back: number }
  | { readonly kind: 'mark' }
  | { readonly kind: 'back' }

const stepOf = (dims: number): fc.Arbitrary<Step> =>
  fc.oneof(
    vectorOf(dims).map((vector): Step => ({ kind: 'append', vector })),
    fc.array(vectorOf(dims), { minLength: 1, maxLength: 40 }).map((vectors): Step => ({ kind: 'block', vectors })),
    fc.nat({ max: 60 }).map((back): Step => ({ kind: 'kill', back })),
    fc.constant<Step>({ kind: 'mark' }),
    fc.constant<Step>({ kind: 'back' }),
  )

/** Does a step to both. Passages count up, but for every seventh block, which comes late and fills a gap. */
const follow = (matrix: VectorMatrix, model: PlainMatrix) => {
  const marks = [{ ours: matrix.mark(), theirs: model.mark() }]
  let next = 1_000
  let blocks = 0
  return (step: Step): void => {
    if (step.kind === 'kill') same(matrix.kill(next - step.back), model.kill(next - step.back))
    if (step.kind === 'mark') marks.push({ ours: matrix.mark(), theirs: model.mark() })
    if (step.kind === 'back') {
      const mark = marks.pop()
      if (mark === undefined) return
      matrix.backTo(mark.ours)
      model.backTo(mark.theirs)
    }
    if (step.kind === 'append') {
      const row = { passage: next, memory: next * 10, identity: next % 3, vector: packVector(step.vector) }
      matrix.append(row.passage, row.memory, row.identity, row.vector)
      model.append(row)
      next++
    }
    if (step.kind !== 'block') return
    const first = ++blocks % 7 === 0 ? blocks : next
    const taken = new Set(model.rows().map(({ passage }) => passage))
    const rows = step.vectors
      .map((vector, i) => ({ passage: first + i, memory: first + i, identity: i % 3, vector: packVector(vector) }))
      .filter(({ passage }) => !taken.has(passage))
    matrix.appendBlock({
      passages: Int32Array.from(rows, ({ passage }) => passage),
      memories: Int32Array.from(rows, ({ memory }) => memory),
      identities: Int32Array.from(rows, ({ identity }) => identity),
      scales: Float32Array.from(rows, ({ vector }) => vector.scale),
      codes: Int8Array.from(rows.flatMap(({ vector }) => [...vector.codes])),
    })
    for (const row of rows) model.append(row)
    next = Math.max(next, first + step.vectors.length)
  }
}

export const matrixContract: readonly MatrixCase[] = [
  {
    name: 'finds what a comparison with every row finds, to the last bit, of allowed rows only',
    run: (create) =>
      fc.assert(
        fc.property(filled, fc.integer({ min: 0, max: 12 }), fc.nat({ max: 3 }), (given, limit, foreign) => {
          const { matrix, model } = fill(given, create)
          const allows = (_: number, identity: number): boolean => identity !== foreign
          same(matrix.nearest(given.query, limit, allows), model.nearest(given.query, limit, allows))
        }),
        { numRuns: 300 },
      ),
  },
  {
    name: 'tells rows apart that differ by less than the kernel sees',
    run: (create) => {
      const [first = new Float32Array(), ...queries] = drawn(256, 20)
      const { codes, scale } = packVector(first)
      const matrix = createVectorMatrix(256, { rows: create(256) })
      const model = createPlainMatrix()
      for (let passage = 1; passage <= 2_000; passage++) {
        const turned = codes
          .with(passage % 256, 1)
          .with((passage * 7) % 256, -1)
          .with((passage * 31) % 256, 2)
        matrix.append(passage, passage, 1, { codes: turned, scale })
        model.append({ passage, memory: passage, identity: 1, vector: { codes: turned, scale } })
      }
      for (const query of queries)
        for (const limit of [1, 7, 40, 400]) same(matrix.nearest(query, limit, all), model.nearest(query, limit, all))
    },
  },
  {
    name: 'finds the same by sketches when they leave as many rows as there are',
    run: (create) =>
      fc.assert(
        fc.property(filled, fc.integer({ min: 1, max: 12 }), fc.nat({ max: 3 }), (given, limit, foreign) => {
          const { matrix, model } = fill(given, create, { exactUpTo: 0, candidates: 60 })
          const allows = (_: number, identity: number): boolean => identity !== foreign
          same(matrix.nearest(given.query, limit, allows), model.nearest(given.query, limit, allows))
        }),
        { numRuns: 100 },
      ),
  },
  {
    name: 'finds by sketches what plain JavaScript finds by them',
    run: (create) => {
      const [query = new Float32Array(), ...vectors] = drawn(96, 5_000)
      const options = { exactUpTo: 0, candidates: 20 }
      const { matrix } = fill({ dims: 96, vectors, query }, create, options)
      const plain = fill({ dims: 96, vectors, query }, createPlainRows, options).matrix
      for (const asked of [query, ...vectors.slice(0, 20)])
        for (const allows of [all, (memory: number) => memory % 7 === 0, () => false])
          same(matrix.nearest(asked, 2, allows), plain.nearest(asked, 2, allows))
    },
  },
  {
    name: 'finds by sketches nearly all of the nearest',
    run: (create) => {
      const vectors = drawn(128, 4_000)
      const { matrix, model } = fill({ dims: 128, vectors, query: new Float32Array() }, create, {
        exactUpTo: 0,
        candidates: 400,
      })
      let found = 0
      const asked = drawn(128, 4_050).slice(4_000)
      for (const query of asked) {
        const wanted = new Set(model.nearest(query, 10, all).map(({ passage }) => passage))
        found += matrix.nearest(query, 10, all).filter(({ passage }) => wanted.has(passage)).length
      }
      check(found >= 0.97 * 10 * asked.length, `${found} of ${10 * asked.length}`)
    },
  },
  {
    name: 'puts the older passage first among equals, whatever came first',
    run: (create) => {
      const matrix = createVectorMatrix(3, { rows: create(3) })
      const same3 = packVector(Float32Array.of(0, 1, 0))
      for (const passage of [5, 9, 2, 7]) matrix.append(passage, passage, 1, same3)
      for (const limit of [1, 2, 3, 4, 9])
        same(
          matrix.nearest(Float32Array.of(0, 1, 0), limit, all).map(({ passage }) => passage),
          [2, 5, 7, 9].slice(0, limit),
        )
    },
  },
  {
    name: 'keeps the order when a filter takes rows out',
    run: (create) =>
      fc.assert(
        fc.property(filled, fc.integer({ min: 1, max: 6 }), fc.boolean(), (given, every, sketched) => {
          const { matrix } = fill(given, create, sketched ? { exactUpTo: 0 } : {})
          const allows = (memory: number): boolean => memory % every === 0
          const kept = matrix.nearest(given.query, 100, all).filter(({ memory }) => allows(memory))
          same(matrix.nearest(given.query, 100, allows), kept)
          same(matrix.nearest(given.query, 3, allows), kept.slice(0, 3))
        }),
        { numRuns: 100 },
      ),
  },
  {
    name: 'asks of no row that is dead, and answers nothing when nothing is allowed or there is nothing',
    run: (create) => {
      const matrix = createVectorMatrix(2, { rows: create(2) })
      const one = Float32Array.of(1, 0)
      same(matrix.nearest(one, 5, all), [])
      for (const passage of [1, 2, 3]) matrix.append(passage, passage, 1, packVector(one))
      matrix.kill(2)
      const asked = new Set<number>()
      same(
        matrix.nearest(one, 5, (memory) => asked.add(memory) === null),
        [],
      )
      same([...asked], [1, 3])
    },
  },
  {
    name: 'finds what is as similar as asked, and nothing that is less',
    run: (create) => {
      const vectors = drawn(64, 3_000)
      const { matrix, model } = fill({ dims: 64, vectors, query: new Float32Array() }, create)
      for (const query of vectors.slice(0, 40))
        for (const least of [0.35, 0.5, 0.99]) same(matrix.near(query, least, 8, all), model.nearest(query, 8, all, least))
      fc.assert(
        fc.property(filled, fc.double({ min: -1, max: 1, noNaN: true }), (given, least) => {
          const small = fill(given, create)
          const wanted = JSON.stringify(small.model.nearest(given.query, 100, all, least))
          for (const scored of small.matrix.near(given.query, least, 100, all))
            check(wanted.includes(JSON.stringify(scored)), `${JSON.stringify(scored)} is not in ${wanted}`)
        }),
      )
    },
  },
  {
    name: 'is, after any writes, kills and ways back, what a list would be',
    run: (create) =>
      fc.assert(
        fc.property(
          dimension.chain((dims) =>
            fc.record({
              dims: fc.constant(dims),
              steps: fc.array(stepOf(dims), { maxLength: 30 }),
              query: vectorOf(dims),
              exactUpTo: fc.constantFrom(0, 1_000),
            }),
          ),
          ({ dims, steps, query, exactUpTo }) => {
            const matrix = createVectorMatrix(dims, { rows: create(dims), exactUpTo })
            const model = createPlainMatrix()
            const act = follow(matrix, model)
            for (const step of steps) {
              act(step)
              same(matrix.size(), model.rows().length)
              same(matrix.nearest(query, 7, all), model.nearest(query, 7, all))
            }
            same(matrix.nearest(query, 1_000, all), model.nearest(query, 1_000, all))
          },
        ),
        { numRuns: 100 },
      ),
  },
  {
    name: 'holds more than a block, and what stood before stays where it was',
    run: (create) => {
      const vectors = drawn(8, 5_000)
      const { matrix, model } = fill({ dims: 8, vectors, query: new Float32Array() }, create)
      for (let passage = 3; passage <= 5_000; passage += 3) same(matrix.kill(passage), model.kill(passage))
      for (const query of vectors.filter((_, i) => i % 500 === 0))
        same(matrix.nearest(query, 20, all), model.nearest(query, 20, all))
    },
  },
]
