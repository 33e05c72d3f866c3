import { floorOf, thresholdsOf } from '../../src/domain/calibration.js'
import { policyFor } from '../../src/domain/policy.js'
import { resolve } from '../../src/domain/scope.js'
import { isMemoryError } from '../../src/protocol/errors.js'
import type { CalibrationReport } from '../../src/schema/embedder.js'
import { settingsOf } from '../store/namespaces.js'
import type { CallContext, Engine } from './context.js'

/** How the similarities of the embedder that answers are read. Asks it, when nothing was asked of it yet. */
export const getCalibration = async (
  engine: Engine,
  context: CallContext,
  of: { readonly type: string; readonly tags: readonly string[] },
): Promise<CalibrationReport> => {
  const { store, ladder } = engine
  if (store.embedder.calibration === null)
    try {
      await ladder.embed([], context.signal)
    } catch (error) {
      if (!isMemoryError(error, 'EMBEDDING_FAILED')) throw error
    }
  const { id, calibration } = store.embedder
  const settings = settingsOf(store.db, resolve(context.scope))
  const { thresholds, source } = policyFor(settings, of, thresholdsOf(calibration))
  return {
    embedder: id,
    source: source !== 'embedder' ? source : calibration === null ? 'fallback' : 'measured',
    thresholds: { ...thresholds, vector: floorOf(calibration) },
    randomPairs: calibration?.randomPairs ?? null,
    paraphrases: calibration?.paraphrases ?? null,
    measuredAt: calibration?.measuredAt ?? null,
  }
}
