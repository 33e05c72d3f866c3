import type { Memory } from '../../protocol/api.js'
import type { ProgressEvent } from '../../protocol/events.js'
import type { ScopePatch } from '../../schema/scope.js'
import { attributesOf, countsOf, kindOf, scoresOf } from './describe.js'
import { snippetsOf } from './snippets.js'
import type { Span, SpanParent, TraceOptions } from './span.js'
import { createTracer, type OpenSpan, type Tracer } from './tracer.js'

/**
 * The same memory, which tells of every call: how long it took, how much it found, with which scores, and the beginnings of what was said.
 * What texts hold a key or a password is masked. Steps of the background (indexing, learning, recovery, …) are told of as they end.
 * Handles that are narrowed from it tell too. It changes nothing of what the memory does.
 *
 * ```ts
 * const memory = traced(await openMemory('assistant'), { onTrace: (span) => console.debug(span.name, span.durationMs, span.counts) })
 * ```
 */
export const traced = (memory: Memory, options: TraceOptions): Memory => {
  const tracer = createTracer(options)
  const stop = watchBackground(memory, tracer)
  const wrapped = wrap(memory, tracer, null, {})
  return {
    ...wrapped,
    close: async () => {
      await wrapped.close()
      stop()
    },
  }
}

/** The handle of one piece of work: its calls are told of as parts of it. */
export const wrap = (memory: Memory, tracer: Tracer, parent: SpanParent | null, scope: Span['scope']): Memory => {
  const wrapGroup = (group: object, prefix: string): object =>
    Object.fromEntries(
      Object.entries(group).map(([name, held]: [string, unknown]) => [
        name,
        typeof held === 'function'
          ? wrapCall(`${prefix}.${name}`, held as Call, tracer, parent, scope)
          : typeof held === 'object' && held !== null
            ? wrapGroup(held, name)
            : held,
      ]),
    )
  // What opens a memory is a promise as well; whoever awaits this one gets a handle.
  const { then: _, scope: __, live, onProgress, ...calls } = memory as Memory & { readonly then?: unknown }
  return {
    ...(wrapGroup(calls, 'memory') as Omit<Memory, 'scope' | 'live' | 'onProgress'>),
    onProgress,
    scope: (patch) => wrap(memory.scope(patch), tracer, parent, { ...scope, ...named(patch) }),
    live: (target, callback) =>
      live(target, (snapshot) => {
        const span = tracer.start('memory.live', 'read', parent)
        const { rows, added, changed, removed, status, error } = snapshot
        const counts = { rows: rows.length, added: added.length, changed: changed.length, removed: removed.length }
        span.end(
          { counts, attributes: { status }, scope, snippets: textsIfWanted(tracer, added, changed) },
          error ?? undefined,
        )
        callback?.(snapshot)
      }),
  }
}

type Call = (...given: readonly unknown[]) => unknown

const wrapCall =
  (name: string, call: Call, tracer: Tracer, parent: SpanParent | null, scope: Span['scope']): Call =>
  (...given) => {
    const span = tracer.start(name, kindOf(name), parent)
    try {
      const answer = call(...given)
      if (!(answer instanceof Promise)) {
        end(span, answer, given, tracer, scope)
        return answer
      }
      return answer.then(
        (result: unknown) => {
          end(span, result, given, tracer, scope)
          return result
        },
        (error: unknown) => {
          span.end({ scope, snippets: textsIfWanted(tracer, ...said(given)) }, error)
          throw error
        },
      )
    } catch (error) {
      span.end({ scope }, error)
      throw error
    }
  }

const end = (span: OpenSpan, result: unknown, given: readonly unknown[], tracer: Tracer, scope: Span['scope']): void =>
  span.end({
    scope,
    counts: countsOf(result),
    scores: scoresOf(result),
    attributes: attributesOf(result),
    snippets: textsIfWanted(tracer, ...said(given), result),
  })

/** A text that is given by itself is a question, a name or what is said: all of it is somebody's. */
const said = (given: readonly unknown[]): readonly unknown[] =>
  given.map((one) => (typeof one === 'string' ? { text: one } : one))

const textsIfWanted = ({ payloads }: Tracer, ...parts: readonly unknown[]): readonly string[] =>
  payloads ? snippetsOf(...parts) : []

const named = (patch: ScopePatch): Span['scope'] =>
  Object.fromEntries(Object.entries(patch).filter((entry): entry is [string, string | null] => entry[1] !== undefined))

/** A span for each long step: from the first word of it to the last. */
export const watchBackground = (memory: Memory, tracer: Tracer): (() => void) => {
  const open = new Map<ProgressEvent['phase'], { readonly span: OpenSpan; loaded: number; total: number | null }>()
  const endOf = (phase: ProgressEvent['phase'], isDone: boolean): void => {
    const step = open.get(phase)
    open.delete(phase)
    step?.span.end({
      counts: { loaded: step.loaded, ...(step.total === null ? {} : { total: step.total }) },
      attributes: { phase, done: isDone },
    })
  }
  const stop = memory.onProgress(({ phase, loaded, total, ratio }) => {
    const step = open.get(phase) ?? { span: tracer.start(`background.${phase}`, 'background', null), loaded, total }
    open.set(phase, Object.assign(step, { loaded, total }))
    if (ratio >= 1) endOf(phase, true)
  })
  return () => {
    stop()
    for (const phase of [...open.keys()]) endOf(phase, false)
  }
}
