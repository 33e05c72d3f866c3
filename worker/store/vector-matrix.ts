import { MemoryError } from '../../src/protocol/errors.js'
import { createRows } from '../scan/create-rows.js'
import { type Found, findNear, findNearest, findNearestBySketch, type Quest } from '../scan/find.js'
import { ROWS, type RowBlock, similarityTo, type VectorRows } from '../scan/rows.js'
import type { PackedVector } from './packed-vector.js'

export { type PackedVector, packVector, unpackVector } from './packed-vector.js'

/** Vectors as parallel arrays, passages ascending. */
export interface VectorBlock {
  readonly passages: Int32Array
  readonly memories: Int32Array
  readonly identities: Int32Array
  readonly scales: Float32Array
  readonly codes: Int8Array
}

/** A slot of the matrix that scored. */
export interface Scored {
  readonly passage: number
  readonly memory: number
  readonly similarity: number
}

/** Where a write began, to go back to when it fails. */
export interface Mark {
  readonly length: number
  readonly killed: number
}

/** Whether a row may be in an answer. Asked inside the scan, of those rows only that are near enough to be in it. */
export type Allows = (memory: number, identity: number) => boolean

/**
 * All vectors of one embedder, resident: rows with one identity and memory each, found by halving as long as their passages ascend.
 * Those that came late, while the background filled gaps, are looked up. Killed rows stay as holes until the next load.
 */
export interface VectorMatrix {
  /** What scans it. */
  readonly kind: VectorRows['kind']
  readonly size: () => number
  readonly append: (passage: number, memory: number, identity: number, vector: PackedVector) => void
  /** Appends many rows at once, as they stand in a stored block. */
  readonly appendBlock: (block: VectorBlock) => void
  /** Memory, identity and vector of a passage; null when it has none. */
  readonly at: (passage: number) => { readonly memory: number; readonly identity: number; readonly slot: number } | null
  /** How similar the row of a slot is. */
  readonly similarity: (query: Float32Array, slot: number) => number
  /** Takes a passage out; answers whether it was there. */
  readonly kill: (passage: number) => boolean
  readonly mark: () => Mark
  readonly backTo: (mark: Mark) => void
  /**
   * The `limit` nearest rows that `allows` and that are at least as similar as `least`, best first. Looks at a bit of each component
   * before it looks at them: a fraction of the time of `nearest`, for a row in some ten thousands that is missed when it is no nearer
   * than `least`.
   */
  readonly near: (query: Float32Array, least: number, limit: number, allows: Allows) => Scored[]
  /**
   * The `limit` nearest rows that `allows`, best first; of equals the older passage. Exact up to a number of rows, and beyond it among
   * those that a bit of each component makes the likeliest.
   */
  readonly nearest: (query: Float32Array, limit: number, allows: Allows) => Scored[]
}

export interface MatrixOptions {
  /** Rows to make room for at once. */
  readonly capacity?: number
  readonly rows?: VectorRows
  /** Beyond so many rows sketches decide which ones are compared. */
  readonly exactUpTo?: number
  /** How many are, at the least; with a large limit more. */
  readonly candidates?: number
}

/** An exact scan of so many takes some milliseconds, which is what a search may cost. */
const EXACT_UP_TO = 300_000
/** With so many, and at a million rows of real text, three in a thousand of the nearest ten were missed and one in a hundred of fifty. */
const CANDIDATES = 3_000
/** At the least for each row of the answer. */
const CANDIDATES_EACH = 60

export const createVectorMatrix = (dims: number, options: MatrixOptions = {}): VectorMatrix => {
  const { capacity = 0, rows = createRows(dims), exactUpTo = EXACT_UP_TO, candidates = CANDIDATES } = options
  const { stride } = rows
  let passages = new Int32Array(0)
  let memories = new Int32Array(0)
  let identities = new Int32Array(0)
  let dead = new Uint8Array(0)
  let length = 0
  /** How many rows stand in the order of their passages, from the first on. */
  let ordered = 0
  const strays = new Map<number, number>()
  const killed: number[] = []

  const makeRoom = (least: number): void => {
    try {
      rows.reserve(least)
      if (least <= dead.length) return
      const larger = Math.max(ROWS, least, Math.floor(dead.length * 1.5))
      passages = moved(passages, new Int32Array(larger))
      memories = moved(memories, new Int32Array(larger))
      identities = moved(identities, new Int32Array(larger))
      dead = moved(dead, new Uint8Array(larger))
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw new MemoryError(
        'STORAGE_FULL',
        `The browser gives no more memory for the vectors of ${least} passages.`,
        { usage: null, quota: null },
        { cause: error },
      )
    }
  }

  /** Notes where the row is that is about to be appended. */
  const place = (passage: number): void => {
    if (ordered === length && (length === 0 || passage > (passages[length - 1] as number))) ordered++
    else strays.set(passage, length)
  }

  const slotOf = (passage: number): number => {
    const stray = strays.get(passage)
    if (stray !== undefined) return stray
    let low = 0
    let high = ordered - 1
    while (low <= high) {
      const middle = (low + high) >> 1
      const found = passages[middle] as number
      if (found === passage) return middle
      if (found < passage) low = middle + 1
      else high = middle - 1
    }
    return -1
  }

  /** Writes rows behind the last one; their places in the order of passages are noted already. */
  const write = (block: VectorBlock): void => {
    const count = block.passages.length
    passages.set(block.passages, length)
    memories.set(block.memories, length)
    identities.set(block.identities, length)
    dead.fill(0, length, length + count)
    for (let i = 0; i < count; i++) {
      const slot = length + i
      const { codes, scales } = rows.blocks[Math.floor(slot / ROWS)] as RowBlock
      codes.set(block.codes.subarray(i * dims, (i + 1) * dims), (slot % ROWS) * stride)
      scales[slot % ROWS] = block.scales[i] as number
    }
    rows.settle(length, count)
    length += count
  }

  const questFor = (query: Float32Array, limit: number, allows: Allows): Quest => ({
    query,
    limit,
    length,
    stands: (slot) => dead[slot] === 0 && allows(memories[slot] as number, identities[slot] as number),
    numbers: passages,
  })

  const toScored = ({ slot, similarity }: Found): Scored => ({
    passage: passages[slot] as number,
    memory: memories[slot] as number,
    similarity,
  })

  makeRoom(capacity)
  return {
    kind: rows.kind,
    size: () => length - killed.length,
    append: (passage, memory, identity, vector) => {
      makeRoom(length + 1)
      place(passage)
      write({
        passages: Int32Array.of(passage),
        memories: Int32Array.of(memory),
        identities: Int32Array.of(identity),
        scales: Float32Array.of(vector.scale),
        codes: vector.codes,
      })
    },
    appendBlock: (block) => {
      const count = block.passages.length
      makeRoom(length + count)
      const first = block.passages[0] ?? 0
      if (ordered === length && (length === 0 || first > (passages[length - 1] as number))) ordered += count
      else block.passages.forEach((passage, i) => strays.set(passage, length + i))
      write(block)
    },
    at: (passage) => {
      const slot = slotOf(passage)
      return slot < 0 || dead[slot] === 1
        ? null
        : { memory: memories[slot] as number, identity: identities[slot] as number, slot }
    },
    similarity: (query, slot) => similarityTo(query, rows.blocks, stride, slot),
    kill: (passage) => {
      const slot = slotOf(passage)
      if (slot < 0 || dead[slot] === 1) return false
      dead[slot] = 1
      killed.push(slot)
      return true
    },
    mark: () => ({ length, killed: killed.length }),
    backTo: (mark) => {
      while (killed.length > mark.killed) dead[killed.pop() as number] = 0
      if (length === mark.length) return
      length = mark.length
      ordered = Math.min(ordered, length)
      for (const [passage, slot] of strays) if (slot >= length) strays.delete(passage)
    },
    near: (query, least, limit, allows) => findNear(rows, questFor(query, limit, allows), least).map(toScored),
    nearest: (query, limit, allows) => {
      const quest = questFor(query, limit, allows)
      const found =
        length <= exactUpTo
          ? findNearest(rows, quest)
          : findNearestBySketch(rows, quest, Math.max(candidates, CANDIDATES_EACH * limit))
      return found.map(toScored)
    },
  }
}

const moved = <A extends Int32Array | Uint8Array>(from: A, to: A): A => {
  to.set(from)
  return to
}
