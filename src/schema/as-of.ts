import * as z from 'zod/mini'
import { Instant } from './scalars.js'

/** Fields of a read of an earlier time. */
export const asOfFields = {
  /**
   * Reads what was so at an instant. Both times at once as `{ valid, known }`: what is known of `known` about `valid`; what is left out
   * of the two is not limited.
   */
  asOf: z.optional(
    z.union([
      Instant,
      z
        .strictObject({ valid: z.optional(Instant), known: z.optional(Instant) })
        .check(z.refine(({ valid, known }) => valid !== undefined || known !== undefined, { message: 'names no instant' })),
    ]),
  ),
  /** What an instant counts by: when things were true (the default), or when they were known. */
  asOfBasis: z.optional(z.enum(['valid_time', 'knowledge_time'])),
}

/** What a read of an earlier time is asked for. */
export interface AsOfInput {
  readonly asOf?: string | { readonly valid?: string | undefined; readonly known?: string | undefined } | undefined
  readonly asOfBasis?: 'valid_time' | 'knowledge_time' | undefined
}
