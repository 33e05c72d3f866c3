/** One step of a memory, told when it has ended. */
export interface Span {
  /** `memory.search`, `conversations.append`, `agent.before`, `background.indexing`, … */
  readonly name: string
  readonly kind: 'read' | 'write' | 'background' | 'turn'
  readonly spanId: string
  /** The same for all steps of one turn. */
  readonly traceId: string
  readonly parentId: string | null
  /** Epoch milliseconds. */
  readonly startTime: number
  readonly durationMs: number
  readonly status: 'ok' | 'error'
  /** The code of the error, or its name where it is none of ours. */
  readonly error: string | null
  /** Levels of the scope that the handle is bound to, by name; ids only with payloads. */
  readonly scope: Readonly<Record<string, string | null>>
  /** How much there was of what: `hits`, `rows`, `turns`, `written`, `refused`, … */
  readonly counts: Readonly<Record<string, number>>
  /** Of the hits of a search, in their order. */
  readonly scores: readonly number[]
  /** Beginnings of texts that went in or came out. Empty without payloads, masked where they hold a secret. */
  readonly snippets: readonly string[]
  /** What else is known of the step: a verdict, a reason to abstain, the phase of a long step. */
  readonly attributes: Readonly<Record<string, string | number | boolean>>
}

export interface TraceOptions {
  readonly onTrace: (span: Span) => void
  /** False leaves out what somebody has said, and whose memory it is. Default true. */
  readonly payloads?: boolean
}

/** What spans of one piece of work have in common. */
export interface SpanParent {
  readonly traceId: string
  readonly spanId: string
}
