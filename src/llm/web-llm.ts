import type { Llm } from '../protocol/asking-calls.js'
import { LlmError } from './llm-error.js'

/** What is used of an engine of WebLLM. */
export interface WebLlmEngine {
  readonly chat: {
    readonly completions: {
      // biome-ignore lint/suspicious/noExplicitAny: its request has fields of its own, which its package types and this one does not
      readonly create: (request: any) => Promise<unknown>
    }
  }
  readonly interruptGenerate?: () => unknown
}

/**
 * A model that WebLLM runs in this browser, for `ask` and `setFromMessages`. The engine is the app's own, loaded with the model it chose.
 *
 * ```ts
 * const engine = await CreateMLCEngine('Llama-3.2-3B-Instruct-q4f16_1-MLC')
 * await memory.setFromMessages(messages, { llm: webLlm(engine) })
 * ```
 */
export const webLlm =
  (engine: WebLlmEngine): Llm =>
  async (messages, { schema, signal }) => {
    if (signal.aborted) throw new LlmError('aborted', 'The call was stopped.')
    const stop = (): void => void engine.interruptGenerate?.()
    signal.addEventListener('abort', stop, { once: true })
    try {
      const answer = (await engine.chat.completions.create({
        messages,
        temperature: 0,
        stream: false,
        // Its schema is text.
        response_format: { type: 'json_object', schema: JSON.stringify(schema) },
      })) as { choices?: readonly { message?: { content?: unknown } }[] } | null
      if (signal.aborted) throw new LlmError('aborted', 'The call was stopped.')
      const content = answer?.choices?.[0]?.message?.content
      if (typeof content !== 'string') throw new LlmError('shape', 'The answer holds no message.')
      return content
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }
