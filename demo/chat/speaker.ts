import { openAiLlm } from 'palimpsest/llm'
import type { Speaker } from './conversation.js'

/** The language model that this page's server was started with, if any; the server speaks to it, so that its key stays there. */
export const findSpeaker = async (): Promise<Speaker | null> => {
  try {
    const response = await fetch('/llm/model.json')
    if (!response.ok) return null
    const { model } = (await response.json()) as { readonly model: string | null }
    return model === null ? null : { name: model, llm: openAiLlm({ baseUrl: new URL('/llm', location.href), model }) }
  } catch {
    return null
  }
}
