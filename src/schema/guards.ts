import * as z from 'zod/mini'
import type { VersionBody } from './records.js'
import { IdempotencyKey, Instant, Key, Label, MAX_TTL_SECONDS, Text } from './scalars.js'
import type { Scope } from './scope.js'

const repeatable = { idempotencyKey: z.optional(IdempotencyKey), dryRun: z.optional(z.boolean()) }

/** Input of `lock`. */
export const LockInput = z
  .strictObject({
    key: Key,
    /** `read_only` keeps value, end and row as they are; `no_delete` keeps the row. */
    mode: z.enum(['read_only', 'no_delete']),
    reason: Label,
    /** When the lock lapses; without an end it holds until it is taken off. */
    until: z.optional(Instant),
    /** Lapses this many seconds after the call; not together with `until`. */
    ttlSeconds: z.optional(z.number().check(z.positive(), z.lte(MAX_TTL_SECONDS))),
    ...repeatable,
  })
  .check(
    z.refine((input) => input.until === undefined || input.ttlSeconds === undefined, {
      message: 'give until or ttlSeconds, not both',
      path: ['ttlSeconds'],
    }),
  )
export type LockOptions = Omit<z.input<typeof LockInput>, 'key'>

/** Input of `unlock`. */
export const UnlockInput = z.strictObject({
  key: Key,
  /** Take off what another actor has locked. */
  force: z.optional(z.boolean()),
  ...repeatable,
})
export type UnlockOptions = Omit<z.input<typeof UnlockInput>, 'key'>

/** Input of `unpin`. */
export const UnpinInput = z.strictObject({ key: Key, ...repeatable })
export type UnpinInput = z.input<typeof UnpinInput>

/** Input of `blacklist.add`. */
export const BlacklistAddInput = z.strictObject({
  /** A text, or a regular expression in RE2 syntax. */
  pattern: Text.check(z.minLength(1), z.maxLength(256)),
  patternType: z.enum(['substring', 'regex']),
  reason: z.optional(Label),
  /** Delete what matches already. */
  sweep: z.optional(z.boolean()),
  ...repeatable,
})
export type BlacklistAddInput = z.input<typeof BlacklistAddInput>

/** Input of `blacklist.remove`. */
export const BlacklistRemoveInput = z.strictObject({
  id: z.string().check(z.regex(/^[0-9A-HJKMNP-TV-Z]{26}$/, 'is not the id of a rule')),
  ...repeatable,
})
export type BlacklistRemoveInput = z.input<typeof BlacklistRemoveInput>

/** Answer of `unpin`, `lock` and `unlock`: how the memory is guarded now. */
export interface GuardResult
  extends Pick<VersionBody, 'key' | 'pinned' | 'lockMode' | 'lockUntil' | 'lockReason' | 'lockBy' | 'contentSha256'> {
  readonly id: string
  readonly version: string
  /** True when it stood so already, and nothing was written. */
  readonly noop: boolean
  readonly dryRun: boolean
  readonly scope: Scope
}

/** What must not be written in a scope and in those narrower than it. */
export interface BlacklistRule {
  readonly id: string
  readonly pattern: string
  readonly patternType: 'substring' | 'regex'
  readonly reason: string | null
  readonly actor: string
  readonly createdAt: number
  /** When it last ran out of its time, so that a write was refused; null for a rule that never did. */
  readonly timedOutAt: number | null
  readonly scope: Scope
}

/** What a sweep did. */
export interface SweepReport {
  readonly tombstoned: number
  /** Matches that stay, since they are pinned or locked. */
  readonly kept: number
  /** Memories on which the rule ran out of its time. They stay. */
  readonly unchecked: number
  /** True when it ended before it had seen everything: add the rule again to go on. */
  readonly cut: boolean
}

/** Answer of `blacklist.add`. */
export interface BlacklistAddResult {
  readonly rule: BlacklistRule
  /** Null unless one was asked for. */
  readonly sweep: SweepReport | null
  /** True when the same rule was there already. */
  readonly noop: boolean
  readonly dryRun: boolean
}

/** Answer of `blacklist.remove`. */
export interface BlacklistRemoveResult {
  readonly id: string
  readonly removed: boolean
  readonly dryRun: boolean
}
