import { floorOf, thresholdsOf } from '../../src/domain/calibration.js'
import { isMemoryError } from '../../src/protocol/errors.js'
import type { CalibrationReport, EmbedderReport } from '../../src/schema/embedder.js'
import type { Hold } from '../embedding/ladder.js'
import type { Rung } from '../embedding/rungs.js'
import { countToEmbed } from '../store/passages.js'
import type { CallContext, Engine } from './context.js'

/** Which embedder answers, and how far the wanted one has come. */
export const getEmbedder = ({ store, ladder }: Engine): EmbedderReport => {
  const rung = ladder.wanted()
  const { embedder, known, failure } = rung
  const { id, dims } = store.embedder
  const total = countToEmbed(store.db, 0)
  const loaded = known === null ? 0 : total - countToEmbed(store.db, known.number)
  const model = embedder.loading?.() ?? null
  return {
    active: id === null ? null : { id, dims },
    wanted: { id: embedder.id, dims: known?.dims ?? embedder.dims },
    state: stateOf(ladder.isHeld(rung) ? ladder.held() : null, rung, ladder.isMeeting(rung), id === embedder.id),
    loaded,
    total,
    ratio: total === 0 ? Number(known !== null) : loaded / total,
    model,
    reason: failure?.message ?? null,
  }
}

const stateOf = (
  held: Hold | null,
  { failure, known }: Rung,
  isMeeting: boolean,
  isActive: boolean,
): EmbedderReport['state'] => {
  if (held !== null) return held
  if (failure !== null) return 'failed'
  if (isActive) return 'ready'
  if (isMeeting) return 'loading'
  return known === null ? 'idle' : 'embedding'
}

/** Stops bringing up the wanted embedder. What it has made so far is kept. */
export const pauseEmbedder = (engine: Engine): Promise<EmbedderReport> => held(engine, 'paused')

/** Stops it and drops what it has made so far; its model is ended. */
export const cancelEmbedder = (engine: Engine): Promise<EmbedderReport> => held(engine, 'cancelled')

/** Goes on after a pause or begins anew after a cancel; tries at once what failed. */
export const resumeEmbedder = (engine: Engine): Promise<EmbedderReport> => held(engine, null)

const held = (engine: Engine, hold: Hold | null): Promise<EmbedderReport> => {
  // What is under way would put its vectors in after they were dropped.
  if (hold !== null) engine.interruptIndexing()
  return engine.inOrder(async () => {
    engine.ladder.hold(hold)
    await engine.store.db.durable()
    engine.wakeIndexing()
    return getEmbedder(engine)
  })
}

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
