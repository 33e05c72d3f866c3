import { canonicalForm, textOf } from '../../../src/domain/canonical.js'
import { alternativeKey, mintKey } from '../../../src/domain/mint-key.js'
import { HOLDS_KEY } from '../../../src/domain/version.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { Store } from '../../store/store.js'
import { type Head, headById, headsByKey } from '../../store/versions.js'
import type { PreparedWrite } from './prepare.js'

/** What a write aims at. */
export type Target =
  | { readonly kind: 'set'; readonly key: string | null }
  | { readonly kind: 'update'; readonly key: string }
  | { readonly kind: 'updateById'; readonly id: string }

/** The live memory a write is about, if there is one, and its key. */
export interface Located {
  readonly key: string
  readonly live: Head | null
  readonly minted: boolean
}

const isLive = (head: Head): boolean => HOLDS_KEY.includes(head.body.status)

/** Finds what a write aims at: by id, by key, or by the key made from its statement. */
export const locate = (
  store: Store,
  readable: readonly number[],
  identity: number,
  target: Target,
  write: PreparedWrite,
): Located => {
  if (target.kind === 'updateById') {
    const head = headById(store.db, readable, target.id)
    if (head === null || !isLive(head)) throw new MemoryError('NOT_FOUND', 'No live memory has this id.', { id: target.id })
    if (head.identity !== identity)
      throw new MemoryError(
        'FORBIDDEN',
        'This handle may read that memory but not change it: it belongs to a wider scope.',
        {
          reason: 'other_scope',
        },
      )
    return { key: head.body.key, live: head, minted: false }
  }
  if (target.key !== null) {
    const live = headsByKey(store.db, [identity], target.key).find(isLive) ?? null
    if (live === null && target.kind === 'update')
      throw new MemoryError('NOT_FOUND', `Nothing lives under ${target.key} in this scope.`, { key: target.key })
    return { key: target.key, live, minted: false }
  }
  return locateMinted(store, identity, write)
}

/** A key made from a statement only names that statement: another one gets the next free key. */
const locateMinted = (store: Store, identity: number, write: PreparedWrite): Located => {
  const value = write.fields.value ?? null
  const minted = mintKey(textOf(value))
  for (let n = 1; ; n++) {
    const key = n === 1 ? minted.key : alternativeKey(minted.key, n)
    const live = headsByKey(store.db, [identity], key).find(isLive) ?? null
    const fits = live === null || minted.names === 'attribute' || canonicalForm(live.body.value) === canonicalForm(value)
    if (fits) return { key, live, minted: true }
  }
}
