import * as z from 'zod/mini'
import { type JsonValue, Sha256, Text, Value } from '../scalars.js'
import type { Scope } from '../scope.js'
import { Name, paging, writing } from './names.js'

/** Input of `sessions.brief`. */
export const SessionInput = z.strictObject({ session: Name })

/** Input of `sessions.setBrief`. */
export const BriefInput = z.strictObject({
  session: Name,
  brief: Value,
  /** Write only if the brief still has this hash, else `PRECONDITION_FAILED`. */
  ifMatchSha256: z.optional(Sha256),
  ...writing,
})
export type BriefOptions = Omit<z.input<typeof BriefInput>, 'session' | 'brief'>

/** Input of `sessions.digest`. */
export const DigestInput = z.strictObject({
  session: Name,
  /** How many sentences it may have. */
  sentences: z._default(z.int().check(z.gte(1), z.lte(50)), 5),
  ...writing,
})
export type DigestOptions = Omit<z.input<typeof DigestInput>, 'session'>

/** Input of `sessions.briefs` and `sessions.digests`. */
export const SessionsInput = z.strictObject(paging)
export type SessionsFilter = z.input<typeof SessionsInput>

/** Input of `sessions.find`. */
export const FindSessionsInput = z.strictObject({
  query: Text,
  limit: z._default(z.int().check(z.gte(1), z.lte(100)), 10),
})
export type FindSessionsOptions = Omit<z.input<typeof FindSessionsInput>, 'query'>

interface Stored {
  readonly session: string
  readonly contentSha256: string
  readonly createdAt: number
  readonly updatedAt: number
  /** Of the memory that holds it: `history` and the others take its key. */
  readonly key: string
  readonly id: string
  readonly version: string
  readonly scope: Scope
}

/** Where one line of work stands. Times are epoch milliseconds. */
export interface BriefRow extends Stored {
  readonly brief: JsonValue
}

/** What was said in a session, in some of its sentences. */
export interface DigestRow extends Stored {
  readonly text: string
}

/** A digest that was found. */
export interface DigestHit extends DigestRow {
  readonly score: number
  readonly excerpt: string
}

/** Answer of `sessions.briefs`: by session. */
export interface BriefsResult {
  readonly rows: readonly BriefRow[]
  readonly nextCursor: string | null
  readonly scope: Scope
}

/** Answer of `sessions.digests`: by session. */
export interface DigestsResult {
  readonly rows: readonly DigestRow[]
  readonly nextCursor: string | null
  readonly scope: Scope
}

/** Answer of `sessions.find`. */
export interface FoundSessions {
  readonly hits: readonly DigestHit[]
  readonly abstained: boolean
  readonly reason?: string
  readonly scope: Scope
}
