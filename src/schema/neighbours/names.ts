import * as z from 'zod/mini'
import { IdempotencyKey, Text } from '../scalars.js'

/** Longest name of a session, a turn, a label, a collection and the like. */
export const MAX_NAME_LENGTH = 200

/** What a row of a neighbouring store is named by: any short text, in Unicode normal form C. */
export const Name = z
  .pipe(
    Text.check(z.maxLength(MAX_NAME_LENGTH)),
    z.transform((name: string) => name.normalize('NFC')),
  )
  .check(
    z.refine((name) => name.trim() !== '', 'is blank'),
    z.refine((name) => !name.includes('\0'), 'contains NUL'),
  )

/** Options of every write. */
export const writing = {
  idempotencyKey: z.optional(IdempotencyKey),
  /** Run every check, write nothing. */
  dryRun: z.optional(z.boolean()),
}

/** Options of every list. */
export const paging = {
  limit: z._default(z.int().check(z.gte(1), z.lte(1000)), 100),
  cursor: z.optional(z.string().check(z.maxLength(2_000))),
}
