import type { Llm } from '../protocol/asking-calls.js'
import { LlmError } from './llm-error.js'

/** What is used of the browser's own `LanguageModel`. */
export interface BrowserLanguageModel {
  readonly availability: (options?: object) => Promise<string>
  readonly create: (options?: object) => Promise<BrowserSession>
}

interface BrowserSession {
  readonly prompt: (text: string, options?: object) => Promise<string>
  readonly destroy: () => void
}

export interface BrowserLlmOptions {
  /** Default the browser's `LanguageModel`. */
  readonly languageModel?: BrowserLanguageModel
  /** Whether the browser may download its model, of some gigabytes, with the first question. Needs a click of the user. Default false. */
  readonly mayDownload?: boolean
  /** Told how much of the model is there, from 0 to 1. */
  readonly onDownload?: (ratio: number) => void
  /** Languages of what is asked. Default `['en']`. */
  readonly languages?: readonly string[]
}

/**
 * The browser's own language model, for `ask` and `setFromMessages`. Rejects with an {@link LlmError} of code `unavailable` where there is
 * none, or where it would have to be downloaded first and may not be.
 *
 * ```ts
 * await memory.ask('Where does Alice live?', { llm: browserLlm() })
 * ```
 */
export const browserLlm = (options: BrowserLlmOptions = {}): Llm => {
  const { mayDownload = false, onDownload, languages = ['en'] } = options
  return async (messages, { schema, signal }) => {
    const model = options.languageModel ?? (globalThis as { LanguageModel?: BrowserLanguageModel }).LanguageModel
    if (model === undefined) throw new LlmError('unavailable', 'This browser has no language model.')
    const expected = {
      expectedInputs: [{ type: 'text', languages }],
      expectedOutputs: [{ type: 'text', languages }],
    }
    const state = await model.availability(expected)
    if (state !== 'available' && !(mayDownload && (state === 'downloadable' || state === 'downloading')))
      throw new LlmError('unavailable', `The language model of this browser is ${state}.`)
    const last = messages.at(-1)
    const session = await model.create({
      ...expected,
      initialPrompts: messages.slice(0, -1),
      signal,
      ...(onDownload === undefined ? {} : { monitor: (target: EventTarget) => watch(target, onDownload) }),
    })
    try {
      return await session.prompt(last?.content ?? '', { responseConstraint: schema, signal })
    } finally {
      session.destroy()
    }
  }
}

const watch = (target: EventTarget, onDownload: (ratio: number) => void): void =>
  target.addEventListener('downloadprogress', (event) => onDownload((event as ProgressEvent).loaded))
