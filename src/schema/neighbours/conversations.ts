import * as z from 'zod/mini'
import type { LegComponent, SearchResult } from '../records.js'
import { DateText, MAX_VALUE_BYTES, Text, TimeZone } from '../scalars.js'
import type { Scope } from '../scope.js'
import { Tier } from '../scope.js'
import { Name, paging, writing } from './names.js'

const Tiers = z.array(Tier).check(z.minLength(1), z.maxLength(3))

/** One turn of a conversation. */
export const Turn = z.strictObject({
  /** The same id in the same session is the same turn. One is made where none is given. */
  id: z.optional(Name),
  /** Which conversation it belongs to. May be left out by a handle that is bound to a session. */
  session: z.optional(Name),
  /** Whose part it is: `user`, `assistant`, `tool` or another word. */
  role: z.optional(Name),
  /** Who speaks, by name. */
  speaker: z.optional(Name),
  text: Text.check(
    // A third of the bytes a value may have: so long a text fits however it is encoded.
    z.maxLength(MAX_VALUE_BYTES / 3 - 1),
    z.refine((text) => text.trim() !== '', 'is blank'),
  ),
  /** When it was said. */
  at: z.optional(DateText),
  /** Of a date without a zone; default that of the browser. */
  timeZone: z.optional(TimeZone),
})
export type Turn = z.input<typeof Turn>

/** Input of `conversations.append`. */
export const AppendInput = z.strictObject({ turns: z.array(Turn).check(z.maxLength(100_000)), ...writing })
export type AppendOptions = Omit<z.input<typeof AppendInput>, 'turns'>

/** Input of `conversations.list`. */
export const TurnsInput = z.strictObject({
  session: z.optional(Name),
  /** Default `newest`, of those that were appended last. */
  order: z._default(z.enum(['newest', 'oldest']), 'newest'),
  tiers: z.optional(Tiers),
  ...paging,
})
export type TurnsFilter = z.input<typeof TurnsInput>

/** Input of `conversations.recall`. */
export const RecallInput = z.strictObject({
  query: Text,
  session: z.optional(Name),
  limit: z._default(z.int().check(z.gte(1), z.lte(100)), 10),
  tiers: z.optional(Tiers),
})
export type RecallOptions = Omit<z.input<typeof RecallInput>, 'query'>

/** A turn as it is read. Times are epoch milliseconds. */
export interface TurnRow {
  readonly turnId: string
  readonly session: string
  readonly role: string | null
  readonly speaker: string | null
  readonly text: string
  readonly at: number | null
  readonly createdAt: number
  /** Of the memory that holds it: `history`, `redact`, `delete` and the others take its key. */
  readonly key: string
  readonly id: string
  readonly version: string
  readonly scope: Scope
}

/** Answer of `conversations.append`, a turn for each that was given, in order. */
export interface AppendResult {
  readonly turns: readonly {
    readonly turnId: string
    readonly session: string
    readonly key: string
    /** `known`: it stood there. `revised`: another text or time stood under its id, and stays in history. */
    readonly outcome: 'appended' | 'known' | 'revised' | 'refused'
    /** Why it was refused. */
    readonly code?: string
    readonly message?: string
  }[]
  readonly appended: number
  readonly known: number
  readonly revised: number
  readonly refused: number
  readonly scope: Scope
}

/** Answer of `conversations.list`. */
export interface TurnsResult {
  readonly turns: readonly TurnRow[]
  readonly nextCursor: string | null
  readonly scope: Scope
}

/** A turn that was found. */
export interface TurnHit extends TurnRow {
  readonly score: number
  /** What of the score is lent by its neighbours. */
  readonly lent: number
  /** The legs that found it; none for a turn that its neighbours have brought. */
  readonly components: readonly LegComponent[]
  readonly excerpt: string
  /** The turn before and the one after it in its session, where there are. */
  readonly before: TurnRow | null
  readonly after: TurnRow | null
}

/** Answer of `conversations.recall`. */
export interface RecallResult extends Omit<SearchResult, 'hits' | 'explain'> {
  readonly hits: readonly TurnHit[]
}
