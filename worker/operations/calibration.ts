import { floorOf, thresholdsOf } from '../../src/domain/calibration.js'
import { isMemoryError } from '../../src/protocol/errors.js'
import type { CalibrationReport } from '../../src/schema/embedder.js'
import type { CallContext, Engine } from './context.js'

/** How the similarities of the embedder that answers are read. Asks it, when nothing was asked of it yet. */
export const getCalibration = async (engine: Engine, context: CallContext): Promise<CalibrationReport> => {
  const { store, ladder } = engine
  if (store.embedder.calibration === null)
    try {
      await ladder.embed([], context.signal)
    } catch (error) {
      if (!isMemoryError(error, 'EMBEDDING_FAILED')) throw error
    }
  const { id, calibration } = store.embedder
  return {
    embedder: id,
    source: calibration === null ? 'fallback' : 'measured',
    thresholds: { ...thresholdsOf(calibration), vector: floorOf(calibration) },
    randomPairs: calibration?.randomPairs ?? null,
    paraphrases: calibration?.paraphrases ?? null,
    measuredAt: calibration?.measuredAt ?? null,
  }
}
