import { type BoundScope, narrow } from '../domain/scope.js'
import type { LiveQuery, Memory } from '../protocol/api.js'
import type { CallName } from '../protocol/calls.js'
import { type Failure, invalidArgument, MemoryError } from '../protocol/errors.js'
import type { ProgressEvent } from '../protocol/events.js'
import type { ScopePatch } from '../schema/scope.js'
import { createLiveQuery } from './live-query.js'
import type { WorkerLink } from './worker-link.js'

/** What every handle of one store shares. */
export interface SharedLink {
  readonly link: WorkerLink
  /** Called after the first explicit write: the moment to ask the browser to keep the store. */
  readonly onFirstWrite: () => void
  /** True once this opening was closed, though others may still use its worker. */
  readonly isClosed: () => boolean
  /** Numbers of the scopes bound so far: an app may ask for the same one with every message. */
  readonly handles: Map<string, number>
  /** Live queries of this opening, to be ended with it. */
  readonly lives: Set<LiveQuery>
  readonly close: () => Promise<void>
}

type Given = object & { readonly signal?: AbortSignal | undefined }

/** A handle: the calls of the library, sent under its number. */
export const createHandle = (shared: SharedLink, handle: number, scope: BoundScope): Memory => {
  const { link } = shared

  const send = <T>(name: CallName, given: unknown, more: object = {}): Promise<T> => {
    if (shared.isClosed()) return Promise.reject(closed())
    if (typeof given !== 'object' || given === null) return Promise.reject(invalidArgument('input', 'must be an object'))
    const { signal, ...input } = given as Given
    if (signal != null && typeof signal.addEventListener !== 'function')
      return Promise.reject(invalidArgument('signal', 'must be an AbortSignal'))
    return link.call(name, { ...input, ...more }, handle, signal ?? undefined) as Promise<T>
  }

  const write = async <T>(name: CallName, given: unknown, more: object = {}): Promise<T> => {
    const result = await send<T>(name, given, more)
    shared.onFirstWrite()
    return result
  }

  const numberOf = (narrowed: BoundScope, open: () => number): number => {
    const name = JSON.stringify(LEVELS.map((level) => narrowed[level] ?? (narrowed[level] === null ? null : [])))
    const known = shared.handles.get(name) ?? open()
    shared.handles.set(name, known)
    return known
  }

  return {
    set: (input) => write('memory.set', input),
    update: (input) => write('memory.update', input),
    updateById: (input) => write('memory.updateById', input),
    bulkSet: (entries, options = {}) => write('memory.bulkSet', options, { entries }),
    get: (key, options = {}) => send('memory.get', options, { key }),
    getById: (id, options = {}) => send('memory.getById', options, { id }),
    list: (filter = {}) => send('memory.list', filter),
    history: (key, options = {}) => send('memory.history', options, { key }),
    delete: (key, options = {}) => write('memory.delete', options, { key }),
    restore: (key, options = {}) => write('memory.restore', options, { key }),
    pin: (input) => write('memory.pin', input),
    unpin: (input) => write('memory.unpin', input),
    lock: (key, options) => write('memory.lock', options, { key }),
    unlock: (key, options = {}) => write('memory.unlock', options, { key }),
    reject: (key, reason, options = {}) => write('memory.reject', options, { key, reason }),
    search: (query, options = {}) => send('memory.search', options, { query }),
    live: (target, callback) => {
      const live = createLiveQuery((receive) => {
        if (shared.isClosed()) {
          const { code, message } = closed()
          queueMicrotask(() => receive({ ok: false, failure: { code, message, details: {} } as Failure }))
          return () => undefined
        }
        const stop = link.openLive(handle, target, receive)
        return () => {
          shared.lives.delete(live)
          stop()
        }
      }, callback)
      shared.lives.add(live)
      return live
    },
    scope: (patch) => {
      const narrowed = narrowScope(scope, patch)
      return createHandle(
        shared,
        numberOf(narrowed, () => link.openHandle(handle, patch)),
        narrowed,
      )
    },
    storage: (options = {}) => send('memory.storage', options),
    conflicts: {
      list: (filter = {}) => send('conflicts.list', filter),
      resolve: (input) => write('conflicts.resolve', input),
    },
    proposals: {
      list: (filter = {}) => send('proposals.list', filter),
      decide: (input) => write('proposals.decide', input),
    },
    namespaces: {
      register: (input) => write('namespaces.register', input),
      get: (options = {}) => send('namespaces.get', options),
      audit: (options = {}) => send('namespaces.audit', options),
    },
    embedder: {
      get: (options = {}) => send('embedder.get', options),
      pause: (options = {}) => send('embedder.pause', options),
      resume: (options = {}) => send('embedder.resume', options),
      cancel: (options = {}) => send('embedder.cancel', options),
    },
    blacklist: {
      add: (input) => write('blacklist.add', input),
      list: (options = {}) => send('blacklist.list', options),
      remove: (input) => write('blacklist.remove', input),
    },
    calibration: { get: (options = {}) => send('calibration.get', options) },
    settled: async (options = {}) => {
      await send('memory.settled', options)
    },
    close: shared.close,
    onProgress: (callback: (progress: ProgressEvent) => void) =>
      link.onEvent((event) => {
        if (event.type === 'progress') callback(event)
      }),
  }
}

const closed = (): MemoryError => new MemoryError('CLOSED', 'This store was closed. Open it again.', {})

/** Checked here as well as in the worker, so that a wrong id fails where it is given. */
export const narrowScope = (scope: BoundScope, patch: ScopePatch): BoundScope => {
  if (typeof patch !== 'object' || patch === null) throw invalidArgument('scope', 'must be an object')
  for (const [level, id] of Object.entries(patch)) {
    if (!(LEVELS as readonly string[]).includes(level)) throw invalidArgument(level, 'is not a level of a scope')
    const anonymous = level === 'user' && id === null
    if (id !== undefined && !anonymous && typeof id !== 'string')
      throw invalidArgument(level, 'must be a string: pass String(id)')
  }
  const result = narrow(scope, patch)
  if (result.ok) return result.scope
  throw new MemoryError('FORBIDDEN', `This handle is bound to another ${result.level}. Scopes only narrow.`, {
    reason: 'widening',
  })
}

const LEVELS = ['org', 'namespace', 'agent', 'user', 'session', 'run', 'actor'] as const
