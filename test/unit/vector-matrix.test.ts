import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildKernel } from '../../worker/scan/build-kernel.mjs'
import { createRows } from '../../worker/scan/create-rows.js'
import { createPlainRows } from '../../worker/scan/plain-rows.js'
import { compileKernel, createSimdRows } from '../../worker/scan/simd-rows.js'
import { createVectorMatrix, packVector } from '../../worker/store/vector-matrix.js'
import { matrixContract } from '../contracts/vector-matrix.contract.js'

const kernel = compileKernel()

const FORMS = {
  'in WebAssembly': (dims: number) => {
    if (kernel === null) throw new Error('There is no SIMD here.')
    return createSimdRows(dims, kernel)
  },
  'in plain JavaScript': createPlainRows,
}

describe.each(Object.entries(FORMS))('a matrix %s', (_, create) => {
  for (const { name, run } of matrixContract) test(name, () => run(create))

  test('that finds no more room says so and stays as it was', () => {
    const rows = create(4)
    let most = Number.POSITIVE_INFINITY
    const reserve = (count: number): void => {
      if (count > most) throw new RangeError('no more')
      rows.reserve(count)
    }
    const full = Object.create(rows, { reserve: { value: reserve } }) as typeof rows
    const matrix = createVectorMatrix(4, { rows: full })
    const one = Float32Array.of(1, 0, 0, 0)
    matrix.append(1, 1, 1, packVector(one))
    most = 1
    expect(() => matrix.append(2, 2, 1, packVector(one))).toThrow(expect.objectContaining({ code: 'STORAGE_FULL' }))
    expect(matrix.size()).toBe(1)
    expect(matrix.nearest(one, 5, () => true)).toHaveLength(1)
  })
})

describe('the kernel', () => {
  test('is what its source says, byte for byte', async () => {
    const { KERNEL } = await import('../../worker/scan/kernel-bytes.js')
    expect(await buildKernel()).toContain(`'${KERNEL}'`)
  })

  test('runs where it can, and JavaScript where it does not compile', () => {
    expect(createRows(4).kind).toBe('simd')
    expect(compileKernel('0061736d01000000')).not.toBeNull()
    expect(compileKernel('0061736d02000000')).toBeNull()
    expect(compileKernel('')).toBeNull()
  })
})

describe('packing', () => {
  const component = fc.integer({ min: -8, max: 8 })
  const vector = fc
    .tuple(component, component, component, component)
    .map((parts) => Float32Array.from(parts, (part) => part / Math.hypot(...parts, 1e-9)))

  test('keeps every component within half a step', () => {
    fc.assert(
      fc.property(vector, (one) => {
        const { scale, codes } = packVector(one)
        one.forEach((part, i) => expect(Math.abs(part - (codes[i] as number) * scale)).toBeLessThanOrEqual(scale / 2 + 1e-7))
        expect(Math.max(...codes.map(Math.abs))).toBeLessThanOrEqual(127)
      }),
    )
  })

  test('of the zero vector is zero', () => {
    expect(packVector(new Float32Array(3))).toEqual({ scale: 0, codes: new Int8Array(3) })
  })
})
