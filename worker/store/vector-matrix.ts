import { mostDifferent, ones, signsOf } from './signs.js'

/** One vector as it is kept: `value ≈ code × scale`. */
export interface PackedVector {
  readonly scale: number
  readonly codes: Int8Array
}

/** Packs a unit vector into bytes: the largest component becomes ±127. */
export const packVector = (vector: Float32Array): PackedVector => {
  let largest = 0
  for (const component of vector) largest = Math.max(largest, Math.abs(component))
  const scale = largest / 127
  const codes = new Int8Array(vector.length)
  if (scale > 0) for (let i = 0; i < vector.length; i++) codes[i] = Math.round((vector[i] as number) / scale)
  return { scale, codes }
}

/** A packed vector as it is compared. */
export const unpackVector = ({ scale, codes }: PackedVector): Float32Array =>
  Float32Array.from(codes, (code) => code * scale)

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

/**
 * All vectors of one embedder, resident: rows with one identity and memory each, found by halving as long as their passages ascend.
 * Those that came late, while the background filled gaps, are looked up. Killed rows stay as holes until the next load.
 */
export interface VectorMatrix {
  readonly size: () => number
  readonly append: (passage: number, memory: number, identity: number, vector: PackedVector) => void
  /** Appends many rows at once, as they stand in a stored block. */
  readonly appendBlock: (block: VectorBlock) => void
  /** Takes a passage out; answers whether it was there. */
  readonly kill: (passage: number) => boolean
  readonly mark: () => Mark
  readonly backTo: (mark: Mark) => void
  /**
   * The `limit` nearest rows that `allows` and that are at least as similar as `least`, best first. Looks at the signs of the
   * components before it looks at them: a fraction of the time of `nearest`, for a row in some thousands that is missed when it is no
   * nearer than `least`.
   */
  readonly near: (
    query: Float32Array,
    least: number,
    limit: number,
    allows: (memory: number, identity: number) => boolean,
  ) => Scored[]
  /** The `limit` nearest rows that `allows`, best first. */
  readonly nearest: (query: Float32Array, limit: number, allows: (memory: number, identity: number) => boolean) => Scored[]
}

export const createVectorMatrix = (dims: number, capacity = 1024): VectorMatrix => {
  const words = Math.ceil(dims / 32)
  let codes = new Int8Array(capacity * dims)
  /** One bit per component: whether it is above zero. */
  let signs = new Int32Array(capacity * words)
  let scales = new Float32Array(capacity)
  let passages = new Int32Array(capacity)
  let memories = new Int32Array(capacity)
  let identities = new Int32Array(capacity)
  let dead = new Uint8Array(capacity)
  let length = 0
  /** How many rows stand in the order of their passages, from the first on. */
  let ordered = 0
  const strays = new Map<number, number>()
  const killed: number[] = []

  const grow = (least: number): void => {
    const larger = Math.max(1024, scales.length * 2, least)
    const moved = <A extends Int8Array | Float32Array | Int32Array | Uint8Array>(from: A, to: A): A => {
      to.set(from as never)
      return to
    }
    codes = moved(codes, new Int8Array(larger * dims))
    signs = moved(signs, new Int32Array(larger * words))
    scales = moved(scales, new Float32Array(larger))
    passages = moved(passages, new Int32Array(larger))
    memories = moved(memories, new Int32Array(larger))
    identities = moved(identities, new Int32Array(larger))
    dead = moved(dead, new Uint8Array(larger))
  }

  /** Notes where the row is that is about to be appended. */
  const place = (passage: number): void => {
    if (ordered === length && (length === 0 || passage > (passages[length - 1] as number))) ordered++
    else strays.set(passage, length)
  }

  const noteSigns = (from: number, count: number): void => {
    for (let slot = from; slot < from + count; slot++)
      for (let word = 0; word < words; word++) {
        let bits = 0
        const base = slot * dims + word * 32
        const end = Math.min(32, dims - word * 32)
        for (let bit = 0; bit < end; bit++) if ((codes[base + bit] as number) > 0) bits |= 1 << bit
        signs[slot * words + word] = bits
      }
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

  const similarity = (query: Float32Array, slot: number): number => {
    let sum = 0
    const base = slot * dims
    for (let i = 0; i < dims; i++) sum += (query[i] as number) * (codes[base + i] as number)
    return sum * (scales[slot] as number)
  }

  return {
    size: () => length - killed.length,
    append: (passage, memory, identity, vector) => {
      if (length === scales.length) grow(length + 1)
      place(passage)
      passages[length] = passage
      memories[length] = memory
      identities[length] = identity
      scales[length] = vector.scale
      codes.set(vector.codes, length * dims)
      dead[length] = 0
      noteSigns(length, 1)
      length++
    },
    appendBlock: (block) => {
      const count = block.passages.length
      if (length + count > scales.length) grow(length + count)
      const first = block.passages[0] ?? 0
      if (ordered === length && (length === 0 || first > (passages[length - 1] as number))) ordered += count
      else block.passages.forEach((passage, i) => strays.set(passage, length + i))
      passages.set(block.passages, length)
      memories.set(block.memories, length)
      identities.set(block.identities, length)
      scales.set(block.scales, length)
      codes.set(block.codes, length * dims)
      dead.fill(0, length, length + count)
      noteSigns(length, count)
      length += count
    },
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
      length = mark.length
      ordered = Math.min(ordered, length)
      for (const [passage, slot] of strays) if (slot >= length) strays.delete(passage)
    },
    near: (query, least, limit, allows) => {
      const own = signsOf(query, words)
      const most = mostDifferent(dims, least)
      const found: { slot: number; score: number }[] = []
      for (let slot = 0; slot < length; slot++) {
        let different = 0
        const base = slot * words
        for (let word = 0; word < words; word++) different += ones((signs[base + word] as number) ^ (own[word] as number))
        if (different > most || dead[slot] === 1 || !allows(memories[slot] as number, identities[slot] as number)) continue
        const score = similarity(query, slot)
        if (score >= least) insert(found, { slot, score }, limit)
      }
      return found.map(({ slot, score }) => ({
        passage: passages[slot] as number,
        memory: memories[slot] as number,
        similarity: score,
      }))
    },
    nearest: (query, limit, allows) => {
      const best: { slot: number; score: number }[] = []
      let floor = Number.NEGATIVE_INFINITY
      for (let slot = 0; slot < length; slot++) {
        if (dead[slot] === 1 || !allows(memories[slot] as number, identities[slot] as number)) continue
        const score = similarity(query, slot)
        if (best.length === limit && score <= floor) continue
        insert(best, { slot, score }, limit)
        floor = best.length === limit ? (best[limit - 1] as { score: number }).score : floor
      }
      return best.map(({ slot, score }) => ({
        passage: passages[slot] as number,
        memory: memories[slot] as number,
        similarity: score,
      }))
    },
  }
}

/** Keeps a short list sorted, best first; equal scores keep their order. */
const insert = (best: { slot: number; score: number }[], entry: { slot: number; score: number }, limit: number): void => {
  let at = best.length
  while (at > 0 && (best[at - 1] as { score: number }).score < entry.score) at--
  best.splice(at, 0, entry)
  if (best.length > limit) best.pop()
}
