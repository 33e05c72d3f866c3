import * as z from 'zod/mini'
import type { TrustLevel } from './provenance.js'
import { Label } from './scalars.js'
import type { Scope } from './scope.js'

/** Input of `consolidate`. */
export const ConsolidateInput = z.strictObject({
  /** Who or what the fragments are about, by a name of theirs. */
  subject: Label,
  /** Only says what would be done. */
  dryRun: z._default(z.boolean(), false),
})
export type ConsolidateInput = z.input<typeof ConsolidateInput>

/**
 * Why a fragment was not merged: `conflicted`, it stands in a conflict; `contradicted`, it excludes another fragment; `external`, it comes from
 * pages or tools and no person has attested it; `no_statement`, it says nothing by itself; `too_long`, it is a document; `alone`, nothing else
 * is known at its level of trust; `full`, there are more than 200.
 */
export type LeftWhy = 'conflicted' | 'contradicted' | 'external' | 'no_statement' | 'too_long' | 'alone' | 'full'

/** One memory that fragments are merged into. */
export interface ConsolidatedRow {
  readonly key: string
  /** Null for one that does not exist yet. */
  readonly id: string | null
  /** `keep`: it says so already. `retire`: it has not two sources any more. `leave`: see `why`. */
  readonly action: 'create' | 'revise' | 'keep' | 'retire' | 'leave'
  /** `taken`: another memory stands under the key. `changed`: a source was written meanwhile; run it again. */
  readonly why?: 'taken' | 'pinned' | 'locked' | 'blacklisted' | 'changed'
  /** What it says: a sentence to a line. Null for one that is retired. */
  readonly value: string | null
  /** Of each of its sources: fragments of different trust, or type, are never merged. */
  readonly trust: TrustLevel | null
  readonly type: string | null
  readonly sources: readonly { readonly id: string; readonly key: string }[]
}

/** Answer of `consolidate`. */
export interface ConsolidateResult {
  /** The name under which mentions of it meet. */
  readonly subject: string
  readonly dryRun: boolean
  readonly rows: readonly ConsolidatedRow[]
  /** Memories about the subject that were not merged. They stay as they are, like those that were. */
  readonly left: readonly { readonly id: string; readonly key: string; readonly why: LeftWhy }[]
  /** `language`: words could not be looked up, so that only the same words counted as the same. */
  readonly degraded: readonly string[]
  readonly scope: Scope
}
