import { textOf } from '../../src/domain/canonical.js'
import { passagesOf } from '../../src/domain/passage.js'
import { MemoryError } from '../../src/protocol/errors.js'
import type { Engine } from '../operations/context.js'
import { countToEmbed, memoriesToEmbed } from '../store/passages.js'
import { indexHead, unindexMemory } from '../store/search-index.js'
import { packVector } from '../store/vector-matrix.js'
import { type Head, headOf } from '../store/versions.js'

/** Memories embedded in one go. */
const BATCH = 64

/** Pauses after a failed try, doubling from the first to the last. */
const RETRY_MS = { first: 1_000, last: 60_000 } as const

/** Background work that gives vectors to whatever has none of the current embedder: queued writes, restored and recovered rows. */
export interface Indexing {
  /** Starts it, when it is not running. */
  readonly wake: () => void
  /** Resolves when there is nothing left to do, or when the embedder fails and only waiting is left. */
  readonly settled: () => Promise<void>
  readonly stop: () => void
}

export const createIndexing = (engine: () => Engine, onProgress: (loaded: number, total: number) => void): Indexing => {
  const stopping = new AbortController()
  let running: Promise<void> | null = null
  let retry: ReturnType<typeof setTimeout> | null = null
  let pause: number = RETRY_MS.first

  const run = async (): Promise<void> => {
    const total = countToEmbed(engine().store.db, engine().store.embedder.number)
    let loaded = 0
    while (!stopping.signal.aborted) {
      const memories = memoriesToEmbed(engine().store.db, engine().store.embedder.number, BATCH)
      if (memories.length === 0) return
      loaded += await embedBatch(engine(), memories, stopping.signal)
      onProgress(Math.min(loaded, total), total)
      pause = RETRY_MS.first
      await new Promise<void>((resume) => setTimeout(resume, 0))
    }
  }

  const later = (error: unknown): void => {
    if (stopping.signal.aborted) return
    if (!(error instanceof MemoryError)) throw error
    retry = setTimeout(wake, pause)
    pause = Math.min(pause * 2, RETRY_MS.last)
  }

  const wake = (): void => {
    if (running !== null || stopping.signal.aborted) return
    if (retry !== null) clearTimeout(retry)
    running = run()
      .catch(later)
      .finally(() => {
        running = null
      })
  }

  return {
    wake,
    settled: async () => {
      while (running !== null) await running
    },
    stop: () => {
      stopping.abort()
      if (retry !== null) clearTimeout(retry)
    },
  }
}

/** Embeds some memories and puts them into the index anew, unless they changed meanwhile. Answers how many passages it took. */
const embedBatch = async (engine: Engine, memories: readonly number[], signal: AbortSignal): Promise<number> => {
  const { store } = engine
  const heads = memories.map((memory) => headOf(store.db, memory)).filter((head): head is Head => head !== null)
  const texts = heads.map((head) => {
    const text = textOf(head.body.value)
    return passagesOf(text).map(({ start, end }) => text.slice(start, end))
  })
  const vectors = await engine.embedder.embed(texts.flat(), { signal })
  await engine.inOrder(async () => {
    store.write(() => {
      let at = 0
      heads.forEach((head, i) => {
        const count = texts[i]?.length ?? 0
        const own = vectors.slice(at, at + count).map(packVector)
        at += count
        const now = headOf(store.db, head.memory)
        if (now === null || now.row !== head.row) return
        unindexMemory(store, head.memory)
        indexHead(store, head, own)
      })
    })
    await store.db.durable()
  })
  return texts.flat().length
}
