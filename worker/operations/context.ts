import type { BoundScope } from '../../src/domain/scope.js'
import type { ChangeEvent, ProgressEvent } from '../../src/protocol/events.js'
import type { Ladder } from '../embedding/ladder.js'
import type { PairJudge, PatternScanner } from '../ports.js'
import type { Store } from '../store/store.js'
import type { LanguageSource } from './language.js'
import type { Resolver } from './resolver.js'

/** What every operation works on. */
export interface Engine {
  readonly store: Store
  /** Whoever turns texts into vectors. */
  readonly ladder: Ladder
  /** What is known of words, in the language memories are mostly in. */
  readonly language: LanguageSource
  /** Looks for the patterns of the blacklist. */
  readonly scanner: PatternScanner
  /** Judges what could not be judged at once, and settles conflicts that are certain. */
  readonly resolver: Resolver
  /** Who is asked about the others, or null. */
  readonly pairJudge: PairJudge | null
  /** Notes memories that a search has found. */
  readonly noteRecalled: (memories: readonly number[]) => void
  /** Has what leaves service looked at anew: other windows hold. */
  readonly wakeKeeping: () => void
  /** Tells every tab what changed. Called after the commit. */
  readonly publish: (changes: ChangeEvent['changes']) => void
  /** Tells how far a long step is. */
  readonly progress: (progress: Omit<ProgressEvent, 'type'>) => void
  /** Notes that everything in the store was exported. */
  readonly noteExport: (at: number) => Promise<void>
  /** Wakes the background work that embeds what has no vector yet. */
  readonly wakeIndexing: () => void
  /** Ends what it is embedding right now. */
  readonly interruptIndexing: () => void
  /** Runs writes one after the other, in the order in which they came. */
  readonly inOrder: <T>(work: () => Promise<T>) => Promise<T>
}

/** What is known of a call beside its input. */
export interface CallContext {
  readonly scope: BoundScope
  /** When the caller's own worker took the call; a repeat after a change of leader keeps it. */
  readonly acceptedAt: number
  /** The call's id when another tab sent it on, so that a resend answers with the first result. */
  readonly forwarded: string | null
  readonly signal: AbortSignal
}

/** The actor stamped on writes of handles that name none. */
export const DEFAULT_ACTOR = 'process:local'
