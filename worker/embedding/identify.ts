import { CALIBRATION_REVISION, type Calibration, calibrationOf, cosine } from '../../src/domain/calibration.js'
import { CALIBRATION_TEXTS, PROBE_TEXT } from '../../src/domain/calibration-texts.js'
import type { Embedder } from '../ports.js'
import { addEmbedder, findEmbedder, forgetEmbedder, type KnownEmbedder, recalibrate } from '../store/embedders.js'
import type { Store } from '../store/store.js'

/**
 * From here on two answers to one text are the same answer. Quantised models depend a little on what else is in a batch, two builds
 * of a runtime a little on each other; another model is far away.
 */
const SAME_ANSWER = 0.98

/**
 * Meets an embedder: finds what the store knows of it, or measures and stores it. One that is the app's own is asked the probe text
 * each time, since its id is only a name: vectors of a model that has changed under its old name are dropped, never compared.
 */
export const identify = async (store: Store, embedder: Embedder): Promise<KnownEmbedder> => {
  const known = findEmbedder(store.db, embedder.id)
  const isCurrent = known?.calibration.texts === CALIBRATION_REVISION
  if (known !== null && isCurrent && embedder.builtIn) return known
  const [probe] = await embedder.embed([PROBE_TEXT])
  if (probe === undefined) throw new TypeError('one text gives one vector')
  const isSame = known !== null && sameAnswer(known.probe, probe)
  if (isSame && isCurrent) return known
  const calibration = await calibrate(store, embedder)
  const now = store.write(() => {
    if (isSame) return recalibrate(store.db, known, calibration)
    if (known !== null) forgetEmbedder(store.db, known.number)
    return addEmbedder(store.db, { id: embedder.id, dims: probe.length, probe, calibration })
  })
  await store.db.durable()
  return now
}

const calibrate = async (store: Store, embedder: Embedder): Promise<Calibration> => {
  const texts = [...CALIBRATION_TEXTS.map(([said]) => said), ...CALIBRATION_TEXTS.map(([, saidAgain]) => saidAgain)]
  return calibrationOf(await embedder.embed(texts), store.system.now())
}

/** Two zero vectors are the same answer too: that of a model that knows none of the words. */
const sameAnswer = (before: Float32Array, now: Float32Array): boolean =>
  before.length === now.length && (cosine(before, now) >= SAME_ANSWER || (isZero(before) && isZero(now)))

const isZero = (vector: Float32Array): boolean => vector.every((value) => value === 0)
