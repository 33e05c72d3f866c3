import { KERNEL } from './kernel-bytes.js'
import { type Offer, ROWS, type RowBlock, strideOf, type VectorRows, type Weigh } from './rows.js'
import { sketchQuery } from './sketch.js'

interface Kernel {
  readonly memory: WebAssembly.Memory
  readonly scan: (stride: number, rows: number, floor: number) => unknown
  readonly scanNear: (stride: number, rows: number, sketch: number, floor: number) => void
  readonly scanSketches: (stride: number, rows: number, sketch: number) => void
  readonly aboutRow: (stride: number, slot: number) => number
  readonly settle: (stride: number, first: number, count: number) => number
}

const PAGE = 65_536

/** The share of what the kernel computes with 32-bit floats, and of the floor that is handed to it, that may be rounding. */
const ROUNDING = 2 ** -20

/**
 * The compiled kernel, or null where there is no SIMD. Small enough to be compiled at once, which also a page's policy decides: where
 * it forbids that, SQLite does not start either.
 */
export const compileKernel = (hex = KERNEL): WebAssembly.Module | null => {
  try {
    return new WebAssembly.Module(Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)))
  } catch {
    return null
  }
}

/**
 * Rows in a memory of the kernel's own, which goes with them. The kernel compares them with a query of 16-bit numbers, in whole
 * numbers. How far that can be from the query itself is known, and such rows are offered as well.
 */
export const createSimdRows = (dims: number, module: WebAssembly.Module): VectorRows => {
  const stride = strideOf(dims)
  const firstBlock = Math.ceil((6 * stride + 64) / 64) * 64
  const blockBytes = ROWS * (stride + stride / 8 + 4)
  // A sum of products stays within 32 bits.
  const largest = Math.min(32_767, Math.floor((2 ** 31 - 1) / (128 * stride)))
  let offer: Offer = () => Number.POSITIVE_INFINITY
  let weigh: Weigh = () => 0
  const rows = { offer: (slot: number) => offer(slot), weigh: (slot: number, sketch: number) => weigh(slot, sketch) }
  const kernel = new WebAssembly.Instance(module, { rows }).exports as unknown as Kernel
  let blocks: readonly RowBlock[] = []
  /** Of all vectors there have been. */
  let longest = 0

  const grow = (count: number): void => {
    const missing = firstBlock + count * blockBytes - kernel.memory.buffer.byteLength
    if (missing > 0) kernel.memory.grow(Math.ceil(missing / PAGE))
    const { buffer } = kernel.memory
    blocks = Array.from({ length: count }, (_, i) => {
      const at = firstBlock + i * blockBytes
      return {
        codes: new Int8Array(buffer, at, ROWS * stride),
        scales: new Float32Array(buffer, at + ROWS * (stride + stride / 8), ROWS),
      }
    })
  }

  /** Hands the query over; answers the floor in steps of it. */
  const begin = (query: Float32Array): ((floor: number) => number) => {
    const { buffer } = kernel.memory
    let most = 0
    for (const component of query) most = Math.max(most, Math.abs(component))
    const step = most === 0 ? 1 : most / largest
    const steps = new Int16Array(buffer, 0, stride)
    let [length, lost] = [0, 0]
    query.forEach((component, i) => {
      const rounded = Math.round(component / step)
      steps[i] = rounded
      length += component * component
      lost += (component - rounded * step) ** 2
    })
    // No product with what was lost is greater than the two lengths (Cauchy and Schwarz).
    const slack = (Math.sqrt(lost) + ROUNDING * Math.sqrt(length)) * longest
    return (floor) => (floor - slack) / step
  }

  const useTable = (table: Uint8Array): void => new Uint8Array(kernel.memory.buffer).set(table, 2 * stride)

  const telling = (query: Float32Array, wanted: Offer): ((floor: number) => number) => {
    const inSteps = begin(query)
    offer = (slot) => inSteps(wanted(slot))
    return inSteps
  }

  return {
    kind: 'simd',
    stride,
    get blocks() {
      return blocks
    },
    reserve: (count) => {
      const needed = Math.ceil(count / ROWS)
      if (needed <= blocks.length) return
      // Every growth makes new views of all blocks: some room ahead, unless that is too much.
      try {
        grow(needed + (blocks.length >> 3))
      } catch {
        grow(needed)
      }
    },
    settle: (first, count) => {
      longest = Math.max(longest, kernel.settle(stride, first, count))
    },
    scan: (query, count, floor, wanted) => void kernel.scan(stride, count, telling(query, wanted)(floor)),
    scanNear: (query, count, floor, wanted) => {
      const { table, likelyFor } = sketchQuery(query, stride)
      useTable(table)
      kernel.scanNear(stride, count, likelyFor(floor), telling(query, wanted)(floor))
    },
    scanSketches: ({ table }, count, wanted) => {
      useTable(table)
      weigh = wanted
      kernel.scanSketches(stride, count, 0)
    },
    scanThese: (query, slots, floor, wanted) => {
      const inSteps = begin(query)
      let least = inSteps(floor)
      for (const slot of slots) if (kernel.aboutRow(stride, slot) >= least) least = inSteps(wanted(slot))
    },
  }
}
