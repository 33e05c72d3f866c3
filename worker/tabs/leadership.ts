/** The right to hold a store's files: one worker per origin at a time. */
export interface Leadership {
  /** Gives it up and queues again behind those who wait. `cleanUp` runs first, while the right is still held. */
  readonly stepDown: (cleanUp: () => Promise<void>) => Promise<void>
  /** Whether another worker waits for it. */
  readonly isWanted: () => Promise<boolean>
  /** Gives it up for good. */
  readonly leave: (cleanUp: () => Promise<void>) => Promise<void>
}

/** Pause before a worker that could not lead queues again. */
export const RETRY_MS = 1_000

/**
 * Queues for the store's exclusive lock; `lead` runs whenever it is granted. The lock ends with the worker, also when it is killed,
 * so that a waiting tab takes over by itself. When `lead` fails the lock goes to the next, `onFailure` is told, and this
 * worker queues again after a pause.
 */
export const seekLeadership = (
  locks: LockManager,
  name: string,
  lead: () => Promise<void>,
  onFailure: (error: unknown) => void,
): Leadership => {
  const leaving = new AbortController()
  let release: (() => void) | null = null

  const hold = async (): Promise<void> => {
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await lead()
    await released
  }

  const queue = (): void => {
    locks.request(name, { mode: 'exclusive', signal: leaving.signal }, hold).catch((error: unknown) => {
      release = null
      if (leaving.signal.aborted) return
      onFailure(error)
      // What kept the files from being opened may pass; until then another tab may have more luck.
      setTimeout(() => {
        if (!leaving.signal.aborted) queue()
      }, RETRY_MS)
    })
  }

  const giveUp = async (cleanUp: () => Promise<void>): Promise<void> => {
    try {
      await cleanUp()
    } finally {
      release?.()
      release = null
    }
  }

  queue()
  return {
    isWanted: async () => ((await locks.query()).pending ?? []).some((lock) => lock.name === name),
    stepDown: async (cleanUp) => {
      if (release === null) return
      await giveUp(cleanUp)
      queue()
    },
    leave: async (cleanUp) => {
      leaving.abort()
      await giveUp(cleanUp)
    },
  }
}
