import { backoffMs } from '../../src/domain/sync/refusals.js'
import { createExchange } from './exchange.js'
import type { SyncStore } from './store-port.js'
import type { Failure, Transport } from './transport.js'

/** How a sync stands. `waiting`: another attempt follows by itself; `halted`: not before somebody asks for it. */
export interface SyncState {
  readonly state: 'syncing' | 'idle' | 'waiting' | 'halted' | 'stopped'
  readonly failure: Failure | { readonly why: 'store'; readonly error: unknown } | null
  /** Everything that the server had was read at least once since the start. */
  readonly caughtUp: boolean
}

export interface EngineParts {
  readonly store: SyncStore
  readonly transport: Transport
  readonly chance: () => number
  /** Resolves after a time, which may be infinite, and at once when the signal is given. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  readonly tell: (state: SyncState) => void
}

export interface SyncEngine {
  /** Something was written here, or the server has something new. Cuts no waiting short. */
  readonly wake: () => void
  /** Somebody asks, or the network is back: whatever is waited for is tried at once. Resolves when that try has ended. */
  readonly now: () => Promise<SyncState>
  readonly stop: () => Promise<void>
}

/** Starts to exchange rows, and does so until it is stopped. */
export const startSync = ({ store, transport, chance, wait, tell }: EngineParts): SyncEngine => {
  const ended = new AbortController()
  const exchange = createExchange(store, transport)
  let current: SyncState = { state: 'syncing', failure: null, caughtUp: false }
  /** Given when there is something to do. */
  let bell = new AbortController()
  let rungBy: 'nobody' | 'woken' | 'asked' = 'nobody'
  const heard = (): typeof rungBy => rungBy
  let askers: ((state: SyncState) => void)[] = []

  const ring = (by: 'woken' | 'asked'): void => {
    if (rungBy !== 'asked') rungBy = by
    const waitsForMore = current.state === 'waiting' || current.state === 'halted'
    if (by === 'asked' || !waitsForMore) bell.abort()
  }

  const become = (state: SyncState['state'], failure: SyncState['failure']): void => {
    current = { state, failure, caughtUp: current.caughtUp || (state === 'idle' && failure === null) }
    tell(current)
  }

  const attemptOnce = async (): Promise<SyncState['failure']> => {
    try {
      return await exchange()
    } catch (error) {
      // A full disk, or a database that is gone: the rows are where they were.
      return { why: 'store', error }
    }
  }

  const quiet = (ms: number): Promise<void> => wait(ms, AbortSignal.any([bell.signal, ended.signal]))

  const loop = async (): Promise<void> => {
    let failures = 0
    while (!ended.signal.aborted) {
      const waiting = askers
      askers = []
      rungBy = 'nobody'
      bell = new AbortController()
      become('syncing', null)
      const failure = await attemptOnce()
      if (failure === null) failures = 0
      else failures++
      const mayRecover = failure !== null && (failure.why === 'unreachable' || failure.why === 'store')
      become(failure === null ? 'idle' : mayRecover ? 'waiting' : 'halted', failure)
      for (const answer of waiting) answer(current)
      if (ended.signal.aborted) break
      // Rung meanwhile: the ring was heard for what this try may have missed.
      if (heard() === 'asked' || (failure === null && heard() === 'woken')) continue
      const asked = failure?.why === 'unreachable' ? failure.retryAfterMs : null
      await quiet(mayRecover ? backoffMs(failures, chance(), asked) : Number.POSITIVE_INFINITY)
      // Whoever asked has a reason to think that things are better now.
      if (bell.signal.aborted) failures = 0
    }
    become('stopped', null)
    for (const answer of askers) answer(current)
  }

  const listen = async (): Promise<void> => {
    for (let failures = 1; !ended.signal.aborted; failures++) {
      const failure = await transport.hints(() => {
        failures = 0
        ring('woken')
      })
      if (failure.why === 'ended') return
      const asked = failure.why === 'unreachable' ? failure.retryAfterMs : null
      await wait(backoffMs(failures, chance(), asked), ended.signal)
      // Something may have come while nobody listened.
      ring('woken')
    }
  }

  const running = Promise.all([loop(), listen()])
  return {
    wake: () => ring('woken'),
    now: () =>
      new Promise((resolve) => {
        if (current.state === 'stopped') return resolve(current)
        askers.push(resolve)
        ring('asked')
      }),
    stop: async () => {
      ended.abort()
      await running
    },
  }
}
