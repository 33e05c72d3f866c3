import * as z from 'zod/mini'
import type { WriteResult } from './records.js'
import { DateText, IdempotencyKey, isWellFormed, Label, TimeZone } from './scalars.js'
import { type Scope, ScopeId } from './scope.js'

/** What a statement tells of its subject. */
export type FactKind =
  | 'name'
  | 'age'
  | 'birthday'
  | 'home'
  | 'origin'
  | 'work'
  | 'school'
  | 'family'
  | 'pet'
  | 'taste'
  | 'diet'
  | 'allergy'
  | 'health'
  | 'language'
  | 'skill'
  | 'possession'
  | 'contact'
  | 'routine'
  | 'plan'
  | 'event'
  | 'decision'
  | 'commitment'
  | 'opinion'
  | 'attribute'
  | 'trait'
  | 'fact'
  | 'note'

/** Why a sentence was not learned. */
export type RefusalWhy =
  | 'question'
  | 'hypothetical'
  | 'quote'
  | 'joke'
  | 'fiction'
  | 'code'
  | 'request'
  | 'small_talk'
  | 'vague'
  | 'passing'
  | 'reported'
  | 'unknown_subject'
  | 'too_long'
  | 'not_a_person'
  | 'echo'
  | 'over_cap'
  | 'unknown_language'
  | 'not_said'

/** Longest turn, in characters. */
export const LONGEST_TURN = 200_000
/** Turns of one call. */
export const MOST_TURNS = 20_000

const Words = z
  .string()
  .check(
    z.maxLength(LONGEST_TURN, `is longer than ${LONGEST_TURN} characters`),
    z.refine(isWellFormed, 'contains a lone surrogate'),
  )

/** The parts of a message as chat libraries give them; those that hold no text are passed over. */
const Parts = z.array(z.object({ type: z.optional(z.string()), text: z.optional(Words) })).check(z.maxLength(1_000))

/** One turn of a talk; other fields are left alone, so that the messages of a chat library can be given as they are. */
export const Message = z
  .object({
    /** Its own id, where it has one. */
    id: z.optional(Label),
    /** Default `user`. What is not said by a person is learned from only when it is asked for. */
    role: z.optional(z.enum(['user', 'assistant', 'system', 'tool', 'developer', 'function'])),
    /** Who speaks, where several people do. Left out, it is the one whose memory it is. */
    speaker: z.optional(z.nullable(Label)),
    text: z.optional(Words),
    /** The same under the name that chat libraries use. */
    content: z.optional(z.nullable(z.union([Words, Parts]))),
    /** When it was said. */
    at: z.optional(z.nullable(DateText)),
    /** Where it was said. */
    timeZone: z.optional(TimeZone),
  })
  .check(
    z.refine(({ text, content }) => text !== undefined || content !== undefined, {
      message: 'needs text or content',
      path: ['text'],
    }),
  )
export type Message = z.input<typeof Message>

const SaidTexts = z.strictObject({
  texts: z.array(z.nullable(z.string().check(z.maxLength(1_000_000)))).check(z.minLength(1), z.maxLength(2_000)),
  sources: z.array(z.unknown()).check(z.maxLength(0)),
})

/** Input of `setFromMessages`. */
export const LearnInput = z.strictObject({
  messages: z.array(Message).check(z.maxLength(MOST_TURNS)),
  /** When messages were said that do not say so themselves. */
  observedAt: z.optional(DateText),
  /** Where they were said; default that of the browser. */
  timeZone: z.optional(TimeZone),
  /** The conversation that the turns are kept in; default that of the handle, else one for all of them. */
  session: z.optional(ScopeId),
  /** `keep` keeps the turns that facts come from; `named` for who keeps the conversation: facts name its turns, by session and `id`. */
  turns: z._default(z.enum(['keep', 'named']), 'keep'),
  /** Learn from what assistants, tools and systems say too, as `external`. Default false. */
  external: z._default(z.boolean(), false),
  /** Learn in the background, also after a reload. Default: when there is much to read. */
  defer: z.optional(z.boolean()),
  /** What becomes of a fact that goes against something pinned: refused with its code, or kept as a proposal. */
  onPinned: z._default(z.enum(['fail', 'propose']), 'fail'),
  idempotencyKey: z.optional(IdempotencyKey),
  dryRun: z._default(z.boolean(), false),
  /** Whether a language model reads; the page asks it. */
  llm: z._default(z.boolean(), false),
  said: z.optional(SaidTexts),
})
export type LearnOptions = Omit<z.input<typeof LearnInput>, 'messages' | 'llm' | 'said'>

/** Input of `learning.get` and `learning.cancel`. */
export const QueueInput = z.strictObject({ queueId: Label })

/** What was learned from one statement. */
export interface LearnedFact
  extends Pick<WriteResult, 'id' | 'key' | 'version' | 'contentSha256' | 'verdict' | 'status' | 'peers' | 'explanation'> {
  /** Which message said it, from 0. */
  readonly message: number
  readonly value: string
  readonly kind: FactKind
  /** Whom it is about, as the first segment of the key has it. */
  readonly subject: string
  /** Id of the turn that says it, to be read with `evidence` and `getById`; with `turns: 'named'` its key. */
  readonly evidence: string
  /** The date that it names: its words, and the day they mean; null where that depends on a day that is not known. */
  readonly date: { readonly phrase: string; readonly date: string | null } | null
}

/** What was not learned, and why: a reason of the reading, or the code of the error that its write ended with. */
export interface RefusedFact {
  readonly message: number
  readonly text: string
  readonly why: RefusalWhy | (string & {})
}

/** What was forgotten on request. */
export interface ForgottenFact {
  readonly message: number
  readonly id: string
  readonly key: string
  /** The words it was asked in. */
  readonly said: string
}

/** Answer of `setFromMessages` when it has read everything. */
export interface Learned {
  readonly deferred: false
  readonly written: readonly LearnedFact[]
  readonly refused: readonly RefusedFact[]
  /** Refused beyond those that are told one by one. */
  readonly moreRefused: number
  readonly forgotten: readonly ForgottenFact[]
  /** Ids of the turns that were kept as evidence. */
  readonly evidence: readonly string[]
  /** Who read: `rules` are the built-in extractor, `llm` a language model, `both` where it could not be used for a part. */
  readonly by: 'rules' | 'llm' | 'both'
  readonly dryRun: boolean
  readonly advisories: readonly string[]
  readonly scope: Scope
}

/** Answer of `setFromMessages` when it reads in the background. */
export interface Deferred {
  readonly deferred: true
  readonly queueId: string
  readonly messages: number
  readonly advisories: readonly string[]
  readonly scope: Scope
}

export type LearningState = 'waiting' | 'done' | 'cancelled'

export interface LearningTally {
  readonly written: number
  readonly refused: number
  readonly forgotten: number
}

/** How far a transcript is that is learned from in the background. */
export interface LearningReport extends LearningTally {
  readonly queueId: string
  readonly state: LearningState
  /** Turns that were learned from, and turns in all. */
  readonly done: number
  readonly total: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly scope: Scope
}

const ModelReply = z.object({
  facts: z.array(
    z.object({
      message: z.int(),
      subject: z.string().check(z.maxLength(200)),
      attribute: z.optional(z.nullable(z.string().check(z.maxLength(200)))),
      statement: z.string().check(z.minLength(1), z.maxLength(1_000)),
    }),
  ),
})
export type ModelReply = z.output<typeof ModelReply>

/** What a language model has found, or null when it is not what was wanted. */
export const readModelReply = (reply: unknown): ModelReply | null => {
  const read = z.safeParse(ModelReply, reply)
  return read.success ? read.data : null
}
