import * as z from 'zod/mini'

const Base64Url = z.string().check(z.maxLength(256), z.regex(/^[A-Za-z0-9_-]+$/, 'is not base64url'))
const Count = z.int().check(z.gte(1), z.lte(2_147_483_647))

/** How a passphrase becomes a key. Travels with what that key wraps. */
export const KeyDerivation = z.discriminatedUnion('kdf', [
  z.strictObject({ kdf: z.literal('pbkdf2-sha256'), salt: Base64Url, iterations: Count }),
  z.strictObject({ kdf: z.literal('argon2id'), salt: Base64Url, memoryKiB: Count, passes: Count, lanes: Count }),
])
export type KeyDerivation = z.infer<typeof KeyDerivation>

/**
 * An account's keys, each wrapped by what the passphrase gives: what a server keeps and every device of the account reads. `index` never
 * changes, for all commitments hang on it; of the others there is one for each generation that rows may still be wrapped with.
 */
export const KeyRing = z.strictObject({
  v: z.literal(1),
  derivation: KeyDerivation,
  /** The generation that new rows are wrapped with. */
  gen: Count,
  /** The generation that a rotation is on its way to, or null. */
  next: z.nullable(Count),
  index: Base64Url,
  masters: z.array(z.strictObject({ gen: Count, wrapped: Base64Url })).check(z.minLength(1), z.maxLength(64)),
  /** Over all of the above: a server can neither mix rings nor take a generation back unseen. */
  mac: Base64Url,
})
export type KeyRing = z.infer<typeof KeyRing>
