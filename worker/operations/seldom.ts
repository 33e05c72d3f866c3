import { MemoryError } from '../../src/protocol/errors.js'
import type { CallContext, Engine } from './context.js'

/** Calls that can read an earlier time. */
export type AsOfName = 'memory.get' | 'memory.list' | 'memory.search'

/** What answers the calls that few openings make. */
export interface SeldomCalls {
  /** Runs a call by its wire name; one that does not exist is INVALID_ARGUMENT. */
  readonly run: (engine: Engine, context: CallContext, name: string, input: unknown) => unknown
  /** Answers a read that asks for an earlier time. */
  readonly readAsOf: (engine: Engine, context: CallContext, name: AsOfName, input: unknown) => unknown
  /** Looks at memories that have left service. */
  readonly keep: (engine: Engine, signal: AbortSignal) => Promise<void>
  /** Looks at memories that are open, and at all that are when asked for it. */
  readonly resolvePending: (engine: Engine, memories: Set<number>, all: boolean, signal: AbortSignal) => Promise<void>
}

/** Those calls, loaded with the first of them. */
export interface SeldomSource {
  readonly ready: () => Promise<SeldomCalls>
  /** Resolves once it is not being loaded: calls that come meanwhile keep their place behind the one that it is loaded for. */
  readonly quiet: () => Promise<void>
}

export const createSeldomSource = (load: () => Promise<SeldomCalls>): SeldomSource => {
  let loading: Promise<SeldomCalls> | null = null
  let quiet = Promise.resolve()
  const begin = (): Promise<SeldomCalls> => {
    const begun = load().catch((error: unknown) => {
      // The next such call tries again.
      loading = null
      const cause = error instanceof Error ? error.message : String(error)
      throw new MemoryError(
        'WORKER_FAILED',
        `A part of the library could not be loaded: ${cause}. Serve seldom.js beside the worker, or say where it is with assetBase.`,
        { url: null, cause },
      )
    })
    quiet = begun.then(
      () => undefined,
      () => undefined,
    )
    return begun
  }
  return {
    ready: () => {
      loading ??= begin()
      return loading
    },
    quiet: () => quiet,
  }
}
