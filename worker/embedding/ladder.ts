import { isMemoryError, type MemoryError } from '../../src/protocol/errors.js'
import { unlessAborted } from '../abort.js'
import { readMeta, writeMeta } from '../store/devices.js'
import { embeddersBut, forgetEmbedder, type KnownEmbedder } from '../store/embedders.js'
import type { PassageVectors } from '../store/search-index.js'
import type { Store } from '../store/store.js'
import { packVector } from '../store/vector-matrix.js'
import { identify } from './identify.js'
import { type Embedders, type Rung, rungOf, rungsFor, standInsFor } from './rungs.js'

/** Why the wanted embedder is not being brought up: the app said so. */
export type Hold = 'paused' | 'cancelled'

/** Vectors with the number of the embedder that made them. */
export interface Embedded {
  readonly embedder: number
  readonly vectors: readonly Float32Array[]
}

/**
 * The embedders of an open store. One of them answers: the highest whose vectors are complete, so that searches go on with the old
 * vectors until the new ones are all there, and step down when it fails. Vectors of two embedders never meet.
 */
export interface Ladder {
  readonly rungs: readonly Rung[]
  /** The rung that the app wants to answer in the end. */
  readonly wanted: () => Rung
  /** Vectors of whoever answers now. Rejects with EMBEDDING_FAILED when nobody does. */
  readonly embed: (texts: readonly string[], signal?: AbortSignal) => Promise<Embedded>
  /** The same for passages of a write, and beside it what the built-in makes of them, which costs next to nothing. */
  readonly embedForWrite: (texts: readonly string[], signal?: AbortSignal) => Promise<readonly PassageVectors[]>
  /** Meets a rung's embedder, once per opening. */
  readonly meet: (rung: Rung, signal?: AbortSignal) => Promise<KnownEmbedder>
  readonly noteFailure: (rung: Rung, error: MemoryError) => void
  /** Whether a write with these vectors leaves nothing for the background to do. */
  readonly covers: (vectors: readonly PassageVectors[]) => boolean
  /** Lets the best rung answer, and drops what nobody needs any more. To be called in the order of the writes. */
  readonly settle: () => void
  readonly held: () => Hold | null
  /** Stops bringing up the wanted embedder, or goes on. A cancelled one loses what was made of it so far. */
  readonly hold: (hold: Hold | null) => void
  readonly isHeld: (rung: Rung) => boolean
  /** Whether its embedder has been asked for the first time and has not answered yet. */
  readonly isMeeting: (rung: Rung) => boolean
  readonly stop: () => void
}

/** What the ladder asks of the background. */
export interface LadderEvents {
  /** Vectors are missing. */
  readonly onMissing: () => void
  /** An embedder that others stand in for failed: to be tried again in a while. */
  readonly onFailure: () => void
}

export const createLadder = (store: Store, embedders: Embedders, { onMissing, onFailure }: LadderEvents): Ladder => {
  const rungs: Rung[] = rungsFor(store.db, embedders)
  const meeting = new Map<Rung, Promise<KnownEmbedder>>()
  const wanted = (): Rung => rungs[rungs.length - 1] as Rung
  const held = (): Hold | null => (readMeta(store.db, 'embedder_hold') as Hold | null) || null
  const isHeld = (rung: Rung): boolean => rungs.length > 1 && rung === wanted() && !rung.complete && held() !== null

  const meet: Ladder['meet'] = (rung, signal) => {
    if (rung.known !== null) return Promise.resolve(rung.known)
    const running =
      meeting.get(rung) ??
      identify(store, rung.embedder)
        .then((known) => {
          rung.known = known
          // The model has changed, so that all its vectors are missing at once.
          if (rungs.length === 1) rungs.unshift(...standInsFor(store.db, embedders).map((one) => rungOf(store.db, one)))
          if (rungs.length > 1) onMissing()
          return known
        })
        .finally(() => meeting.delete(rung))
    meeting.set(rung, running)
    return unlessAborted(running, signal)
  }

  /** Complete ones from the top, then those being filled from the bottom, then those that failed: one may be back. */
  const inOrder = (): readonly Rung[] => {
    const healthy = rungs.filter((rung) => rung.failure === null && !isHeld(rung))
    const complete = healthy.filter((rung) => rung.complete && (rung.known !== null || rung.embedder.builtIn))
    const filling = healthy.filter((rung) => !complete.includes(rung))
    const failed = rungs.filter((rung) => rung.failure !== null && !isHeld(rung))
    return [...complete.reverse(), ...filling, ...failed.reverse()]
  }

  const use = (known: KnownEmbedder): void => {
    if (store.embedder.number !== known.number) store.useEmbedder(known)
  }

  const noteFailure: Ladder['noteFailure'] = (rung, error) => {
    rung.failure = error
    // What is written while another one answers lacks its vectors.
    if (rungs.length > 1) rung.complete = false
  }

  const embed: Ladder['embed'] = async (texts, signal) => {
    let failure: unknown = null
    for (const rung of inOrder())
      try {
        const known = await meet(rung, signal)
        const vectors = await rung.embedder.embed(texts, signal === undefined ? {} : { signal })
        rung.failure = null
        use(known)
        return { embedder: known.number, vectors }
      } catch (error) {
        if (!isMemoryError(error, 'EMBEDDING_FAILED')) throw error
        noteFailure(rung, error)
        if (rungs.length > 1) onFailure()
        failure ??= error
      }
    throw failure
  }

  const besides = (embedder: number): readonly Rung[] =>
    rungs.filter((rung) => rung.embedder.builtIn && rung.known !== null && rung.known.number !== embedder)

  const embedForWrite: Ladder['embedForWrite'] = async (texts, signal) => {
    if (texts.length === 0) return []
    const first = await embed(texts, signal)
    const others = besides(first.embedder).map(async ({ embedder, known }) => ({
      embedder: known?.number ?? 0,
      vectors: await embedder.embed(texts),
    }))
    return [first, ...(await Promise.all(others))].map(({ embedder, vectors }) => ({
      embedder,
      packed: vectors.map(packVector),
    }))
  }

  const covers: Ladder['covers'] = (vectors) =>
    vectors.length === 0 ||
    rungs
      .filter((rung) => rung.failure === null && !isHeld(rung))
      .every(({ known }) => vectors.some(({ embedder }) => embedder === known?.number))

  const settle = (): void => {
    const [best] = inOrder()
    if (best?.known != null) use(best.known)
    // With auto and no model this time, the vectors of the last one wait for its return.
    if (!wanted().complete || (embedders.auto && rungs.length === 1)) return
    if (!embedders.auto) rungs.splice(0, rungs.length - 1)
    const numbers = rungs.flatMap(({ known }) => (known === null ? [] : [known.number]))
    const rest = numbers.length === rungs.length ? embeddersBut(store.db, numbers) : []
    if (rest.length > 0) store.write(() => rest.forEach((number) => forgetEmbedder(store.db, number)))
  }

  const hold: Ladder['hold'] = (wish) => {
    const rung = wanted()
    if (wish !== null && (rungs.length === 1 || rung.complete)) return
    store.write(() => {
      writeMeta(store.db, 'embedder_hold', wish ?? '')
      if (wish === 'cancelled' && rung.known !== null) forgetEmbedder(store.db, rung.known.number)
    })
    // A download goes on until its worker is ended; what came of it is kept there.
    if (wish === 'paused' && rung.known === null) rung.embedder.stop?.()
    if (wish !== 'cancelled') return
    Object.assign(rung, { known: null, filledTo: 0, complete: false, failure: null })
    rung.embedder.stop?.()
  }

  return {
    rungs,
    wanted,
    embed,
    embedForWrite,
    meet,
    noteFailure,
    covers,
    settle,
    held,
    hold,
    isHeld,
    isMeeting: (rung) => meeting.has(rung),
    stop: () => {
      for (const { embedder } of rungs) embedder.stop?.()
    },
  }
}
