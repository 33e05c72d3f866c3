import type { Memory } from '../protocol/api.js'
import type { MemoryRow } from '../schema/records.js'
import type { AgentTurn } from './options.js'

/** What a block has given to the prompt. */
export interface Rendered {
  readonly name: string
  readonly text: string
  /** Ids of the memories that stand in it. */
  readonly memories: readonly string[]
}

/** What a block may work with. */
export interface BlockContext {
  readonly turn: AgentTurn
  /** What the person says in this turn. */
  readonly query: string
  /** Null when nobody is known. */
  readonly user: string | null
  readonly session: string
  /** Reads what this turn may know of; when nobody is known, what everybody shares. */
  readonly memory: Memory
  /** The talk: its turns and its digest. */
  readonly talk: Memory
  /** All talks of this user, to recall from. */
  readonly past: Memory
  /** What stands in the prompt already, in order. */
  readonly before: readonly Rendered[]
  /** Whether a memory, or a text word for word, stands in the prompt already. */
  readonly has: (memory: string | { readonly id: string }) => boolean
  /**
   * Memories as quoted data, each under a number to cite it by: without those that stand in the prompt already, and without what comes
   * from pages and tools and no person has attested. Null when none is left.
   */
  readonly quote: (rows: readonly QuotedRow[], heading?: string) => Quoted | null
  /**
   * The same of a text that is no memory, such as a page. It is never learned from when it is heard again, unless `isSaid` tells that it is
   * what was said in a talk: that is learned from where it was said.
   */
  readonly quoteText: (text: string, heading?: string, options?: { readonly isSaid?: boolean }) => Quoted | null
}

/** What is used of a row to quote it. */
export type QuotedRow = Pick<
  MemoryRow,
  'id' | 'key' | 'version' | 'value' | 'status' | 'sourceClass' | 'verification' | 'tier' | 'updatedAt'
> &
  Partial<Pick<MemoryRow, 'validAt' | 'temporalAnchor' | 'type'>> & { readonly excerpt?: string }

/** Quoted data: goes between the fences of the prompt. */
export interface Quoted {
  readonly quoted: readonly string[]
  readonly citations: readonly Citation[]
  /** What memories say in it, by which it is known when it is heard again. */
  readonly served: readonly string[]
  /** What else is said in it, and is not to be learned from. */
  readonly told: readonly string[]
}

/** A memory that stands in the prompt, under the number that it is cited by. */
export interface Citation {
  readonly n: number
  readonly key: string
  readonly id: string
  readonly version: string
  readonly tier: MemoryRow['tier']
  readonly text: string
}

/** A part of the prompt. `render` answers with text of the app's own, with what `quote` gave, or with nothing. */
export interface Block {
  readonly name: string
  readonly render: (context: BlockContext) => RenderAnswer | PromiseLike<RenderAnswer>
}

export type RenderAnswer = string | Quoted | null | undefined
