import { canonicalForm, textOf } from '../../../src/domain/canonical.js'
import { lockInForce } from '../../../src/domain/guards.js'
import type { JudgedPeer } from '../../../src/domain/judge.js'
import { isSearchable } from '../../../src/domain/memory-type.js'
import { sha256Hex } from '../../../src/domain/sha256.js'
import type { DeclaredAttribute } from '../../../src/domain/signature/attribute.js'
import type { StatementRelation } from '../../../src/domain/signature/relation.js'
import { isStatement } from '../../../src/domain/statement.js'
import { isServed } from '../../../src/domain/version.js'
import type { VersionBody } from '../../../src/schema/records.js'
import type { PassageVectors } from '../../store/search-index.js'
import type { Store } from '../../store/store.js'
import { type Head, headOf, headsByForm, headsByKey } from '../../store/versions.js'
import type { CallContext } from '../context.js'
import type { Language } from '../language.js'
import { nearOf } from './near.js'

/** A write as far as finding its peers needs it. */
export interface Sought {
  readonly body: VersionBody
  readonly live: Head | null
  /** Whether the memory under the key may be its own peer. */
  readonly countsOnItself: boolean
  readonly vectors: readonly PassageVectors[]
  readonly declared: readonly DeclaredAttribute[]
}

/** A peer with the row it stands for. */
export interface FoundPeer {
  readonly peer: JudgedPeer
  readonly head: Head
}

const SAME_WORDS: StatementRelation = { kind: 'restates', because: 'it says the same in the same words' }

/**
 * Served memories of the same type that a write is weighed against: those in the same words, and those it comes near to. Only what
 * the writer may read, and never another user's.
 */
export const peersOf = (
  store: Store,
  language: Language,
  readable: readonly number[],
  context: CallContext,
  sought: Sought,
): readonly FoundPeer[] => {
  const { body, live, countsOnItself } = sought
  const form = canonicalForm(body.value)
  const canonicalSha256 = sha256Hex(form)
  // A bare value means nothing without its key: only the memory under the same key can say the same.
  const statement = isStatement(body.value)
  const sameWords = statement || countsOnItself ? headsByForm(store.db, readable, form) : []
  const near = statement ? nearOf(store, readable, body, sought.vectors) : new Map<number, number>()
  const siblings = new Set(store.book.siblings(context.scope).map(({ identity }) => identity))
  const underKey = headsByKey(store.db, ownersOf(store, readable, siblings, context), body.key)
  const keyed = new Set(underKey.map(({ memory }) => memory))
  const heads = [...sameWords, ...underKey, ...[...near.keys()].map((memory) => headOf(store.db, memory))]
  const own = statement ? textOf(body.value) : null
  const seen = new Set<number>()
  return heads.flatMap((head) => {
    if (head === null || seen.has(head.memory)) return []
    const elsewhere = siblings.has(head.identity)
    if (!elsewhere && !readable.includes(head.identity)) return []
    seen.add(head.memory)
    const isSame = canonicalForm(head.body.value) === form
    const isItself = head.memory === live?.memory
    const sameKey = keyed.has(head.memory) && !isItself
    // A write may count on what stood under its key; that it says something else is what a new version is for.
    if (isItself ? !countsOnItself || !isSame : !statement && !sameKey) return []
    if (!mayBePeer(head, body, context)) return []
    const relation = isSame ? SAME_WORDS : relationTo(language, own, head, sought.declared)
    const peer: JudgedPeer = {
      memory: head.memory,
      id: head.memoryId,
      key: head.body.key,
      status: head.body.status,
      run: head.body.run,
      canonicalSha256: isSame ? canonicalSha256 : sha256Hex(canonicalForm(head.body.value)),
      similarity: isSame ? 1 : (near.get(head.memory) ?? 0),
      reinforceable: store.book.scopeOf(head.identity).user === context.scope.user,
      pinned: head.body.pinned,
      locked: lockInForce(head.body, context.acceptedAt) === 'read_only',
      sameKey,
      elsewhere,
      validAt: head.body.validAt,
      relation,
    }
    return [{ peer, head }]
  })
}

const mayBePeer = (head: Head, write: VersionBody, { acceptedAt }: CallContext): boolean =>
  isServed(head, acceptedAt) && head.body.type === write.type && isSearchable(head.body.type, head.body.sensitivity)

/** Identities of the writer's own user in which the key may stand besides the writer's. */
const ownersOf = (
  { book }: Store,
  readable: readonly number[],
  siblings: ReadonlySet<number>,
  { scope }: CallContext,
): readonly number[] => [...readable.filter((identity) => book.scopeOf(identity).user === scope.user), ...siblings]

const relationTo = (
  language: Language,
  own: string | null,
  { body }: Head,
  declared: readonly DeclaredAttribute[],
): StatementRelation =>
  own === null || !isStatement(body.value)
    ? { kind: 'apart', because: 'one of them is no statement' }
    : language.relate(textOf(body.value), own, declared)
