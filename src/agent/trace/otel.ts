import type { Span } from './span.js'

/** What is used of a tracer of `@opentelemetry/api`. */
export interface OtelTracer {
  // biome-ignore lint/suspicious/noExplicitAny: its own types are those of an app that has the package; this one must not need it
  readonly startSpan: (name: string, options?: any, context?: any) => OtelSpan
}

interface OtelSpan {
  readonly setStatus: (status: { readonly code: number; readonly message?: string }) => unknown
  readonly end: (endTime?: number) => void
}

/** Numbers of `SpanKind` and `SpanStatusCode`, which OpenTelemetry has fixed. */
const INTERNAL = 0
const OK = 1
const ERROR = 2

export interface OtelOptions {
  /** More attributes for every span. */
  readonly attributes?: Readonly<Record<string, string | number | boolean>>
}

/**
 * Turns spans into those of OpenTelemetry, each with the times that it had. Names of attributes follow the conventions for generative AI
 * where they have one: `gen_ai.operation.name`, `gen_ai.conversation.id`, `gen_ai.agent.name`, `user.id`; the others stand under `palimpsest.`.
 * Which step belongs to which turn stands in `palimpsest.trace_id`, `palimpsest.span_id` and `palimpsest.parent_id`, since a span is told of once it has ended.
 *
 * ```ts
 * import { trace } from '@opentelemetry/api'
 * const memory = traced(await openMemory('assistant'), { onTrace: otelExporter(trace.getTracer('assistant')) })
 * ```
 */
export const otelExporter =
  (tracer: OtelTracer, { attributes: more = {} }: OtelOptions = {}) =>
  (span: Span): void => {
    const { name, kind, scope, counts, scores, snippets, status, error, startTime, durationMs } = span
    const attributes: Record<string, string | number | boolean | readonly string[] | readonly number[]> = {
      'gen_ai.operation.name': name,
      'palimpsest.kind': kind,
      'palimpsest.trace_id': span.traceId,
      'palimpsest.span_id': span.spanId,
      ...(span.parentId === null ? {} : { 'palimpsest.parent_id': span.parentId }),
      ...under('palimpsest.count', counts),
      ...under('palimpsest', span.attributes),
      ...more,
    }
    for (const [level, id] of Object.entries(scope)) attributes[SCOPE_NAMES[level] ?? `palimpsest.scope.${level}`] = id ?? ''
    if (scores.length > 0) attributes['palimpsest.scores'] = scores
    if (snippets.length > 0) attributes['palimpsest.snippets'] = snippets
    if (error !== null) attributes['error.type'] = error
    const told = tracer.startSpan(name, { kind: INTERNAL, startTime, attributes })
    told.setStatus(error === null && status === 'ok' ? { code: OK } : { code: ERROR, message: error ?? 'error' })
    told.end(startTime + durationMs)
  }

const SCOPE_NAMES: Readonly<Record<string, string>> = {
  user: 'user.id',
  session: 'gen_ai.conversation.id',
  agent: 'gen_ai.agent.name',
}

const under = (prefix: string, values: Readonly<Record<string, string | number | boolean>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value]))
