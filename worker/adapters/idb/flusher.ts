import type { BlockStore } from './blocks.js'
import type { Mirror } from './mirror.js'

/**
 * Stores a mirror's changes, many commits at a time.
 *
 * A commit is in memory first, so a flush that fails has to take commits back: the mirror returns to what was stored last,
 * which also undoes what was committed during the flush, because it was built on what is lost. All who wait for any of it
 * are told.
 */
export const createFlusher = (mirror: () => Mirror, blocks: BlockStore): (() => Promise<void>) => {
  let running: Promise<void> | null = null
  let queued: Promise<void> | null = null
  /** Set when commits were undone that nobody waited for yet; their `durable` is still to come. */
  let lost: { readonly error: unknown } | null = null

  const flush = async (): Promise<void> => {
    const file = mirror()
    const cut = file.cut()
    if (cut.before.size === 0 && cut.size === file.size()) return
    try {
      await blocks.store(file, [cut])
    } catch (error) {
      // In one go with the change of the mirror: a commit after this is not part of the failure.
      const unasked = file.restore([cut]) && queued === null
      if (unasked) lost = { error }
      running = null
      queued = null
      throw error
    }
  }

  const start = async (previous: Promise<void> | null): Promise<void> => {
    // Never within the turn of a commit: several commits of one turn share a flush, and no transaction is open.
    await (previous ?? Promise.resolve())
    const self = flush()
    running = self
    queued = null
    try {
      await self
    } finally {
      if (running === self) running = null
    }
  }

  return () => {
    if (lost !== null) {
      const { error } = lost
      lost = null
      mirror().restore([])
      return Promise.reject(error)
    }
    queued ??= start(running)
    return queued
  }
}
