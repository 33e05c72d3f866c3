import type { MemoryError } from '../protocol/errors.js'

/** The end of a worker, as those who wait for it see it. */
export interface Loss {
  /** Says that the worker is lost. Only the first reason counts. */
  readonly declare: (error: MemoryError) => void
  /** Calls back when it is lost, at once if it was; answers with the function that stops listening. */
  readonly onLost: (listener: (error: MemoryError) => void) => () => void
  /** What `work` comes to, or the loss if that comes first. */
  readonly unless: <T>(work: Promise<T>) => Promise<T>
}

/** Not one promise that every call races: such a promise would remember all of them for as long as the worker lives. */
export const createLoss = (): Loss => {
  const listeners = new Set<(error: MemoryError) => void>()
  let reason: MemoryError | null = null

  const onLost: Loss['onLost'] = (listener) => {
    if (reason !== null) listener(reason)
    else listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  return {
    declare: (error) => {
      if (reason !== null) return
      reason = error
      for (const listener of [...listeners]) listener(error)
      listeners.clear()
    },
    onLost,
    unless: (work) =>
      new Promise((resolve, reject) => {
        const leave = onLost(reject)
        work.then(resolve, reject).finally(leave)
      }),
  }
}
