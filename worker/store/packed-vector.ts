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
