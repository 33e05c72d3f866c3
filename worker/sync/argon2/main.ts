import { argon2id as hash } from 'hash-wasm'
import type { Argon2id } from '../derivation.js'

/** A module of its own: only accounts that ask for it load it. */
export const argon2id: Argon2id = (password, salt, { memoryKiB, passes, lanes }) =>
  hash({
    password,
    salt,
    memorySize: memoryKiB,
    iterations: passes,
    parallelism: lanes,
    hashLength: 32,
    outputType: 'binary',
  })
