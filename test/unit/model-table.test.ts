import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { principalBasis, project } from '../../model/basis.js'
import { pairCorrelation, spearman, turnRecall } from '../../model/measures.js'
import { packTable, quantise, usedRows } from '../../model/pack.js'
import { sentencesOf, train } from '../../model/train.js'
import { createEncode } from '../../worker/adapters/static-encode.js'
import { parseStaticTable, type StaticTable } from '../../worker/adapters/static-table.js'

const VOCABULARY = ['[UNK]', 'red', 'car', 'dog', '##s']

const tableOf = (rows: readonly (readonly number[])[]): StaticTable => {
  const dims = rows[0]?.length ?? 0
  const file = packTable(VOCABULARY, dims, quantise(Float32Array.from(rows.flat()), dims))
  const parsed = parseStaticTable(file.buffer as ArrayBuffer, dims)
  if (!parsed.ok) throw new Error(parsed.problem.kind)
  return parsed.value
}

const ROWS = [
  [9, 9, 9, 9],
  [1, 0, 0, 0],
  [0, 2, 0, 0],
  [0, 0, 0.5, 0],
  [0, 0, 0, 0],
]

describe('packing', () => {
  test('comes back as it was, within half a step of each row', () => {
    const row = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 4, maxLength: 4 })
    fc.assert(
      fc.property(fc.array(row, { minLength: 5, maxLength: 5 }), (rows) => {
        const { vocabulary, scales, weights } = tableOf(rows)
        expect(vocabulary).toEqual(VOCABULARY)
        for (const [at, value] of rows.flat().entries()) {
          const scale = scales[Math.floor(at / 4)] ?? 0
          expect(Math.abs(scale * (weights[at] ?? 0) - value)).toBeLessThanOrEqual(scale * 0.5001 + 1e-9)
        }
      }),
    )
  })

  test('keeps a row of zeros at zero', () =>
    expect(quantise(Float32Array.of(0, 0, 1, -1), 2).weights).toEqual(Int8Array.of(0, 0, 127, -127)))

  test('leaves out the rows that no text reaches', () => {
    expect(usedRows(['[PAD]', '[unused0]', '[UNK]', '[CLS]', 'a', '[', ']'])).toEqual([2, 4, 5, 6])
  })
})

describe('encoding', () => {
  const encode = createEncode(tableOf(ROWS))

  test('sums the rows of known pieces and brings the sum to unit length', () => {
    const [x, y, z] = encode('Red car, oops')
    expect(x).toBeCloseTo(1 / Math.sqrt(5), 2)
    expect(y).toBeCloseTo(2 / Math.sqrt(5), 2)
    expect(z).toBe(0)
  })

  test('counts a piece once per text, in every text', () => {
    expect(encode('red red car red')).toEqual(encode('red car'))
    expect(encode('red')).toEqual(encode('red'))
  })

  test('gives the zero vector where nothing is known', () => expect(encode('??')).toEqual(new Float32Array(4)))
})

describe('the basis', () => {
  test('finds the direction of greatest variance, and projects on it', () => {
    const rows = Array.from({ length: 40 }, (_, at) => [at % 5, 2 * (at % 5), (at % 2) * 0.01]).flat()
    const basis = principalBasis(rows, 3)
    expect(basis.shares[0]).toBeGreaterThan(0.99)
    expect(Math.abs((basis.directions[1] ?? 0) / (basis.directions[0] ?? 1))).toBeCloseTo(2, 2)
    expect(Math.abs(project([1, 2, 0], basis, 1)[0] ?? 0)).toBeCloseTo(Math.sqrt(5), 3)
  })

  test('is orthonormal', () => {
    const rows = Array.from({ length: 60 }, (_, at) => Math.sin(at * at))
    const { directions } = principalBasis(rows, 4)
    for (let a = 0; a < 4; a++)
      for (let b = 0; b < 4; b++) {
        const product = [0, 1, 2, 3].reduce((sum, k) => sum + (directions[a * 4 + k] ?? 0) * (directions[b * 4 + k] ?? 0), 0)
        expect(product).toBeCloseTo(a === b ? 1 : 0, 9)
      }
  })
})

describe('training', () => {
  const lists = [[1], [2], [1, 2], [3, 3, 3], []]
  const targets = Float32Array.from([1, 0, 0, 1, Math.SQRT1_2, Math.SQRT1_2, -1, 0, 0, 0])
  const trained = (): { table: Float32Array; losses: number[] } => {
    const table = Float32Array.from([5, 5, 0.1, 0.3, 0.3, 0.1, 0.2, 0.2, 7, 7])
    const losses: number[] = []
    const onEpoch = (_: number, loss: number): void => void losses.push(loss)
    train(table, { dims: 2, sentences: sentencesOf(lists), targets, epochs: 800, rate: 0.02, onEpoch })
    return { table, losses }
  }

  test('brings sentences to their targets, and leaves the rows of no sentence alone', () => {
    const { table, losses } = trained()
    expect(losses[0]).toBeGreaterThan(0.3)
    expect(losses.at(-1)).toBeLessThan(0.05)
    expect([...table.subarray(0, 2), ...table.subarray(8)]).toEqual([5, 5, 7, 7])
  })

  test('gives the same numbers every time', () => expect(trained()).toEqual(trained()))

  test('counts a row once per sentence', () => expect(sentencesOf([[3, 3, 1], []]).ids).toEqual(Int32Array.of(3, 1)))
})

describe('measuring', () => {
  test.each([
    [[1, 2, 3], [10, 20, 30], 1],
    [[1, 2, 3], [3, 2, 1], -1],
    [[1, 1, 2], [5, 5, 9], 1],
  ])('ranks %j against %j', (a, b, expected) => expect(spearman(a, b)).toBeCloseTo(expected, 9))

  test('scores pairs and finds turns', () => {
    const encode = createEncode(tableOf(ROWS))
    const pairs = [
      { a: 'red', b: 'red', grade: 5 },
      { a: 'red', b: 'red car', grade: 3 },
      { a: 'red', b: 'car', grade: 0 },
    ]
    expect(pairCorrelation(pairs, encode)).toBeCloseTo(100, 9)
    const questions = [
      { text: 'dogs', evidence: [1] },
      { text: 'red', evidence: [0, 2] },
    ]
    expect(turnRecall([{ turns: ['red', 'dog', 'car'], questions }], 1, encode)).toBeCloseTo(75, 9)
  })
})
