import type { Scope } from '../schema/scope.js'
import { sha256Hex } from './sha256.js'

/** Levels of an identity, from the widest on. */
export const LEVELS = ['org', 'namespace', 'agent', 'user', 'session'] as const
export type IdentityLevel = (typeof LEVELS)[number]

const ROOM: readonly IdentityLevel[] = ['org', 'namespace']

/** What an erasure was about, so that it can be recognised and not be read. */
export interface ErasureTarget {
  readonly salt: string
  /** Levels that have to be equal; any value will do at the others. */
  readonly levels: readonly IdentityLevel[]
  readonly target: string
  /** Hash of org and namespace alone: who reads in them all may read the receipt. */
  readonly room: string
  /** Hash of the beginning of its keys, and how many characters that has; null for all keys. */
  readonly prefix: string | null
  readonly prefixLength: number | null
  /** Epoch milliseconds: only what was written last before; null for all. */
  readonly before: number | null
}

/** Describes a target by salted hashes. */
export const erasureTarget = (
  scope: Scope,
  levels: readonly IdentityLevel[],
  { keyPrefix, before }: { readonly keyPrefix: string | null; readonly before: number | null },
  salt: string,
): ErasureTarget => ({
  salt,
  levels,
  target: scopeHash(scope, levels, salt),
  room: scopeHash(scope, ROOM, salt),
  prefix: keyPrefix === null ? null : sha256Hex(`${salt}\n${keyPrefix}`),
  prefixLength: keyPrefix === null ? null : [...keyPrefix].length,
  before,
})

/** Whether a memory of an identity is what an erasure was about. A key that is not known counts as one of its keys. */
export const isTarget = (erasure: ErasureTarget, scope: Scope, key: string | null): boolean => {
  const { salt, levels, target, prefix, prefixLength } = erasure
  if (scopeHash(scope, levels, salt) !== target) return false
  if (prefix === null || prefixLength === null || key === null) return true
  return sha256Hex(`${salt}\n${[...key.normalize('NFC')].slice(0, prefixLength).join('')}`) === prefix
}

/** Whether an erasure was within an org and a namespace. */
export const isInRoomOf = ({ salt, room }: ErasureTarget, scope: Scope): boolean => scopeHash(scope, ROOM, salt) === room

/** Unset and anonymous are no id of a caller. */
const scopeHash = (scope: Scope, levels: readonly IdentityLevel[], salt: string): string =>
  sha256Hex(`${salt}\n${JSON.stringify(levels.map((level) => [level, scope[level] === undefined ? [] : scope[level]]))}`)
