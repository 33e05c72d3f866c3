import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createVectorMatrix, packVector, type VectorMatrix } from '../../worker/store/vector-matrix.js'

const DIMS = 4

const component = fc.integer({ min: -8, max: 8 })
const vector = fc
  .tuple(component, component, component, component)
  .map((parts) => Float32Array.from(parts, (part) => part / Math.hypot(...parts, 1e-9)))

const numbers = (found: readonly { readonly passage: number }[]) => found.map(({ passage }) => passage)

const matrixOf = (vectors: readonly Float32Array[], capacity?: number): VectorMatrix => {
  const matrix = createVectorMatrix(DIMS)
  vectors.forEach((one, i) => matrix.append(i + 1, (i + 1) * 10, i % 3, packVector(one)))
  return matrix
}

const all = () => true

describe('packing', () => {
  test('keeps every component within half a step', () => {
    fc.assert(
      fc.property(vector, (one) => {
        const { scale, codes } = packVector(one)
        one.forEach((component, i) =>
          expect(Math.abs(component - (codes[i] as number) * scale)).toBeLessThanOrEqual(scale / 2 + 1e-7),
        )
        expect(Math.max(...codes.map(Math.abs))).toBeLessThanOrEqual(127)
      }),
    )
  })

  test('of the zero vector is zero', () => {
    expect(packVector(new Float32Array(3))).toEqual({ scale: 0, codes: new Int8Array(3) })
  })
})

describe('the nearest rows', () => {
  /** Unpacked, compared one by one and sorted: slow and plainly right. */
  const bruteForce = (
    vectors: readonly Float32Array[],
    query: Float32Array,
    limit: number,
    allows: (identity: number) => boolean,
  ) =>
    vectors
      .map((one, i) => {
        const { scale, codes } = packVector(one)
        let sum = 0
        codes.forEach((code, d) => {
          sum += (query[d] as number) * code
        })
        return { passage: i + 1, memory: (i + 1) * 10, similarity: sum * Math.fround(scale), identity: i % 3 }
      })
      .filter(({ identity }) => allows(identity))
      .sort((a, b) => b.similarity - a.similarity || a.passage - b.passage)
      .slice(0, limit)
      .map(({ identity: _, ...scored }) => scored)

  test('are those that a comparison with every row finds, of allowed identities only', () => {
    fc.assert(
      fc.property(
        fc.array(vector, { maxLength: 40 }),
        vector,
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 0, max: 3 }),
        (vectors, query, limit, foreign) => {
          const matrix = matrixOf(vectors, 2)
          const allows = (identity: number) => identity !== foreign
          expect(matrix.nearest(query, limit, (_, identity) => allows(identity))).toEqual(
            bruteForce(vectors, query, limit, allows),
          )
        },
      ),
      { numRuns: 200 },
    )
  })

  test('are none in an empty matrix or when nothing is allowed', () => {
    expect(createVectorMatrix(DIMS).nearest(new Float32Array(DIMS), 5, all)).toEqual([])
    expect(matrixOf([new Float32Array(DIMS)]).nearest(new Float32Array(DIMS), 5, () => false)).toEqual([])
  })

  test('keep the older row first among equals', () => {
    const same = Float32Array.of(1, 0, 0, 0)
    expect(numbers(matrixOf([same, same, same]).nearest(same, 2, all))).toEqual([1, 2])
  })
})

describe('a killed row', () => {
  test('is gone from the size and from every answer, once', () => {
    const one = Float32Array.of(1, 0, 0, 0)
    const matrix = matrixOf([one, one, one])
    expect(matrix.kill(2)).toBe(true)
    expect(matrix.kill(2)).toBe(false)
    expect(matrix.kill(99)).toBe(false)
    expect(matrix.size()).toBe(2)
    expect(numbers(matrix.nearest(one, 9, all))).toEqual([1, 3])
  })
})

type Step =
  | { readonly kind: 'append'; readonly vector: Float32Array }
  | { readonly kind: 'block'; readonly vectors: readonly Float32Array[] }
  | { readonly kind: 'kill'; readonly at: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  vector.map((one): Step => ({ kind: 'append', vector: one })),
  fc.array(vector, { minLength: 1, maxLength: 5 }).map((vectors): Step => ({ kind: 'block', vectors })),
  fc.nat({ max: 20 }).map((at): Step => ({ kind: 'kill', at })),
)

/** Does the steps; passages go on counting from `next`. */
const run = (matrix: VectorMatrix, steps: readonly Step[], next: number): number => {
  for (const one of steps) {
    if (one.kind === 'append') matrix.append(next, next * 10, next % 3, packVector(one.vector))
    if (one.kind === 'append') next++
    if (one.kind === 'kill') matrix.kill(one.at)
    if (one.kind !== 'block') continue
    const passages = one.vectors.map((_, i) => next + i)
    const packed = one.vectors.map(packVector)
    matrix.appendBlock({
      passages: Int32Array.from(passages),
      memories: Int32Array.from(passages, (passage) => passage * 10),
      identities: Int32Array.from(passages, (passage) => passage % 3),
      scales: Float32Array.from(packed, ({ scale }) => scale),
      codes: Int8Array.from(packed.flatMap(({ codes }) => [...codes])),
    })
    next += one.vectors.length
  }
  return next
}

describe('going back to a mark', () => {
  test('undoes every append and kill since, and what follows is as if they had never been', () => {
    const steps = fc.array(step, { maxLength: 12 })
    fc.assert(
      fc.property(steps, steps, steps, vector, (before, undone, after, query) => {
        const matrix = createVectorMatrix(DIMS)
        const plain = createVectorMatrix(DIMS)
        const next = run(matrix, before, 1)
        run(plain, before, 1)
        const mark = matrix.mark()
        run(matrix, undone, next)
        matrix.backTo(mark)
        expect(matrix.size()).toBe(plain.size())
        expect(matrix.nearest(query, 50, all)).toEqual(plain.nearest(query, 50, all))
        run(matrix, after, next)
        run(plain, after, next)
        expect(matrix.size()).toBe(plain.size())
        expect(matrix.nearest(query, 50, all)).toEqual(plain.nearest(query, 50, all))
      }),
      { numRuns: 200 },
    )
  })
})
