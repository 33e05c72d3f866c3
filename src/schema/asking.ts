import * as z from 'zod/mini'
import { searchFilter } from './calls.js'
import type { AbstainCode, SourceClass, Status, Verification } from './records.js'
import { MemoryId, Text } from './scalars.js'
import type { Scope } from './scope.js'

/** What a language model said to the questions it was put, in the order of its answers; null when it gave none. */
const Said = z.strictObject({
  texts: z.array(z.nullable(z.string().check(z.maxLength(1_000_000)))).check(z.minLength(1), z.maxLength(4)),
  /** What it was shown, as it came with the question. */
  sources: z.array(z.strictObject({ id: MemoryId, version: z.string().check(z.maxLength(30)) })).check(z.maxLength(50)),
})

/** Input of `ask`. */
export const AskInput = z.strictObject({
  question: Text,
  ...searchFilter,
  /** Memories that are looked at for the answer. */
  limit: z._default(z.int().check(z.gte(1), z.lte(50)), 8),
  /** Whether a language model writes the answer; the page asks it. */
  llm: z._default(z.boolean(), false),
  said: z.optional(Said),
})
export type AskOptions = Omit<z.input<typeof AskInput>, 'question' | 'llm' | 'said'>

/** A memory that an answer rests on. */
export interface Citation {
  /** Its number in the text of the answer. */
  readonly n: number
  readonly key: string
  readonly id: string
  readonly version: string
  /** The sentences of it that answer. */
  readonly excerpt: string
  readonly status: Status
  readonly sourceClass: SourceClass
  readonly verification: Verification
  readonly validAt: number | null
  readonly updatedAt: number
}

/** One statement of an answer, with the numbers of the citations that it rests on: never none. */
export interface Claim {
  readonly text: string
  readonly citations: readonly number[]
}

/** Answer of `ask`. */
export interface AskResult {
  /** The claims as one text with their citations as `[1]`; null when nothing that is stored answers. */
  readonly answer: string | null
  readonly claims: readonly Claim[]
  readonly citations: readonly Citation[]
  /** Who put it into words: `extract` tells sentences as they are stored. */
  readonly by: 'extract' | 'llm'
  /** Pairs of citations that contradict each other, the newer one first. */
  readonly conflicts: readonly { readonly newer: number; readonly older: number }[]
  /** What a language model said and was not taken over, with why. */
  readonly refused: readonly { readonly text: string; readonly why: string }[]
  /** Memories left out since they come from a page or a tool and no person has attested them. */
  readonly unattested: number
  readonly abstained: boolean
  readonly abstainCode?: AbstainCode
  /** Why nothing is answered, in a sentence. */
  readonly reason?: string
  readonly confidence: number
  readonly routeAgreement: number
  /** `vector`: words alone found it. `llm`: the language model gave no answer that could be taken over. */
  readonly degraded: readonly string[]
  /** Turns that wait to be learned from, where any do. */
  readonly pendingExtraction?: number
  readonly advisories: readonly string[]
  readonly scope: Scope
}

/** One message to a language model. */
export interface LlmMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** Answer of a call that wants a language model to be asked before it goes on; the page asks, since the model is there. */
export interface LlmQuestion {
  readonly llmQuestion: {
    readonly messages: readonly LlmMessage[]
    /** JSON Schema of what it is to answer. */
    readonly schema: object
    /** To be given back with the texts that it has answered. */
    readonly said: {
      readonly texts: readonly (string | null)[]
      readonly sources: readonly { readonly id: string; readonly version: string }[]
    }
  }
}

const GroundedReply = z.object({
  claims: z
    .array(z.object({ text: z.string().check(z.minLength(1), z.maxLength(2_000)), memories: z.array(z.int()) }))
    .check(z.maxLength(30)),
})

/** What a language model has answered, or null when it is not what was wanted. */
export const readGroundedReply = (reply: unknown): z.output<typeof GroundedReply> | null => {
  const read = z.safeParse(GroundedReply, reply)
  return read.success ? read.data : null
}
