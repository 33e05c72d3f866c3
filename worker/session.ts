import { type BoundScope, narrow } from '../src/domain/scope.js'
import { invalidArgument, MemoryError } from '../src/protocol/errors.js'
import { newId } from '../src/protocol/new-id.js'
import type { Outcome, PushMessage, WorkerFacade } from '../src/protocol/wire.js'
import { ScopePatch } from '../src/schema/scope.js'
import { createLiveRegistry, type LiveRegistry } from './live/registry.js'
import { failureOf, outcomeOf } from './outcome.js'
import { parse } from './parse.js'
import type { System } from './ports.js'
import type { Router } from './tabs/router.js'

export interface SessionParts {
  readonly router: Router
  readonly system: System
  readonly rootScope: BoundScope
  readonly push: (message: PushMessage) => void
}

/** What one page may do with its worker. Scopes are bound here: a page names its handles by number and cannot widen them. */
export const createSession = ({
  router,
  system,
  rootScope,
  push,
}: SessionParts): { readonly facade: WorkerFacade; readonly live: LiveRegistry } => {
  const handles = new Map<number, BoundScope | MemoryError>([[0, rootScope]])
  const running = new Map<string, AbortController>()
  let closed = false

  const scopeOf = (handle: number): BoundScope => {
    if (closed) throw new MemoryError('CLOSED', 'This store was closed. Open it again.', {})
    const scope = handles.get(handle)
    if (scope === undefined) throw new MemoryError('CLOSED', 'This handle was closed.', {})
    if (scope instanceof MemoryError) throw scope
    return scope
  }

  const bind = (parent: number, patch: unknown): BoundScope => {
    const narrowed = narrow(scopeOf(parent), parse(ScopePatch, patch))
    if (narrowed.ok) return narrowed.scope
    throw new MemoryError('FORBIDDEN', `This handle is bound to another ${narrowed.level}. Scopes only narrow.`, {
      reason: 'widening',
    })
  }

  const live = createLiveRegistry({
    call: (name, input, scope) =>
      router.call({ id: newId(), name, input, scope, acceptedAt: system.now() }, new AbortController().signal),
    push: (id, outcome) => push({ type: 'live', id, outcome }),
    now: system.now,
  })

  const call: WorkerFacade['call'] = async (name, input, meta): Promise<Outcome<unknown>> => {
    const abort = new AbortController()
    running.set(meta.id, abort)
    try {
      if (typeof name !== 'string') throw invalidArgument('call', 'is not a call of this library')
      const scope = scopeOf(meta.handle)
      const { id } = meta
      const outcome = await router.call({ id, name, input, scope, acceptedAt: system.now() }, abort.signal)
      return name === 'memory.storage' ? withLeader(outcome, router.isLeader()) : outcome
    } catch (error) {
      return { ok: false, failure: failureOf(error) }
    } finally {
      running.delete(meta.id)
    }
  }

  const facade: WorkerFacade = {
    call,
    cancel: (id) => running.get(id)?.abort(),
    openHandle: (handle, parent, patch) => {
      try {
        handles.set(handle, bind(parent, patch))
      } catch (error) {
        handles.set(
          handle,
          error instanceof MemoryError ? error : new MemoryError('FORBIDDEN', 'No such scope.', { reason: '' }),
        )
      }
    },
    openLive: (id, handle, target) => {
      try {
        if (typeof target !== 'object' || target === null) throw invalidArgument('target', 'must be an object')
        live.open(id, scopeOf(handle), target as Readonly<Record<string, unknown>>)
      } catch (error) {
        push({ type: 'live', id, outcome: { ok: false, failure: failureOf(error) } })
      }
    },
    closeLive: (id) => live.close(id),
    stepDown: () => void router.stepDown(),
    close: () =>
      outcomeOf(async () => {
        closed = true
        await router.close()
        return null
      }),
  }
  return { facade, live }
}

const withLeader = (outcome: Outcome<unknown>, leader: boolean): Outcome<unknown> =>
  outcome.ok ? { ok: true, value: { ...(outcome.value as object), leader } } : outcome
