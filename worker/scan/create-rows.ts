import { createPlainRows } from './plain-rows.js'
import type { VectorRows } from './rows.js'
import { compileKernel, createSimdRows } from './simd-rows.js'

/** Undefined until it was tried. */
let kernel: WebAssembly.Module | null | undefined

/** Empty rows for vectors of so many components, in the fastest form that runs here. */
export const createRows = (dims: number): VectorRows => {
  if (kernel === undefined) kernel = compileKernel()
  return kernel === null ? createPlainRows(dims) : createSimdRows(dims, kernel)
}
