import { MemoryError } from '../../src/protocol/errors.js'
import type { ChangeEvent } from '../../src/protocol/events.js'
import { type Outcome, PROTOCOL_VERSION } from '../../src/protocol/wire.js'
import type { LeaderEngine } from '../engine.js'
import { failureOf, outcomeOf } from '../outcome.js'
import { type Leadership, seekLeadership } from './leadership.js'
import type { Lines } from './lines.js'
import type { ForwardedCall, TabMessage } from './messages.js'

/** Takes a call to whoever holds the database. */
export interface Router {
  readonly call: (call: ForwardedCall, signal: AbortSignal) => Promise<Outcome<unknown>>
  /** Resolves when calls are served; rejects when the store cannot be opened. */
  readonly opened: Promise<void>
  readonly isLeader: () => boolean
  /** Hands the database to a waiting tab, if there is one. */
  readonly stepDown: () => Promise<void>
  readonly close: () => Promise<void>
}

export interface TabRouterParts {
  readonly lockName: string
  readonly locks: LockManager
  readonly openLines: (receive: (message: TabMessage) => void) => Lines
  readonly openEngine: (publish: (changes: ChangeEvent['changes']) => void) => Promise<LeaderEngine>
  readonly onChanged: (changes: ChangeEvent['changes']) => void
  readonly onLeader: (leads: boolean) => void
}

interface Outstanding {
  readonly call: ForwardedCall
  readonly signal: AbortSignal
  readonly answer: (outcome: Outcome<unknown>) => void
  /** True once it went to another tab: from then on its first result counts, wherever it was made. */
  sent: boolean
}

/**
 * Calls of this tab go to the leader: to the own engine while this worker leads, else over the lines. Whatever is unanswered when the
 * leader changes is sent again under the same id, so that a write that the old leader had committed answers with its first result.
 */
export const createTabRouter = (parts: TabRouterParts): Router => {
  const outstanding = new Map<string, Outstanding>()
  /** Calls of other tabs that run here, so that a resend joins the first. */
  const serving = new Map<string, { readonly done: Promise<Outcome<unknown>>; readonly abort: AbortController }>()
  let engine: LeaderEngine | null = null
  let leader: string | null = null
  let failure: unknown = null
  let markOpened: () => void = () => undefined
  let markFailed: (error: unknown) => void = () => undefined
  const opened = new Promise<void>((resolve, reject) => {
    markOpened = resolve
    markFailed = reject
  })
  opened.catch(() => undefined)

  const settle = (entry: Outstanding, outcome: Outcome<unknown>): void => {
    if (outstanding.delete(entry.call.id)) entry.answer(outcome)
  }

  const dispatch = (entry: Outstanding): void => {
    if (failure !== null) return settle(entry, { ok: false, failure: failureOf(failure) })
    if (engine !== null) return void runHere(engine, entry)
    if (leader === null) return
    entry.sent = true
    lines.send(leader, { type: 'call', to: leader, from: lines.id, protocol: PROTOCOL_VERSION, call: entry.call })
  }

  const running = new Set<Promise<unknown>>()
  const track = <T>(work: Promise<T>): Promise<T> => {
    const tracked = work.finally(() => running.delete(tracked))
    running.add(tracked)
    return tracked
  }

  const runHere = async (here: LeaderEngine, entry: Outstanding): Promise<void> => {
    const forwarded = entry.sent ? entry.call.id : null
    const { call, signal } = entry
    settle(entry, await track(outcomeOf(() => here.run({ ...call, forwarded, signal }))))
  }

  const dispatchAll = (): void => {
    for (const entry of [...outstanding.values()]) dispatch(entry)
  }

  const fail = (error: unknown): void => {
    failure = error
    markFailed(error)
    dispatchAll()
  }

  const serve = async (from: string, call: ForwardedCall, protocol: number): Promise<void> => {
    if (engine === null) return
    const here = engine
    if (protocol !== PROTOCOL_VERSION) {
      const outcome: Outcome<unknown> = { ok: false, failure: failureOf(mismatch(protocol)) }
      return lines.send(from, { type: 'answer', to: from, id: call.id, outcome })
    }
    const joined = serving.get(call.id)
    const abort = joined?.abort ?? new AbortController()
    const done = joined?.done ?? track(outcomeOf(() => here.run({ ...call, forwarded: call.id, signal: abort.signal })))
    serving.set(call.id, { done, abort })
    const outcome = await done
    serving.delete(call.id)
    lines.send(from, { type: 'answer', to: from, id: call.id, outcome })
  }

  const hearLeader = (id: string, protocol: number): void => {
    if (protocol !== PROTOCOL_VERSION) return fail(mismatch(protocol))
    // The broker may have been quicker: the line to the new leader is not an old one.
    if (leader !== id) lines.dropLines(id)
    leader = id
    failure = null
    markOpened()
    parts.onLeader(false)
    dispatchAll()
  }

  const receive = (message: TabMessage): void => {
    switch (message.type) {
      case 'who-leads':
        if (engine !== null) lines.broadcast({ type: 'leads', leader: lines.id, protocol: PROTOCOL_VERSION })
        return
      case 'leads':
        if (message.leader !== lines.id && engine === null) hearLeader(message.leader, message.protocol)
        return
      case 'call':
        if (message.to === lines.id) void serve(message.from, message.call, message.protocol)
        return
      case 'cancel':
        if (message.to === lines.id) serving.get(message.id)?.abort.abort()
        return
      case 'answer': {
        const entry = message.to === lines.id ? outstanding.get(message.id) : undefined
        if (entry !== undefined) settle(entry, message.outcome)
        return
      }
      case 'changed':
        parts.onChanged(message.changes)
        return
      default:
        // A newer tab may say more than this build knows.
        return
    }
  }

  const lines = parts.openLines(receive)

  const publish = (changes: ChangeEvent['changes']): void => {
    lines.broadcast({ type: 'changed', changes })
    parts.onChanged(changes)
  }

  const lead = async (): Promise<void> => {
    engine = await parts.openEngine(publish)
    leader = lines.id
    failure = null
    lines.dropLines()
    lines.announceLead()
    lines.broadcast({ type: 'leads', leader: lines.id, protocol: PROTOCOL_VERSION })
    markOpened()
    parts.onLeader(true)
    dispatchAll()
  }

  /** Stops taking calls, lets those that run finish, and closes the file. */
  const closeEngine = async (): Promise<void> => {
    const here = engine
    if (here === null) return
    engine = null
    leader = null
    await Promise.allSettled([...running])
    // The next leader closes its ends: what is sent before it has new ones goes over the channel.
    lines.dropLines()
    await here.close()
  }

  const leadership: Leadership = seekLeadership(parts.locks, parts.lockName, lead, fail)
  lines.broadcast({ type: 'who-leads', from: lines.id })

  return {
    call: (call, signal) =>
      new Promise((answer) => {
        const entry: Outstanding = { call, signal, answer, sent: false }
        outstanding.set(call.id, entry)
        signal.addEventListener('abort', () => {
          // What runs here ends by its own signal, and says how far it came.
          if (engine !== null && !entry.sent) return
          if (entry.sent && leader !== null) lines.send(leader, { type: 'cancel', to: leader, id: call.id })
          settle(entry, { ok: false, failure: failureOf(new MemoryError('ABORTED', 'The call was aborted.', {})) })
        })
        dispatch(entry)
      }),
    opened,
    isLeader: () => engine !== null,
    stepDown: async () => {
      if (engine !== null && (await leadership.isWanted())) await leadership.stepDown(closeEngine)
    },
    close: async () => {
      await leadership.leave(closeEngine)
      lines.close()
    },
  }
}

const mismatch = (found: number): MemoryError =>
  new MemoryError('PROTOCOL_MISMATCH', 'Another tab runs a different build of this site. Reload the older one.', {
    expected: PROTOCOL_VERSION,
    found,
  })
