import { PROBE_TEXT } from '../../src/domain/calibration-texts.js'
import { textOf } from '../../src/domain/canonical.js'
import { leadOf } from '../../src/domain/passage.js'
import { isMemoryError, MemoryError } from '../../src/protocol/errors.js'
import type { Rung } from '../embedding/rungs.js'
import type { Engine } from '../operations/context.js'
import { letOthers } from '../operations/turn.js'
import type { Db } from '../ports.js'
import { findEmbedder } from '../store/embedders.js'
import { type BarePassage, countToEmbed, passagesToEmbed } from '../store/passages.js'
import { addVector } from '../store/search-index.js'
import { packVector } from '../store/vector-matrix.js'
import { headOf } from '../store/versions.js'

/** Passages embedded in one go: half a second of a model's time, so that pausing and closing are quick. */
const BATCH = 32

/** Pauses after a failed try, doubling from the first to the last. */
const RETRY_MS = { first: 1_000, last: 60_000 } as const

/**
 * Background work that gives vectors to whatever lacks some: queued writes, restored and recovered rows, and everything when the
 * embedder changes. Every batch is committed, so that it goes on where it was stopped.
 */
export interface Indexing {
  /** Starts it, when it is not running. */
  readonly wake: () => void
  /** Starts it in a while, the longer the more often it failed. */
  readonly retry: () => void
  /** Ends what is being embedded right now; to be woken again. */
  readonly interrupt: () => void
  /** Resolves when there is nothing left to do, or when an embedder fails and only waiting is left. */
  readonly settled: () => Promise<void>
  readonly stop: () => void
}

/** Told how many passages have a vector of an embedder, out of how many there are. */
export type IndexingProgress = (embedder: string, loaded: number, total: number) => void

export const createIndexing = (
  engine: () => Engine,
  onProgress: IndexingProgress,
  /** Called when every passage has its vectors. */
  onComplete: () => void,
): Indexing => {
  let working = new AbortController()
  let stopped = false
  let running: Promise<void> | null = null
  let again = false
  let retry: ReturnType<typeof setTimeout> | null = null
  let pause: number = RETRY_MS.first

  const run = async (): Promise<void> => {
    const { ladder, inOrder, store } = engine()
    let failure: MemoryError | null = null
    do {
      again = false
      failure = null
      working = new AbortController()
      for (const rung of [...ladder.rungs]) {
        if (stopped || ladder.isHeld(rung)) continue
        try {
          await fill(engine(), rung, working.signal, onProgress)
          pause = RETRY_MS.first
        } catch (error) {
          if (!isMemoryError(error, 'ABORTED')) failure = noted(engine(), rung, error)
        }
      }
      if (stopped) return
      await inOrder(async () => {
        ladder.settle()
        await store.db.durable()
      })
    } while (again)
    if (failure === null) onComplete()
    else later()
  }

  const later = (): void => {
    if (stopped || retry !== null) return
    retry = setTimeout(wake, pause)
    pause = Math.min(pause * 2, RETRY_MS.last)
  }

  const wake = (): void => {
    again = true
    if (running !== null || stopped) return
    if (retry !== null) clearTimeout(retry)
    retry = null
    running = run().finally(() => {
      running = null
    })
  }

  return {
    wake,
    retry: later,
    interrupt: () => working.abort(),
    settled: async () => {
      while (running !== null) await running
    },
    stop: () => {
      stopped = true
      working.abort()
      if (retry !== null) clearTimeout(retry)
    },
  }
}

const noted = ({ ladder }: Engine, rung: Rung, error: unknown): MemoryError => {
  if (!(error instanceof MemoryError)) throw error
  ladder.noteFailure(rung, error)
  return error
}

/** Gives every passage a vector of one rung's embedder. */
const fill = async (engine: Engine, rung: Rung, signal: AbortSignal, onProgress: IndexingProgress): Promise<void> => {
  const { db } = engine.store
  if (isIdle(engine, rung)) {
    rung.complete = true
    return
  }
  const { number, id } = await engine.ladder.meet(rung, signal)
  if (rung.failure !== null) await rung.embedder.embed([PROBE_TEXT], { signal })
  rung.failure = null
  const total = countToEmbed(db, 0)
  let loaded = total - countToEmbed(db, number, rung.filledTo)
  while (!signal.aborted) {
    const passages = passagesToEmbed(db, number, rung.filledTo, BATCH)
    const last = passages[passages.length - 1]
    if (last === undefined) {
      rung.complete = true
      return
    }
    rung.complete = false
    await embedPassages(engine, rung, number, passages, signal)
    rung.filledTo = last.passage
    loaded += passages.length
    onProgress(id, Math.min(loaded, total), total)
    await letOthers()
  }
}

/** Nothing lacks its vector and nobody waits for the embedder: then it is not even started. */
const isIdle = ({ store, ladder }: Engine, { embedder, known, failure, filledTo }: Rung): boolean => {
  const isAwaited = !embedder.builtIn && known === null && ladder.rungs.length > 1
  if (failure !== null || isAwaited) return false
  const number = known?.number ?? findEmbedder(store.db, embedder.id)?.number ?? 0
  return countToEmbed(store.db, number, filledTo) === 0
}

const embedPassages = async (
  { store, inOrder }: Engine,
  { embedder }: Rung,
  number: number,
  passages: readonly BarePassage[],
  signal: AbortSignal,
): Promise<void> => {
  const heads = new Map(
    [...new Set(passages.map(({ memory }) => memory))].map((memory) => [memory, readHead(store.db, memory)]),
  )
  const standing = passages.flatMap((passage) => {
    const head = heads.get(passage.memory)
    if (head == null) return []
    const isWhole = passage.beyond - passage.first === head.text.length
    const text = (isWhole ? head.lead : '') + head.text.slice(passage.first, passage.beyond)
    return [{ passage, identity: head.identity, text }]
  })
  const vectors = await embedder.embed(
    standing.map(({ text }) => text),
    { signal },
  )
  const packed = vectors.map(packVector)
  await inOrder(async () => {
    store.write(() => {
      standing.forEach(({ passage, identity }, i) => {
        const vector = packed[i]
        if (vector !== undefined) addVector(store, number, passage, identity, vector)
      })
    })
    await store.db.durable()
  })
}

const readHead = (
  db: Db,
  memory: number,
): { readonly identity: number; readonly text: string; readonly lead: string } | null => {
  const head = headOf(db, memory)
  return head === null
    ? null
    : { identity: head.identity, text: textOf(head.body.value), lead: leadOf(head.body.key, head.body.value) }
}
