import { addRecalls } from '../store/namespaces.js'
import type { Store } from '../store/store.js'

/** How long found memories are gathered before they are written down. */
const GATHER_MS = 5_000

/** Counts how often searches find each memory. A search writes nothing itself: what it found is written down in a while. */
export interface Recalling {
  readonly note: (memories: readonly number[]) => void
  /** Writes down what was gathered. */
  readonly settle: () => Promise<void>
  readonly stop: () => void
}

export const createRecalling = (store: Store, inOrder: (work: () => Promise<void>) => Promise<void>): Recalling => {
  const found = new Map<number, number>()
  let timer: ReturnType<typeof setTimeout> | null = null

  const settle = async (): Promise<void> => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (found.size === 0) return
    await inOrder(async () => {
      const gathered = new Map(found)
      found.clear()
      store.write(() => addRecalls(store.db, gathered, store.system.now()))
      await store.db.durable()
    })
  }

  return {
    note: (memories) => {
      for (const memory of memories) found.set(memory, (found.get(memory) ?? 0) + 1)
      // A count that is lost, as on a full disk, is no loss of anybody's.
      if (found.size > 0) timer ??= setTimeout(() => void settle().catch(() => undefined), GATHER_MS)
    },
    settle: () => settle().catch(() => undefined),
    stop: () => {
      if (timer !== null) clearTimeout(timer)
    },
  }
}
