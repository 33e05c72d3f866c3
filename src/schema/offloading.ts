import * as z from 'zod/mini'
import { IdempotencyKey, isWellFormed, Label, MemoryId, Text } from './scalars.js'
import type { Scope } from './scope.js'

/** Longest text that is kept aside, in characters. */
export const LONGEST_OFFLOADED = 16_000_000

const DAY_SECONDS = 86_400

const Content = z.union([
  z
    .string()
    .check(
      z.minLength(1),
      z.maxLength(LONGEST_OFFLOADED, `is longer than ${LONGEST_OFFLOADED} characters`),
      z.refine(isWellFormed, 'contains a lone surrogate'),
    ),
  z.custom<Blob>((given) => given instanceof Blob, 'must be a text or a Blob'),
])

/** Input of `context.offload`. */
export const OffloadInput = z.strictObject({
  /** What would fill a prompt: a page, a log, the answer of a tool. A Blob is read as UTF-8. */
  content: Content,
  /** What it is, for whoever fetches of it. */
  title: z.optional(Label),
  /** How long it is kept; a day by default, 30 at most. Then it is gone. */
  ttlSeconds: z._default(z.int().check(z.gte(1), z.lte(30 * DAY_SECONDS)), DAY_SECONDS),
  idempotencyKey: z.optional(IdempotencyKey),
})
export type OffloadOptions = Omit<z.input<typeof OffloadInput>, 'content'>

/** Answer of `context.offload`. */
export interface Offloaded {
  /** Fetches it, within the scope that it was put aside in. */
  readonly handle: string
  readonly title: string | null
  readonly characters: number
  /** A quarter of the characters: what it would have cost a prompt, roughly. */
  readonly tokens: number
  /** How it begins, for a prompt that is to know what was put aside. */
  readonly excerpt: string
  readonly expiresAt: number
  readonly scope: Scope
}

const Place = z.int().check(z.gte(0), z.lte(LONGEST_OFFLOADED))

/** Input of `context.fetch`. */
export const FetchInput = z
  .strictObject({
    handle: MemoryId,
    /** Characters from `start` to before `end`. */
    range: z.optional(
      z
        .strictObject({ start: Place, end: Place })
        .check(z.refine(({ start, end }) => start < end, { message: 'must be before end', path: ['start'] })),
    ),
    /** What is wanted of it: the stretches that fit best. */
    query: z.optional(Text.check(z.minLength(1), z.maxLength(4_000))),
    /** A token is counted as four characters. */
    maxTokens: z._default(z.int().check(z.gte(1), z.lte(LONGEST_OFFLOADED)), 1_000),
  })
  .check(
    z.refine(({ range, query }) => range === undefined || query === undefined, {
      message: 'is given with range: one of them says what to fetch',
      path: ['query'],
    }),
  )
export type FetchOptions = Omit<z.input<typeof FetchInput>, 'handle'>

/** A stretch of what was put aside, by its place in characters. */
export interface FetchedPart {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Answer of `context.fetch`. */
export interface Fetched extends Omit<Offloaded, 'excerpt'> {
  /** In the order in which they stand. */
  readonly parts: readonly FetchedPart[]
  /** Whether `maxTokens` kept some of what was asked for out. */
  readonly truncated: boolean
}
