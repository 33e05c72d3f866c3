import { readAccount } from './store/accounts.js'
import type { Db } from './store/steps.js'

export interface Moved {
  readonly epoch: string
  readonly head: number
}

type Listener = (moved: Moved) => void

/** Who wants to know that an account has new rows. A hint says only that a pull is worth it; to miss one costs time, never rows. */
export interface Hints {
  readonly listen: (account: string, listener: Listener) => () => void
  /** Told by this process' own pushes. */
  readonly moved: (account: string, moved: Moved) => void
  /** Asks the database, where other processes may have written. */
  readonly look: () => Promise<void>
  readonly open: () => number
  readonly countFor: (account: string) => number
}

export const openHints = (db: Db): Hints => {
  const listeners = new Map<string, Set<Listener>>()
  const last = new Map<string, string>()
  const tell = (account: string, moved: Moved) => {
    const said = `${moved.epoch} ${moved.head}`
    if (last.get(account) === said) return
    last.set(account, said)
    for (const listener of listeners.get(account) ?? []) listener(moved)
  }
  return {
    listen: (account, listener) => {
      const set = listeners.get(account) ?? new Set()
      listeners.set(account, set.add(listener))
      return () => {
        set.delete(listener)
        if (set.size > 0 || listeners.get(account) !== set) return
        listeners.delete(account)
        last.delete(account)
      }
    },
    moved: (account, moved) => {
      if (listeners.has(account)) tell(account, moved)
    },
    look: async () => {
      for (const account of [...listeners.keys()]) {
        const { epoch, head } = await db.read(() => readAccount(account))
        if (listeners.has(account)) tell(account, { epoch, head })
      }
    },
    open: () => [...listeners.values()].reduce((sum, { size }) => sum + size, 0),
    countFor: (account) => listeners.get(account)?.size ?? 0,
  }
}
