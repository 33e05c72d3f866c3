import { MemoryError } from '../src/protocol/errors.js'
import type { ChangeEvent, StorageEvent } from '../src/protocol/events.js'
import { newId } from '../src/protocol/new-id.js'
import { type ConnectMessage, type HelloMessage, PROTOCOL_VERSION, type PushMessage, toWire } from '../src/protocol/wire.js'
import { WorkerOptions } from '../src/schema/options.js'
import { createPortJudge } from './adapters/port-judge.js'
import { system } from './adapters/system.js'
import { chooseEmbedders, openEngine, type Progress, startSqlite } from './open.js'
import { outcomeOf } from './outcome.js'
import { parse } from './parse.js'
import { createSession } from './session.js'
import { createBroker } from './tabs/broker.js'
import { openLines } from './tabs/lines.js'
import { createTabRouter, type Router } from './tabs/router.js'
import { createSoloRouter } from './tabs/solo.js'

/** Serves one page: binds its ports, finds the store or its leader, and answers. */
const connect = async (message: ConnectMessage): Promise<void> => {
  const push = (pushed: PushMessage): void => message.events.postMessage(pushed)
  const progress: Progress = (made) => push({ type: 'event', event: { type: 'progress', ...made } })
  stayAlive(message.alive, () => push({ type: 'alive' }))
  const opened = await outcomeOf(async () => {
    if (message.protocol !== PROTOCOL_VERSION)
      throw new MemoryError('PROTOCOL_MISMATCH', 'Page and worker come from different builds. Reload the page.', {
        expected: PROTOCOL_VERSION,
        found: message.protocol,
      })
    const options = parse(WorkerOptions, message.options)
    const router = route(message, options, push, progress, (changes) => session.live.changed(changes))
    const session = createSession({ router, system, rootScope: options.scope ?? {}, push })
    toWire(session.facade, message.calls)
    await router.opened
    return null
  })
  push({ type: 'opened', outcome: opened })
}

const route = (
  message: ConnectMessage,
  options: WorkerOptions,
  push: (pushed: PushMessage) => void,
  progress: Progress,
  refreshLive: (changes: ChangeEvent['changes'] | null) => void,
): Router => {
  const sqlite3 = startSqlite(message.assets, progress)
  sqlite3.catch(() => undefined)
  const embedders = chooseEmbedders(options, message.assets, message.embedder, progress)
  const changed = (changes: ChangeEvent['changes']): void => {
    push({ type: 'event', event: { type: 'changed', changes } })
    refreshLive(changes)
  }
  const pairJudge = message.judge === null ? null : createPortJudge(message.judge)
  let report: Omit<StorageEvent['report'], 'leader'> | null = null
  const open = async (publish: Parameters<typeof openEngine>[2]) => {
    const { patterns, lexicon, repair, search, seldom, extract, language: module } = message.assets
    const language = { module, lexicon }
    const parts = { sqlite3, embedders, language, patterns, repair, search, seldom, extract, pairJudge, progress }
    const opened = await openEngine(options, parts, publish)
    report = opened.report
    return opened.engine
  }
  const { locks } = navigator
  if (options.backend === 'memory' || locks === undefined) return createSoloRouter(open, changed)
  const id = newId()
  return createTabRouter({
    lockName: `palimpsest:${options.name}`,
    locks,
    openLines: (receive) => openLines(options.name, id, message.broker, receive),
    openEngine: open,
    onChanged: changed,
    onLeader: (leader) => {
      if (report !== null) push({ type: 'event', event: { type: 'storage', report: { ...report, leader } } })
      // What was shown may be older than what the new leader holds.
      refreshLive(null)
    },
  })
}

/** Holds a lock as long as this worker runs: a worker that is ended raises no event, but its locks come free. */
const stayAlive = (name: string, held: () => void): void => {
  const { locks } = navigator
  if (locks === undefined) return held()
  void locks.request(name, () => {
    held()
    return new Promise(() => undefined)
  })
}

const scope = globalThis as unknown as DedicatedWorkerGlobalScope & { onconnect?: (event: MessageEvent) => void }

if ('SharedWorkerGlobalScope' in scope) {
  const broker = createBroker()
  scope.onconnect = ({ ports }) => {
    const [port] = ports
    if (port !== undefined) broker.connect(port)
  }
} else {
  scope.onmessage = ({ data }: MessageEvent<ConnectMessage>) => {
    if (data?.type === 'palimpsest:connect') void connect(data)
  }
  scope.postMessage({ type: 'palimpsest:hello', protocol: PROTOCOL_VERSION } satisfies HelloMessage)
}
