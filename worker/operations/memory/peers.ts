import { floorOf } from '../../../src/domain/calibration.js'
import { canonicalForm, textOf } from '../../../src/domain/canonical.js'
import type { JudgedPeer } from '../../../src/domain/judge.js'
import { isSearchable } from '../../../src/domain/memory-type.js'
import { sha256Hex } from '../../../src/domain/sha256.js'
import type { StatementRelation } from '../../../src/domain/signature/relation.js'
import { isStatement } from '../../../src/domain/statement.js'
import { hasEnded, SERVED } from '../../../src/domain/version.js'
import type { VersionBody } from '../../../src/schema/records.js'
import type { PassageVectors } from '../../store/search-index.js'
import type { Store } from '../../store/store.js'
import { unpackVector } from '../../store/vector-matrix.js'
import { type Head, headOf, headsByForm } from '../../store/versions.js'
import type { CallContext } from '../context.js'
import type { Language } from '../language.js'

/** Nearest memories looked at. */
const MOST_PEERS = 8

/** A write as far as finding its peers needs it. */
export interface Sought {
  readonly body: VersionBody
  readonly live: Head | null
  /** Whether the memory under the key may be its own peer. */
  readonly countsOnItself: boolean
  readonly vectors: readonly PassageVectors[]
}

/** A peer with the row it stands for. */
export interface FoundPeer {
  readonly peer: JudgedPeer
  readonly head: Head
}

const SAME_WORDS: StatementRelation = { kind: 'restates', because: 'it says the same in the same words' }

/**
 * Served memories of the same type that a write is weighed against: those in the same words, and those whose vector is close. Only what
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
  const near = statement ? nearOf(store, readable, sought) : new Map<number, number>()
  const heads = [...sameWords, ...[...near.keys()].map((memory) => headOf(store.db, memory))]
  const own = statement ? textOf(body.value) : null
  const seen = new Set<number>()
  return heads.flatMap((head) => {
    if (head === null || seen.has(head.memory) || !readable.includes(head.identity)) return []
    seen.add(head.memory)
    if (head.memory === live?.memory ? !countsOnItself : !statement) return []
    if (!mayBePeer(head, body, context)) return []
    const isSame = canonicalForm(head.body.value) === form
    const relation = isSame ? SAME_WORDS : relationTo(language, own, head)
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
      validAt: head.body.validAt,
      relation,
    }
    return [{ peer, head }]
  })
}

const mayBePeer = ({ body }: Head, write: VersionBody, { acceptedAt }: CallContext): boolean =>
  SERVED.includes(body.status) &&
  body.type === write.type &&
  isSearchable(body.type, body.sensitivity) &&
  !hasEnded(body, acceptedAt)

const relationTo = (language: Language, own: string | null, { body }: Head): StatementRelation =>
  own === null || !isStatement(body.value)
    ? { kind: 'apart', because: 'one of them is no statement' }
    : language.relate(textOf(body.value), own)

/** Memories whose vectors are close to that of a short value, with how close; a document is weighed by its words alone. */
const nearOf = (store: Store, readable: readonly number[], { vectors }: Sought): ReadonlyMap<number, number> => {
  const made = vectors.find(({ embedder }) => embedder === store.embedder.number)
  const [vector] = made?.packed ?? []
  if (vector === undefined || made?.packed.length !== 1) return new Map()
  const { matrix, isOffered } = store.resident
  const identities = new Set(readable)
  const allows = (memory: number, identity: number): boolean => identities.has(identity) && isOffered(memory)
  const found = matrix.near(unpackVector(vector), floorOf(store.embedder.calibration), MOST_PEERS, allows)
  return new Map(found.map(({ memory, similarity }) => [memory, similarity]))
}
