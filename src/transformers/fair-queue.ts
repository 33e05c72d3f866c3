/** Runs a list through in batches; aborted between two of them. Answers in order. */
export type FairQueue<In, Out> = (items: readonly In[], signal: AbortSignal) => Promise<readonly Out[]>

/**
 * One batch at a time, and the lists that wait take turns batch by batch: a single item waits for the batch under way and not for
 * a long list behind it.
 */
export const createFairQueue = <In, Out>(
  run: (batch: readonly In[]) => Promise<readonly Out[]>,
  sizeOf: () => number,
): FairQueue<In, Out> => {
  const waiting: Job<In, Out>[] = []
  let busy = false

  const work = async (): Promise<void> => {
    if (busy) return
    busy = true
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      await step(job)
      await breathe()
    }
    busy = false
  }

  const step = async (job: Job<In, Out>): Promise<void> => {
    if (job.signal.aborted) return job.reject(job.signal.reason)
    const from = job.done.length
    try {
      job.done.push(...(await run(job.items.slice(from, from + sizeOf()))))
    } catch (error) {
      return job.reject(error)
    }
    if (job.done.length < job.items.length) waiting.push(job)
    else job.resolve(job.done)
  }

  return (items, signal) =>
    new Promise((resolve, reject) => {
      waiting.push({ items, signal, done: [], resolve, reject })
      void work()
    })
}

/**
 * Lets in what was sent meanwhile: a model computes without a pause, and its promises alone would leave no turn to messages. Not a
 * timer, which waits four milliseconds.
 */
const breathe = (): Promise<void> =>
  new Promise((resume) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resume()
    }
    port2.postMessage(null)
  })

interface Job<In, Out> {
  readonly items: readonly In[]
  readonly signal: AbortSignal
  readonly done: Out[]
  readonly resolve: (results: readonly Out[]) => void
  readonly reject: (error: unknown) => void
}
