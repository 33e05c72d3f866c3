import type { CallName } from '../protocol/calls.js'
import { MemoryError } from '../protocol/errors.js'
import type { WorkerEvent } from '../protocol/events.js'
import { newId } from '../protocol/new-id.js'
import {
  type CallMeta,
  type ConnectMessage,
  fromWire,
  type HelloMessage,
  type Outcome,
  PROTOCOL_VERSION,
  type PushMessage,
  unwrap,
} from '../protocol/wire.js'
import type { Assets } from './assets.js'
import { openEmbedderLine } from './embedder-line.js'
import type { EmbedderHost } from './embedders.js'
import { openJudgeLine } from './judge-line.js'
import type { StoreOptions } from './location.js'
import { createLoss, type Loss } from './loss.js'
import { sendData } from './not-data.js'

/** How long a script may take to say its first word. It says it before it loads anything. */
const HELLO_MS = 10_000

/** How long an aborted call is given to say how far it came: longer than a batch of a bulk write. */
const LAST_WORDS_MS = 1_000

/** The line to a worker: calls go out, outcomes and events come back, and nothing hangs when the worker is gone. */
export interface WorkerLink {
  /** Resolves when the store is open, rejects when it cannot be opened. */
  readonly opened: Promise<void>
  /** Rejects with the reason when the line is cut: the worker failed, ended, or was closed. */
  readonly onLost: Loss['onLost']
  readonly call: (name: CallName, input: unknown, handle: number, signal?: AbortSignal) => Promise<unknown>
  readonly openHandle: (parent: number, patch: unknown) => number
  readonly openLive: (handle: number, target: unknown, receive: (outcome: Outcome<unknown>) => void) => () => void
  readonly onEvent: (receive: (event: WorkerEvent) => void) => () => void
  readonly close: () => Promise<void>
}

export const linkWorker = (options: StoreOptions, assets: Assets): WorkerLink => {
  const calls = new MessageChannel()
  const events = new MessageChannel()
  const listeners = new Set<(event: WorkerEvent) => void>()
  const lives = new Map<string, (outcome: Outcome<unknown>) => void>()
  const facade = fromWire(calls.port1)
  let handles = 0
  let markOpened: () => void = () => undefined
  const loss = createLoss()
  const fail = loss.declare
  const ready = new Promise<void>((resolve) => {
    markOpened = resolve
  })

  events.port1.onmessage = ({ data }: MessageEvent<PushMessage>) => {
    if (data.type === 'event') for (const receive of [...listeners]) receive(data.event)
    else if (data.type === 'live') lives.get(data.id)?.(data.outcome)
    else if (data.type === 'alive') watchWorker()
    else if (data.type === 'opened')
      try {
        unwrap(data.outcome)
        markOpened()
      } catch (error) {
        fail(error as MemoryError)
      }
  }

  const worker = startWorker(options, assets, fail)
  const alive = `palimpsest:alive:${newId()}`
  const heard = worker === null ? () => undefined : awaitHello(worker, assets.worker, fail)
  /** A worker that is ended raises no event here, but the lock it holds comes free. */
  const watchWorker = (): void => {
    heard()
    void navigator.locks?.request(alive, () => fail(workerFailed(assets.worker, 'it was ended')))
  }
  if (worker !== null) loss.onLost(connect(worker, { options, assets, alive, calls: calls.port2, events: events.port2 }))
  const stopWatching = watchPage(() => void facade.stepDown())
  loss.onLost(() => {
    // A worker nobody can talk to must not go on holding the database.
    stopWatching()
    worker?.terminate()
    calls.port1.close()
    events.port1.close()
  })

  const call: WorkerLink['call'] = async (name, input, handle, signal) => {
    const meta: CallMeta = { id: newId(), handle }
    if (signal?.aborted) throw new MemoryError('ABORTED', 'The call was aborted before it began.', {})
    let stop: () => void = () => undefined
    const aborted = new Promise<never>((_, reject) => {
      stop = () => {
        void facade.cancel(meta.id)
        // What the worker still has to say about how far it came gets a moment to arrive.
        setTimeout(() => reject(new MemoryError('ABORTED', 'The call was aborted.', {})), LAST_WORDS_MS)
      }
    })
    aborted.catch(() => undefined)
    signal?.addEventListener('abort', stop)
    try {
      return unwrap(await loss.unless(Promise.race([send(name, input, meta), aborted])))
    } finally {
      signal?.removeEventListener('abort', stop)
    }
  }

  const send = (name: CallName, input: unknown, meta: CallMeta): Promise<Outcome<unknown>> =>
    sendData(input, () => facade.call(name, input, meta) as Promise<Outcome<unknown>>)

  return {
    opened: loss.unless(ready),
    onLost: loss.onLost,
    call,
    openHandle: (parent, patch) => {
      const handle = ++handles
      void facade.openHandle(handle, parent, patch)
      return handle
    },
    openLive: (handle, target, receive) => {
      const id = newId()
      lives.set(id, receive)
      const refuse = ({ code, message, details }: MemoryError): void =>
        lives.get(id)?.({ ok: false, failure: { code, message, details } as never })
      const stopListening = loss.onLost(refuse)
      sendData(target, () => facade.openLive(id, handle, target)).catch(refuse)
      return () => {
        stopListening()
        lives.delete(id)
        void facade.closeLive(id)
      }
    },
    onEvent: (receive) => {
      listeners.add(receive)
      return () => void listeners.delete(receive)
    },
    close: async () => {
      const closing = facade.close() as Promise<Outcome<null>>
      await loss.unless(closing).catch(() => undefined)
      fail(new MemoryError('CLOSED', 'This store was closed. Open it again.', {}))
    },
  }
}

const startWorker = (options: StoreOptions, assets: Assets, fail: (error: MemoryError) => void): Worker | null => {
  try {
    const worker = options.worker ?? assets.startWorker()
    worker.addEventListener('error', (event) => {
      event.preventDefault()
      fail(workerFailed(assets.worker, event.message || NOT_LOADED))
    })
    worker.addEventListener('messageerror', () => fail(workerFailed(assets.worker, 'a message could not be read')))
    return worker
  } catch (error) {
    fail(workerFailed(assets.worker, error instanceof Error ? error.message : String(error)))
    return null
  }
}

/** A script that is missing or has the wrong type raises an error without a word. */
const NOT_LOADED = 'the script is not there, is not JavaScript, or is blocked by the page policy'

const workerFailed = (url: string | null, cause: string): MemoryError =>
  new MemoryError(
    'WORKER_FAILED',
    `The memory worker does not run: ${cause}. Check that ${url ?? 'the worker'} is served, or set workerUrl or assetBase.`,
    { url, cause },
  )

/** Fails what does not say the right hello in time. A worker that was started earlier has said it: answering is enough, too. */
const awaitHello = (worker: Worker, url: string | null, fail: (error: MemoryError) => void): (() => void) => {
  const late = setTimeout(() => fail(workerFailed(url, 'it did not answer')), HELLO_MS)
  const heard = (): void => clearTimeout(late)
  worker.addEventListener('message', ({ data }: MessageEvent<HelloMessage>) => {
    if (data?.type !== 'palimpsest:hello') return
    heard()
    if (data.protocol !== PROTOCOL_VERSION)
      fail(
        new MemoryError('PROTOCOL_MISMATCH', 'Page and worker come from different builds. Reload the page.', {
          expected: PROTOCOL_VERSION,
          found: data.protocol,
        }),
      )
  })
  return heard
}

interface Connection {
  readonly options: StoreOptions
  readonly assets: Assets
  readonly alive: string
  readonly calls: MessagePort
  readonly events: MessagePort
}

/** Returns what ends the app's embedder. */
const connect = (worker: Worker, { options, assets, alive, calls, events }: Connection): (() => void) => {
  const broker = options.backend === 'memory' ? null : assets.startBroker()
  const host = options.model ?? (typeof options.embedder === 'object' ? options.embedder : null)
  const line = host === null ? null : new MessageChannel()
  const message: ConnectMessage = {
    type: 'palimpsest:connect',
    protocol: PROTOCOL_VERSION,
    options: forWorker(options),
    assets: {
      wasm: assets.wasm,
      table: assets.table,
      language: assets.language,
      lexicon: assets.lexicon,
      repair: assets.repair,
      search: assets.search,
      seldom: assets.seldom,
      extract: assets.extract,
      patterns: assets.patterns,
    },
    calls,
    events,
    alive,
    broker,
    embedder: line?.port2 ?? null,
    judge: options.judge === undefined ? null : openJudgeLine(options.judge),
  }
  const ports = [calls, events, broker, message.embedder, message.judge].filter((port) => port !== null)
  worker.postMessage(message, ports)
  return host === null || line === null ? () => undefined : openEmbedderLine(host, line.port1, assets.startEmbedderWorker)
}

/** The options that the worker checks; what only the page needs stays here. */
const forWorker = ({ name, backend, fallback, scope, embedder, model }: StoreOptions): unknown => ({
  name,
  ...(backend === undefined ? {} : { backend }),
  ...(fallback === undefined ? {} : { fallback }),
  ...(scope === undefined ? {} : { scope }),
  ...(embedder === undefined ? {} : { embedder: typeof embedder === 'object' ? nameOf(embedder) : embedder }),
  ...(model === undefined ? {} : { model: nameOf(model) }),
})

const nameOf = ({ id, dims }: EmbedderHost): unknown => ({ id, ...(dims === undefined ? {} : { dims }) })

/** A page that freezes or leaves hands the database over before it falls silent. */
const watchPage = (stepDown: () => void): (() => void) => {
  if (typeof document === 'undefined') return () => undefined
  document.addEventListener('freeze', stepDown)
  addEventListener('pagehide', stepDown)
  return () => {
    document.removeEventListener('freeze', stepDown)
    removeEventListener('pagehide', stepDown)
  }
}
