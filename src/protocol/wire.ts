import * as Comlink from 'comlink'
import type { CallName } from './calls.js'
import { type Failure, fromFailure, type MemoryError } from './errors.js'

/** Raised whenever the shape of a message between page and worker, or between workers, changes. */
export const PROTOCOL_VERSION = 1

/** How a call crosses a thread: never an exception, always plain data. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure }

/** What travels with a call beside its input. */
export interface CallMeta {
  /** Unique per call: names it for cancelling, and makes a resend answer with the first result. */
  readonly id: string
  /** Which handle of the page calls; the worker knows its scope. */
  readonly handle: number
}

/** What a worker offers its page. Every member is a plain function; the object is frozen. */
export interface WorkerFacade {
  readonly call: (name: CallName, input: unknown, meta: CallMeta) => Promise<Outcome<unknown>>
  /** Forget a call: its result is no longer wanted and its remaining work may stop. */
  readonly cancel: (id: string) => void
  /** Bind a narrower scope to a new handle. A failure is answered to every call on that handle. */
  readonly openHandle: (handle: number, parent: number, patch: unknown) => void
  readonly openLive: (id: string, handle: number, target: unknown) => void
  readonly closeLive: (id: string) => void
  /** The page is about to freeze or leave: hand the database to another tab when one waits. */
  readonly stepDown: () => void
  readonly close: () => Promise<Outcome<null>>
}

/** First message of a page to its worker, with the two ports: calls and events. */
export interface ConnectMessage {
  readonly type: 'palimpsest:connect'
  readonly protocol: number
  readonly options: unknown
  readonly assets: {
    readonly wasm: string
    readonly table: string
    readonly language: string
    readonly lexicon: string
    readonly repair: string
    readonly search: string
    readonly seldom: string
    readonly extract: string
    readonly patterns: string
  }
  readonly calls: MessagePort
  readonly events: MessagePort
  /** Name of a lock that the worker is to hold as long as it runs. */
  readonly alive: string
  /** Joins the worker to the tab broker, where the browser has shared workers. */
  readonly broker: MessagePort | null
  /** Answers embedding requests, when the page brings its own embedder. */
  readonly embedder: MessagePort | null
  /** Answers questions about pairs, when the page brings a judge. */
  readonly judge: MessagePort | null
}

/** The worker's first words, sent as soon as its script runs. */
export interface HelloMessage {
  readonly type: 'palimpsest:hello'
  readonly protocol: number
}

/** Whether the database could be opened. */
export type OpenedMessage = { readonly type: 'opened'; readonly outcome: Outcome<null> }

/** Put a facade behind a port. Frozen, since Comlink lets the far side assign to what it exposes. */
export const toWire = (facade: WorkerFacade, port: MessagePort): void =>
  Comlink.expose(Object.freeze(Object.assign(Object.create(null), facade)), port)

/** The worker's facade as seen from the page. */
export const fromWire = (port: MessagePort): Comlink.Remote<WorkerFacade> => Comlink.wrap<WorkerFacade>(port)

/** The value of an outcome, or its error thrown. */
export const unwrap = <T>(outcome: Outcome<T>): T => {
  if (outcome.ok) return outcome.value
  throw fromFailure(outcome.failure)
}

/** Anything a worker pushes to its page over the events port. */
export type PushMessage =
  | OpenedMessage
  /** The worker has the connect message and holds the lock that came with it. */
  | { readonly type: 'alive' }
  | { readonly type: 'event'; readonly event: import('./events.js').WorkerEvent }
  | { readonly type: 'live'; readonly id: string; readonly outcome: Outcome<unknown> }

export type { MemoryError }
