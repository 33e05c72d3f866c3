import type { Llm } from '../protocol/asking-calls.js'
import { invalidArgument } from '../protocol/errors.js'
import type { Message } from '../schema/learning.js'
import type { Block } from './block.js'
import type { ScoreWeights } from './score.js'
import type { Span } from './trace/span.js'

/** One turn of a talk with an agent. Other fields are the app's own: the resolver of the user sees them. */
export interface AgentTurn {
  /** Names the turn, so that `after` knows the one that `before` was told of by a copy of it too. */
  readonly id?: string
  /** Which talk it belongs to. Default `main`, one for each user. */
  readonly session?: string
  /** What the person says. */
  readonly text?: string
  /** The same as chat libraries have it, where it is more than one message: those of this turn only. */
  readonly messages?: readonly Message[]
  /** What the agent answers, where `after` is not told of it. */
  readonly reply?: string
  /** When it was said. Default now; null where that is not known. */
  readonly at?: string | null
  /** Where it was said; default that of the browser. */
  readonly timeZone?: string
  readonly [field: string]: unknown
}

/** Says whose turn it is. Whatever is no text, or is blank, means that nobody is known. */
export type UserResolver = (turn: AgentTurn) => unknown

export interface Logger {
  readonly warn: (message: string, cause?: unknown) => void
}

export interface AgentOptions {
  /** Turns of the session that `before` gives back, the newest ones. Default 20. */
  readonly window?: number
  /** Whose turn it is. Left out, the user of the current run, or nobody. */
  readonly user?: string | UserResolver
  /** The agent: it reads what it has written itself, and what no agent has. */
  readonly agent?: string
  /** A partition across all tiers: the namespace of the memory. */
  readonly project?: string
  /** Learn from turns: `true` by rules, a function by that language model. Default false. */
  readonly learn?: boolean | Llm
  /** Memories of the user that are looked for with each turn. Default 8. */
  readonly recall?: number
  /** What goes into the prompt beside, in this order. */
  readonly blocks?: readonly Block[]
  /** Weighs what was recalled by how well it fits, how new it is and how much it matters. */
  readonly score?: ScoreWeights
  /** Told of every read, write and background step. */
  readonly onTrace?: (span: Span) => void
  /** False leaves everything out of spans that somebody has said. Default true. */
  readonly payloads?: boolean
  /** Told what was skipped. Default the console. */
  readonly logger?: Logger
}

const NAMES = [
  'window',
  'user',
  'agent',
  'project',
  'learn',
  'recall',
  'blocks',
  'score',
  'onTrace',
  'payloads',
  'logger',
] as const satisfies readonly (keyof AgentOptions)[]

/** Refuses what is no option: a name that is misspelt would change nothing, and nobody would know. */
export const checkOptions = (options: AgentOptions): void => {
  if (typeof options !== 'object' || options === null) throw invalidArgument('options', 'must be an object')
  for (const name of Object.keys(options))
    if (!(NAMES as readonly string[]).includes(name)) throw invalidArgument(name, 'is not an option of agentMemory')
  const { window = 20, recall = 8, user, learn = false, blocks = [], onTrace, logger, score = {} } = options
  for (const [name, count, most] of [
    ['window', window, 500],
    ['recall', recall, 100],
  ] as const)
    if (!Number.isInteger(count) || count < 0 || count > most) throw invalidArgument(name, `must be a count up to ${most}`)
  if (user !== undefined && typeof user !== 'function' && (typeof user !== 'string' || user.trim() === '' || user === '*'))
    throw invalidArgument('user', 'must be a function of the turn, or the name of one user')
  if (typeof learn !== 'boolean' && typeof learn !== 'function')
    throw invalidArgument('learn', 'must be true, false, or a language model')
  if (!Array.isArray(blocks)) throw invalidArgument('blocks', 'must be a list')
  blocks.forEach((block: Partial<Block> | null, i) => {
    if (typeof block?.name !== 'string' || typeof block.render !== 'function')
      throw invalidArgument(`blocks.${i}`, 'must have a name and a function render')
  })
  if (onTrace !== undefined && typeof onTrace !== 'function') throw invalidArgument('onTrace', 'must be a function')
  if (logger !== undefined && typeof logger?.warn !== 'function') throw invalidArgument('logger', 'must have warn')
  if (typeof score !== 'object' || score === null) throw invalidArgument('score', 'must be weights')
}
