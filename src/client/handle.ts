import { type BoundScope, narrow } from '../domain/scope.js'
import type { LiveQuery, Memory } from '../protocol/api.js'
import type { Llm } from '../protocol/asking-calls.js'
import type { CallName } from '../protocol/calls.js'
import { type Failure, invalidArgument, MemoryError } from '../protocol/errors.js'
import type { ProgressEvent } from '../protocol/events.js'
import type { LlmQuestion } from '../schema/asking.js'
import type { CountQuestion } from '../schema/packing.js'
import type { ScopePatch } from '../schema/scope.js'
import { createLiveQuery } from './live-query.js'
import { PAGE_CALLS } from './page-calls.js'
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

/** What stays on the page: the worker asks for what it says. */
interface PageFunctions {
  readonly llm?: Llm | undefined
  readonly countTokens?: ((text: string) => number | PromiseLike<number>) | undefined
}

type Given = object & PageFunctions & { readonly signal?: AbortSignal | undefined }

/** A handle: the calls of the library, sent under its number. */
export const createHandle = (shared: SharedLink, handle: number, scope: BoundScope): Memory => {
  const { link } = shared

  const send = async <T>(name: CallName, given: unknown, more: object = {}): Promise<T> => {
    if (shared.isClosed()) throw closed()
    if (typeof given !== 'object' || given === null) throw invalidArgument('input', 'must be an object')
    const { signal, llm, countTokens, ...input } = given as Given
    if (signal != null && typeof signal.addEventListener !== 'function')
      throw invalidArgument('signal', 'must be an AbortSignal')
    const functions = Object.entries({ llm, countTokens }).filter(([, given]) => given != null)
    for (const [name, given] of functions) if (typeof given !== 'function') throw invalidArgument(name, 'must be a function')
    const wanted = Object.fromEntries(functions.map(([name]) => [name, true]))
    return (await answered(
      (said) => link.call(name, { ...input, ...more, ...wanted, ...said }, handle, signal ?? undefined),
      { llm, countTokens },
      signal,
    )) as T
  }

  const numberOf = (narrowed: BoundScope, open: () => number): number => {
    const name = JSON.stringify(LEVELS.map((level) => narrowed[level] ?? (narrowed[level] === null ? null : [])))
    const known = shared.handles.get(name) ?? open()
    shared.handles.set(name, known)
    return known
  }

  /** By their names: those of a group in an object of their own. */
  const calls: Record<string, unknown> = {}
  for (const [name, { takes = [], writes }] of Object.entries(PAGE_CALLS)) {
    const [group = '', call = ''] = name.split('.')
    const place = group === 'memory' ? calls : ((calls[group] ??= {}) as Record<string, unknown>)
    place[call] = async (...given: unknown[]) => {
      if (given[0] instanceof ReadableStream) given[0] = await wholeOf(given[0])
      const own = Object.fromEntries(takes.map((argument, at) => [argument, given[at]]))
      const { [takes.length]: options = {} } = given
      const result = await send(name as CallName, options, own)
      if (writes) shared.onFirstWrite()
      return result
    }
  }

  const search = calls['search'] as Memory['search']
  calls['search'] = (async (query, given) => {
    // What is no object is for the call to refuse.
    if (typeof given !== 'object' || given === null || !('rerank' in given)) return search(query, given)
    const { rerank, ...options } = given
    if (rerank == null) return search(query, options)
    if (typeof rerank !== 'function') throw invalidArgument('rerank', 'must be a function')
    const { searchReranked } = await import('./rerank.js')
    const found = await searchReranked(search, query, rerank, options)
    if (options.signal?.aborted) throw new MemoryError('ABORTED', 'The call was aborted.', {})
    return found
  }) satisfies Memory['search']

  return {
    ...(calls as unknown as Omit<Memory, 'live' | 'scope' | 'close' | 'onProgress'>),
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
    close: shared.close,
    onProgress: (callback: (progress: ProgressEvent) => void) =>
      link.onEvent((event) => {
        if (event.type === 'progress') callback(event)
      }),
  }
}

/** An answer beyond is none. */
const LONGEST_SAID = 1_000_000

/** Calls, and calls again with what the page's functions say to what the worker wants to hear from them. */
const answered = async (
  call: (said: object) => Promise<unknown>,
  { llm, countTokens }: PageFunctions,
  signal = new AbortController().signal,
): Promise<unknown> => {
  for (let said = {}; ; ) {
    const answer = await call(said)
    const { llmQuestion, countQuestion } = (answer ?? {}) as Partial<LlmQuestion & CountQuestion>
    if (llmQuestion !== undefined && llm) {
      const { messages, schema } = llmQuestion
      const text = await Promise.resolve()
        .then(() => llm(messages, { schema, signal }))
        .catch(() => null)
      const given = typeof text === 'string' && text.length <= LONGEST_SAID ? text : null
      said = { said: { ...llmQuestion.said, texts: [...llmQuestion.said.texts, given] } }
    } else if (countQuestion !== undefined && countTokens)
      said = {
        counted: {
          ...countQuestion.counted,
          counts: await Promise.all(countQuestion.texts.map((text) => countTokens(text))),
        },
      }
    else return answer
  }
}

/** A stream goes to one reader; what the worker is to check and then to write has to be read twice. */
const wholeOf = async (stream: ReadableStream): Promise<Blob> => {
  try {
    return await new Response(stream).blob()
  } catch {
    throw invalidArgument('archive', 'could not be read to its end')
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
