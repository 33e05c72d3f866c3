/** Looks at memories when they leave service. */
export interface Keeping {
  /** Waits for the next that leaves: a write may have brought one. */
  readonly arm: () => void
  /** Looks at those that have left by now. */
  readonly settled: () => Promise<void>
  readonly stop: () => void
}

/** Who does the work, and when. */
export interface KeepingParts {
  /** When the next is to be looked at, or null. */
  readonly next: () => number | null
  readonly now: () => number
  /** Shortest wait, in milliseconds: several that leave together are looked at together. */
  readonly delayMs: number
  readonly keep: (signal: AbortSignal) => Promise<void>
}

/** Longest wait: a machine that slept has another time than its timers. */
const MOST_WAIT_MS = 3_600_000
/** Until what failed is tried again. */
const RETRY_MS = 60_000

export const createKeeping = ({ next, now, delayMs, keep }: KeepingParts): Keeping => {
  const working = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: Promise<void> | null = null

  const run = (): Promise<void> => {
    clearTimeout(timer)
    running ??= keep(working.signal)
      .then(
        () => delayMs,
        () => RETRY_MS,
      )
      .then((wait) => {
        running = null
        arm(wait)
      })
    return running
  }

  const arm = (least = delayMs): void => {
    clearTimeout(timer)
    const at = working.signal.aborted || running !== null ? null : next()
    if (at !== null) timer = setTimeout(() => void run(), Math.max(least, Math.min(at - now(), MOST_WAIT_MS)))
  }

  return {
    arm: () => arm(),
    settled: async () => {
      if (running !== null || (next() ?? Number.POSITIVE_INFINITY) <= now()) await run()
    },
    stop: () => {
      working.abort()
      clearTimeout(timer)
    },
  }
}
