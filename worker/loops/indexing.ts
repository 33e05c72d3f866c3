import { textOf } from '../../src/domain/canonical.js'
import { passagesOf } from '../../src/domain/passage.js'
import { MemoryError } from '../../src/protocol/errors.js'
import type { Engine } from '../operations/context.js'
import { countToEmbed, passagesToEmbed } from '../store/passages.js'
import { indexHead, unindexMemory } from '../store/search-index.js'
import type { Store } from '../store/store.js'
import { packVector } from '../store/vector-matrix.js'
import { dropOtherVectors, hasOtherVectors } from '../store/vectors.js'
import { type Head, headOf } from '../store/versions.js'

/** Passages looked at in one go. */
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
    const { store } = engine()
    const total = countToEmbed(store.db, store.embedder.number)
    let loaded = 0
    // What is embedded gets new, higher passage numbers, so going up meets everything once.
    let after = 0
    while (!stopping.signal.aborted) {
      const passages = passagesToEmbed(store.db, store.embedder.number, after, BATCH)
      const last = passages[passages.length - 1]
      if (last === undefined) return forgetOtherEmbedders(store)
      loaded += await embedBatch(engine(), [...new Set(passages.map(({ memory }) => memory))], stopping.signal)
      after = last.passage
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

/** Once everything has a vector of the current embedder, those of earlier ones are of no use. */
const forgetOtherEmbedders = (store: Store): void => {
  if (hasOtherVectors(store.db, store.embedder.number)) store.write(() => dropOtherVectors(store.db, store.embedder.number))
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
        // Another value was indexed when it was written; the same one, restated or moved to another status, still waits.
        if (now === null || now.body.contentSha256 !== head.body.contentSha256) return
        unindexMemory(store, head.memory)
        indexHead(store, now, own)
      })
    })
    await store.db.durable()
  })
  return texts.flat().length
}
