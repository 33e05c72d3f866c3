import { newId } from '../../protocol/new-id.js'
import { snippetOf } from './snippets.js'
import type { Span, SpanParent, TraceOptions } from './span.js'

type Told = Partial<Pick<Span, 'counts' | 'scores' | 'snippets' | 'attributes' | 'scope'>>

/** A step that is under way. */
export interface OpenSpan extends SpanParent {
  readonly end: (told?: Told, error?: unknown) => void
}

/** Makes spans and hands them over. A listener that throws harms nothing but itself. */
export interface Tracer {
  readonly payloads: boolean
  readonly start: (name: string, kind: Span['kind'], parent: SpanParent | null) => OpenSpan
}

export const createTracer = ({ onTrace, payloads = true }: TraceOptions): Tracer => ({
  payloads,
  start: (name, kind, parent) => {
    const spanId = shortId()
    const traceId = parent?.traceId ?? shortId() + shortId()
    const startTime = Date.now()
    const begun = performance.now()
    let isEnded = false
    return {
      spanId,
      traceId,
      end: ({ counts = {}, scores = [], snippets = [], attributes = {}, scope = {} } = {}, error) => {
        if (isEnded) return
        isEnded = true
        const span: Span = {
          name,
          kind,
          spanId,
          traceId,
          parentId: parent?.spanId ?? null,
          startTime,
          durationMs: performance.now() - begun,
          status: error === undefined ? 'ok' : 'error',
          error: error === undefined ? null : errorName(error),
          scope: payloads ? scope : withoutIds(scope),
          counts,
          scores,
          snippets: payloads ? snippets : [],
          attributes,
        }
        try {
          onTrace(span)
        } catch {
          // Whoever watches must not change what is watched.
        }
      },
    }
  },
})

/** Sixteen hexadecimal digits: what traces elsewhere call a span. */
const shortId = (): string => newId().replaceAll('-', '').slice(0, 16)

const errorName = (error: unknown): string => {
  const { code, name } = (error ?? {}) as { readonly code?: unknown; readonly name?: unknown }
  return typeof code === 'string' ? snippetOf(code) : typeof name === 'string' ? snippetOf(name) : 'Error'
}

/** Which levels are bound, not to whom. */
const withoutIds = (scope: Span['scope']): Span['scope'] =>
  Object.fromEntries(Object.keys(scope).map((level) => [level, PERSONAL.has(level) ? '' : (scope[level] ?? null)]))

const PERSONAL = new Set(['user', 'session', 'run', 'actor'])
