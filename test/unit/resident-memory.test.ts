import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { loadResident } from '../../worker/store/resident.js'
import { createVectorMatrix } from '../../worker/store/vector-matrix.js'
import { openTestStore } from '../support/store.js'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

test('vectors of an embedder that answers no more take no memory', async () => {
  const store = await openTestStore()
  const resident = loadResident(store.db)
  resident.useMatrix(createVectorMatrix(256, { capacity: 10_000 }))
  const old = new WeakRef(resident.matrix)
  resident.matrix.nearest(new Float32Array(256), 5, () => true)
  resident.useMatrix(createVectorMatrix(256))
  // What a reference was read from is held until the task ends.
  await new Promise((resolve) => setTimeout(resolve))
  collectGarbage()
  expect(old.deref()).toBeUndefined()
})
