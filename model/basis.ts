/** Directions of greatest variance, the widest first. */
export interface Basis {
  readonly size: number
  /** `size` numbers each, one direction after the other. */
  readonly directions: Float64Array
  /** Share of the variance along each direction. */
  readonly shares: Float64Array
}

/** The principal directions of rows of `size` numbers. */
export const principalBasis = (rows: ArrayLike<number>, size: number): Basis => {
  const covariance = covarianceOf(rows, size)
  const vectors = jacobi(covariance, size)
  const variance = Float64Array.from({ length: size }, (_, at) => covariance[at * size + at] as number)
  const total = variance.reduce((sum, value) => sum + value, 0)
  const order = Array.from(variance.keys()).sort((a, b) => (variance[b] as number) - (variance[a] as number))
  const directions = new Float64Array(size * size)
  for (const [rank, column] of order.entries()) {
    for (let k = 0; k < size; k++) directions[rank * size + k] = vectors[k * size + column] as number
  }
  return { size, directions, shares: Float64Array.from(order, (at) => (variance[at] as number) / total) }
}

/** The rows seen along the first `dims` directions, less the mean where one is given. */
export const project = (rows: ArrayLike<number>, basis: Basis, dims: number, mean?: Float64Array): Float32Array => {
  const { size, directions } = basis
  const count = rows.length / size
  const projected = new Float32Array(count * dims)
  const row = new Float64Array(size)
  for (let at = 0; at < count; at++) {
    for (let k = 0; k < size; k++) row[k] = (rows[at * size + k] as number) - (mean?.[k] ?? 0)
    for (let d = 0; d < dims; d++) {
      let sum = 0
      for (let k = 0, from = d * size; k < size; k++) sum += (row[k] as number) * (directions[from + k] as number)
      projected[at * dims + d] = sum
    }
  }
  return projected
}

export const meanOf = (rows: ArrayLike<number>, size: number): Float64Array => {
  const mean = new Float64Array(size)
  for (let at = 0; at < rows.length; at++) mean[at % size] = (mean[at % size] as number) + (rows[at] as number)
  return mean.map((sum) => (sum * size) / rows.length)
}

const covarianceOf = (rows: ArrayLike<number>, size: number): Float64Array => {
  const count = rows.length / size
  const mean = meanOf(rows, size)
  const covariance = new Float64Array(size * size)
  const row = new Float64Array(size)
  for (let at = 0; at < count; at++) {
    for (let k = 0; k < size; k++) row[k] = (rows[at * size + k] as number) - (mean[k] as number)
    for (let a = 0; a < size; a++) {
      const value = row[a] as number
      for (let b = a, to = a * size; b < size; b++)
        covariance[to + b] = (covariance[to + b] as number) + value * (row[b] as number)
    }
  }
  for (let a = 0; a < size; a++) for (let b = 0; b < a; b++) covariance[a * size + b] = covariance[b * size + a] as number
  return covariance
}

const MAX_SWEEPS = 15
const FLAT = 1e-24

/** Turns a symmetric matrix into its eigenvalues on the diagonal; returns the eigenvectors as columns. */
const jacobi = (matrix: Float64Array, size: number): Float64Array => {
  const vectors = new Float64Array(size * size)
  for (let at = 0; at < size; at++) vectors[at * size + at] = 1
  let trace = 0
  for (let at = 0; at < size; at++) trace += matrix[at * size + at] as number
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    let off = 0
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) {
        const cross = matrix[p * size + q] as number
        off += cross * cross
        if (cross * cross > FLAT * trace * trace) rotate(matrix, vectors, size, p, q)
      }
    }
    if (off < FLAT * trace * trace) break
  }
  return vectors
}

const rotate = (matrix: Float64Array, vectors: Float64Array, size: number, p: number, q: number): void => {
  const at = (row: number, column: number): number => matrix[row * size + column] as number
  const angle = (at(q, q) - at(p, p)) / (2 * at(p, q))
  const tangent = (angle < 0 ? -1 : 1) / (Math.abs(angle) + Math.sqrt(angle * angle + 1))
  const cosine = 1 / Math.sqrt(tangent * tangent + 1)
  const sine = tangent * cosine
  for (let k = 0; k < size; k++) mix(matrix, k * size + p, k * size + q, cosine, sine)
  for (let k = 0; k < size; k++) mix(matrix, p * size + k, q * size + k, cosine, sine)
  for (let k = 0; k < size; k++) mix(vectors, k * size + p, k * size + q, cosine, sine)
}

const mix = (values: Float64Array, a: number, b: number, cosine: number, sine: number): void => {
  const left = values[a] as number
  const right = values[b] as number
  values[a] = cosine * left - sine * right
  values[b] = sine * left + cosine * right
}
