/** A tensor of a safetensors file, its numbers widened to 32 bits. */
export interface Tensor {
  readonly shape: readonly number[]
  readonly data: Float32Array
}

/** What the header says of one tensor. */
interface Entry {
  readonly dtype: string
  readonly shape: readonly number[]
  readonly data_offsets: readonly [start: number, end: number]
}

/**
 * The tensors of a safetensors file by name: eight bytes with the length of the header, the header as JSON, and the numbers.
 * Tensors of F16 and F32 are read, those of other types left out. A file that does not hold what its header says throws.
 */
export const readSafetensors = (file: Uint8Array): ReadonlyMap<string, Tensor> => {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  if (file.length < LENGTH_BYTES) throw new Error('This is no safetensors file: it is too short for a header.')
  const start = LENGTH_BYTES + Number(view.getBigUint64(0, true))
  if (start > file.length) throw new Error('This is no safetensors file: its header is longer than the file.')
  const header = JSON.parse(new TextDecoder().decode(file.subarray(LENGTH_BYTES, start))) as Record<string, Entry>
  const tensors = new Map<string, Tensor>()
  for (const [name, entry] of Object.entries(header))
    if (entry.dtype === 'F16' || entry.dtype === 'F32')
      tensors.set(name, { shape: entry.shape, data: numbersOf(name, entry, file.subarray(start)) })
  return tensors
}

const LENGTH_BYTES = 8

const numbersOf = (name: string, { dtype, shape, data_offsets: [from, to] }: Entry, data: Uint8Array): Float32Array => {
  const count = shape.reduce((product, size) => product * size, 1)
  const width = dtype === 'F32' ? 4 : 2
  if (to - from !== count * width || to > data.length) throw new Error(`Tensor ${name} does not fit its shape or the file.`)
  const bytes = new DataView(data.buffer, data.byteOffset + from, to - from)
  const numbers = new Float32Array(count)
  for (let i = 0; i < count; i++)
    numbers[i] = dtype === 'F32' ? bytes.getFloat32(i * 4, true) : (HALVES[bytes.getUint16(i * 2, true)] as number)
  return numbers
}

const halfValue = (bits: number): number => {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

/** The value of every 16-bit float. */
const HALVES = Float32Array.from({ length: 65_536 }, (_, bits) => halfValue(bits))
