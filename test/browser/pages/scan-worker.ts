/* Runs the contract of the matrix where the library runs it. Messages: [form, index]; answers: null, or what failed. */

import { createPlainRows } from '../../../worker/scan/plain-rows.js'
import { compileKernel, createSimdRows } from '../../../worker/scan/simd-rows.js'
import { type CreateRows, matrixContract } from '../../contracts/vector-matrix.contract.js'

const kernel = compileKernel()

const forms: Readonly<Record<string, CreateRows | null>> = {
  simd: kernel === null ? null : (dims) => createSimdRows(dims, kernel),
  plain: createPlainRows,
}

addEventListener('message', ({ data: [form, index] }: MessageEvent<[string, number]>) => {
  try {
    const create = forms[form]
    if (create == null) throw new Error(`${form} does not run here`)
    matrixContract[index]?.run(create)
    postMessage(null)
  } catch (error) {
    postMessage(String(error))
  }
})
