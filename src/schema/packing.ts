import * as z from 'zod/mini'
import { searchFilter } from './calls.js'
import { MemoryId, Text } from './scalars.js'
import type { Scope } from './scope.js'

const Section = z.enum(['working', 'profile', 'facts', 'turns', 'knowledge', 'decisions'])

/** A kind of what a context block is made of. */
export type PackSection = z.output<typeof Section>

const Tokens = z.int().check(z.gte(0), z.lte(10_000_000))
const Sections = z.array(Section).check(
  z.minLength(1),
  z.refine((names) => new Set(names).size === names.length, { message: 'names a section twice' }),
)

/** Input of `context.pack`. */
export const PackInput = z.strictObject({
  /** What the prompt is about. */
  query: Text,
  ...searchFilter,
  /** Tokens of the whole block, its fences and headings included. */
  tokenBudget: z._default(Tokens.check(z.gte(50)), 1_000),
  /** Tokens that single sections may take of it. */
  sectionBudgets: z.optional(z.partialRecord(Section, Tokens)),
  /** Sections in the order in which they stand and are filled; those left out follow in the usual order. */
  blockOrder: z.optional(Sections),
  onlySections: z.optional(Sections),
  /** Whether the app counts tokens itself; the page counts. */
  countTokens: z._default(z.boolean(), false),
  counted: z.optional(
    z.strictObject({
      counts: z.array(z.number().check(z.gte(0), z.lte(10_000_000))).check(z.maxLength(1_000)),
      sources: z
        .array(z.strictObject({ id: MemoryId, version: z.string().check(z.maxLength(30)) }))
        .check(z.maxLength(1_000)),
      rounds: z.int().check(z.gte(1), z.lte(10)),
    }),
  ),
})
export type PackOptions = Omit<z.input<typeof PackInput>, 'countTokens' | 'counted'>

/** Input of `context.told`. */
export const ToldInput = z.strictObject({
  texts: z.array(Text.check(z.maxLength(200_000))).check(z.maxLength(1_000)),
  /** Whether these are what memories say. False: words of the app's own, which are never learned from. */
  stored: z._default(z.boolean(), true),
})
export type ToldOptions = Omit<z.input<typeof ToldInput>, 'texts'>

/** Answer of `context.told`. */
export interface ToldResult {
  /** Sentences that are known from now on. */
  readonly noted: number
  readonly scope: Scope
}

/** A memory that stands in a context block. */
export interface PackedMemory {
  readonly key: string
  readonly id: string
  readonly version: string
}

/** Answer of `context.pack`. */
export interface PackResult {
  /** The block, to be put into a prompt as it is; empty when there is nothing to put into it. */
  readonly text: string
  readonly tokens: number
  readonly tokenBudget: number
  /** In the order in which they stand; those that nothing is in included. */
  readonly sections: readonly {
    readonly name: PackSection
    readonly tokens: number
    readonly memories: readonly PackedMemory[]
    /** Memories that did not fit. */
    readonly leftOut: number
  }[]
  /** Memories that did not fit, in all. */
  readonly leftOut: number
  /** Memories left out since they come from a page or a tool and no person has attested them. */
  readonly unattested: number
  /** True when what is kept whatever it costs takes more than the budget. */
  readonly overBudget: boolean
  readonly degraded: readonly string[]
  readonly advisories: readonly string[]
  readonly scope: Scope
}

/** Answer of a call that wants the page to count tokens before it goes on. */
export interface CountQuestion {
  readonly countQuestion: {
    readonly texts: readonly string[]
    /** To be given back with the counts. */
    readonly counted: {
      readonly sources: readonly { readonly id: string; readonly version: string }[]
      readonly rounds: number
    }
  }
}
