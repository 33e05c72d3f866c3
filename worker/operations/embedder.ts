import type { EmbedderReport } from '../../src/schema/embedder.js'
import type { Hold } from '../embedding/ladder.js'
import type { Rung } from '../embedding/rungs.js'
import { countToEmbed } from '../store/passages.js'
import type { Engine } from './context.js'

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
