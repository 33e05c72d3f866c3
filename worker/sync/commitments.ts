import { canonicalJson } from '../../src/domain/canonical.js'
import { toBase64Url, toUtf8 } from './bytes.js'
import type { SyncKeys } from './key-ring.js'

/** Names as the server sees them: it can tell whether two are the same, and nothing else. */
export interface Commitments {
  /** To the levels of an identity: whoever holds the same levels finds the same. */
  readonly namespace: (levels: readonly (string | null)[]) => Promise<string>
  /** To a key under a namespace's commitment. */
  readonly key: (nc: string, key: string) => Promise<string>
}

/** By the account's index key; without one by a plain hash, which tells names to whoever guesses them. */
export const createCommitments = (keys: SyncKeys | null): Commitments => {
  const commit = async (parts: readonly (string | null)[]): Promise<string> => {
    // Canonical: no two lists of parts have the same text.
    const text = toUtf8(`palimpsest name ${canonicalJson(parts)}`)
    const bytes =
      keys === null ? await crypto.subtle.digest('SHA-256', text) : await crypto.subtle.sign('HMAC', keys.index, text)
    return toBase64Url(new Uint8Array(bytes))
  }
  return {
    namespace: (levels) => commit(['namespace', ...levels]),
    key: (nc, key) => commit(['key', nc, key]),
  }
}
