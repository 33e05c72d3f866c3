import { checkClaims, GROUNDED_SCHEMA, groundedMessages, jsonIn } from '../../../src/domain/asking/grounding.js'
import { type AskResult, type Claim, type LlmQuestion, readGroundedReply } from '../../../src/schema/asking.js'
import type { Engine } from '../context.js'
import { isAsShown, sourcesOf } from './found.js'
import { dayOf, type Telling } from './telling.js'

/** What a language model has said so far, and what it was shown. */
export interface Said {
  readonly texts: readonly (string | null)[]
  readonly sources: readonly { readonly id: string; readonly version: string }[]
}

/** What of it can be taken over. */
interface Grounded {
  readonly claims: readonly Claim[]
  readonly refused: AskResult['refused']
  /** Whether it answered in the form that was asked for. */
  readonly isReadable: boolean
}

/** Times that it is asked in all: an answer of another form, or about memories that have changed meanwhile, has one more chance. */
const MOST_TRIES = 2

/** Reads what a language model has said, or says what it is to be asked. */
export const byModel = (
  { store }: Engine,
  question: string,
  said: Said | undefined,
  material: readonly Telling[],
): Grounded | LlmQuestion => {
  const texts = said?.texts ?? []
  const last = texts.at(-1)
  const isCurrent = said !== undefined && isAsShown(material, said.sources)
  const reply = isCurrent && typeof last === 'string' ? readGroundedReply(jsonIn(last)) : null
  if (reply !== null) {
    const quoted = material.map(({ excerpt }) => excerpt)
    return { ...checkClaims(reply.claims, question, quoted), isReadable: true }
  }
  // One that threw is not asked again.
  if (texts.length >= MOST_TRIES || last === null) return { claims: [], refused: [], isReadable: false }
  const shown = material.map((one) => ({ ...one.row, text: one.excerpt, day: dayOf(one) }))
  const fence = [...store.system.randomBytes(12)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return {
    llmQuestion: {
      messages: groundedMessages(question, shown, fence, isCurrent ? (last ?? null) : null),
      schema: GROUNDED_SCHEMA,
      said: { texts, sources: sourcesOf(material) },
    },
  }
}
