import type { LiveQuery, LiveSnapshot } from '../protocol/api.js'
import { fromFailure } from '../protocol/errors.js'
import type { Outcome } from '../protocol/wire.js'

const LOADING: LiveSnapshot = { status: 'loading', rows: [], added: [], changed: [], removed: [], error: null }

type Delta = Pick<LiveSnapshot, 'rows' | 'added' | 'changed' | 'removed'>

/** What `memory.live` returns: the pushes of the worker as snapshots, callbacks and iteration. */
export const createLiveQuery = (
  start: (receive: (outcome: Outcome<unknown>) => void) => () => void,
  callback?: (snapshot: LiveSnapshot) => void,
): LiveQuery => {
  const listeners = new Set<() => void>()
  let snapshot = LOADING
  let ended = false

  const stop = start((outcome) => {
    if (ended) return
    snapshot = outcome.ok
      ? { status: 'ready', ...(outcome.value as Delta), error: null }
      : { ...snapshot, status: 'error', added: [], changed: [], removed: [], error: fromFailure(outcome.failure) }
    callback?.(snapshot)
    for (const listener of [...listeners]) listener()
  })

  const unsubscribe = (): void => {
    if (ended) return
    ended = true
    stop()
    for (const listener of [...listeners]) listener()
    listeners.clear()
  }

  const subscribe = (onChange: () => void): (() => void) => {
    listeners.add(onChange)
    return () => void listeners.delete(onChange)
  }

  const snapshots = async function* (): AsyncGenerator<LiveSnapshot, void, undefined> {
    let seen = LOADING
    try {
      while (!ended) {
        if (snapshot === seen)
          await new Promise<void>((resume) => {
            const leave = subscribe(() => {
              leave()
              resume()
            })
          })
        if (ended) return
        seen = snapshot
        yield seen
      }
    } finally {
      unsubscribe()
    }
  }

  return { unsubscribe, getSnapshot: () => snapshot, subscribe, [Symbol.asyncIterator]: snapshots }
}
