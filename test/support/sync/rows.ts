import type { GuardContent, SyncRow, Verdict } from '../../../src/domain/sync/sync-row.js'

const DEV = '00000000000000aa'

export const id = (n: number, dev = DEV): string => `${dev}.${n}`

/** A row that is written down: the n-th of a device, of version n unless something else is said. */
export const row = (n: number, kind: string, over: Partial<SyncRow> = {}): SyncRow => ({
  id: id(n),
  ver: BigInt(n),
  kind,
  nc: 'n',
  kc: 'k',
  kepoch: 0,
  parents: [],
  human: false,
  target: null,
  hash: `hash ${n}`,
  content: null,
  ...over,
})

export const set = (n: number, text: string, over: Partial<SyncRow> = {}): SyncRow =>
  row(n, 'set', { content: { of: 'life', sha256: text, adds: 1 }, ...over })

export const guard = (n: number, over: Partial<GuardContent>, rest: Partial<SyncRow> = {}): SyncRow =>
  row(n, 'guard', { content: { of: 'guard', pinned: false, lockMode: null, lockUntil: null, ...over }, ...rest })

export const verdict = (n: number, a: number, b: number, said: Verdict, over: Partial<SyncRow> = {}): SyncRow =>
  row(n, 'verdict', { kc: null, content: { of: 'verdict', pair: [id(a), id(b)], verdict: said }, ...over })
