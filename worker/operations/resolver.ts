/** Background work on what was written: judges what could not be judged at once, and settles conflicts that are certain. */
export interface Resolver {
  /** Notes a memory to be looked at, and starts in a while. Does nothing that a transaction would have to take back. */
  readonly add: (memory: number) => void
  /** Looks at everything that is open, in a while: when what was waited for has come. */
  readonly wake: () => void
  /** Looks at once; resolves when nothing is left to do. */
  readonly settled: () => Promise<void>
  readonly stop: () => void
}

/** Who does the work, and when. */
export interface ResolverParts {
  /** How long writes may go on before they are looked at, in milliseconds. */
  readonly delayMs: number
  /** Looks at memories one by one; `all` takes in whatever is open in the store. */
  readonly resolve: (memories: Set<number>, all: boolean, signal: AbortSignal) => Promise<void>
}

export const createResolver = ({ delayMs, resolve }: ResolverParts): Resolver => {
  const working = new AbortController()
  const noted = new Set<number>()
  let all = false
  let timer: ReturnType<typeof setTimeout> | null = null
  let running: Promise<void> | null = null

  const run = (): void => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (running !== null || working.signal.aborted) return
    const every = all
    all = false
    running = resolve(noted, every, working.signal)
      // What failed is open still, and looked at with the next wake.
      .catch(() => undefined)
      .finally(() => {
        running = null
        if (noted.size > 0) later()
      })
  }

  const later = (): void => {
    if (timer === null && !working.signal.aborted) timer = setTimeout(run, delayMs)
  }

  return {
    add: (memory) => {
      noted.add(memory)
      later()
    },
    wake: () => {
      all = true
      later()
    },
    settled: async () => {
      while ((timer !== null || running !== null) && !working.signal.aborted) {
        run()
        await running
      }
    },
    stop: () => {
      working.abort()
      if (timer !== null) clearTimeout(timer)
    },
  }
}
