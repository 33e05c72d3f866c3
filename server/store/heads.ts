import { keyTarget } from '../rows/plan-push.js'
import type { Account } from './accounts.js'
import { digestAt } from './pages.js'
import { all, type Db, int, type Steps, text, textOrNull } from './steps.js'

/** What a device needs first: of these lanes the rows that no other row of the lane was written on top of. */
const LANES: Readonly<Record<string, string>> = {
  set: 'life',
  tomb: 'life',
  restore: 'life',
  guard: 'guard',
  review: 'review',
}
/** Of these kinds every row: they hold for good. */
const LASTING = new Set(['erase', 'redact', 'policy'])

/** Rows that are looked at in one go, so that nobody else waits for long. */
const CHUNK = 5_000
/** Rows of all accounts together whose names are remembered. */
const MAX_REMEMBERED = 2_000_000

interface Head {
  readonly seq: number
  readonly nc: string
  readonly kc: string | null
  readonly kepoch: number
  readonly bytes: number
  readonly lasting: boolean
}

interface Folded {
  readonly epoch: string
  upTo: number
  digest: string
  readonly heads: Map<string, Head>
  /** Rows that others were written on top of, by lane and id. They may come later than those. */
  readonly named: Set<string>
}

export interface HeadsPage {
  readonly at: number
  readonly atDigest: string
  readonly places: readonly number[]
  readonly before: number
  readonly more: boolean
}

export interface HeadIndex {
  readonly page: (
    account: Account,
    asked: { readonly at: number | null; readonly before: number | null; readonly limit: number; readonly maxBytes: number },
  ) => Promise<HeadsPage>
}

/**
 * Which rows stand, by account. Made from the headers of all rows when a new device asks, and kept up from there: as tables of their
 * own they would cost every push, and only first syncs ask.
 */
export const openHeadIndex = (db: Db): HeadIndex => {
  const accounts = new Map<string, Folded>()

  const remembered = () => [...accounts.values()].reduce((sum, { heads, named }) => sum + heads.size + named.size, 0)

  const foldedOf = async (account: Account): Promise<Folded> => {
    let folded = accounts.get(account.id)
    const isOurs =
      folded !== undefined &&
      folded.epoch === account.epoch &&
      folded.upTo <= account.head &&
      (await db.read(() => digestAt(account.id, folded?.upTo ?? 0))) === folded.digest
    if (folded === undefined || !isOurs)
      folded = { epoch: account.epoch, upTo: 0, digest: '', heads: new Map(), named: new Set() }
    // The last one asked for is the last one dropped.
    accounts.delete(account.id)
    accounts.set(account.id, folded)
    while (folded.upTo < account.head) {
      const from = folded.upTo
      await db.read(() => fold(account.id, folded))
      if (folded.upTo === from) break
      await new Promise((resolve) => setImmediate(resolve))
    }
    for (const [id, { heads, named }] of accounts) {
      if (remembered() <= MAX_REMEMBERED || id === account.id) break
      if (heads.size + named.size > 0) accounts.delete(id)
    }
    return folded
  }

  return {
    page: async (account, { at, before, limit, maxBytes }) => {
      const folded = await foldedOf(account)
      const erasures = account.erasures === 0 ? new Map<string, number>() : await db.read(() => erasureEpochs(account.id))
      const stands = ({ seq, nc, kc, kepoch, lasting }: Head) =>
        seq < (before ?? Number.POSITIVE_INFINITY) &&
        (lasting || kepoch >= Math.max(erasures.get(keyTarget(nc, null)) ?? 0, erasures.get(keyTarget(nc, kc)) ?? 0))
      const standing = [...folded.heads.values()].filter(stands).sort((a, b) => b.seq - a.seq)
      const places: number[] = []
      let size = 0
      for (const { seq, bytes } of standing) {
        size += bytes
        if (places.length === limit || (places.length > 0 && size > maxBytes)) break
        places.push(seq)
      }
      const made = at ?? folded.upTo
      return {
        at: made,
        atDigest: (await db.read(() => digestAt(account.id, made))) ?? folded.digest,
        places,
        before: places.at(-1) ?? 0,
        more: places.length < standing.length,
      }
    },
  }
}

function* erasureEpochs(accountId: string): Steps<ReadonlyMap<string, number>> {
  const found = yield* all('SELECT target, kepoch FROM erasure WHERE account_id = ?', accountId)
  return new Map(found.map(({ target, kepoch }) => [text(target), int(kepoch)]))
}

function* fold(accountId: string, folded: Folded): Steps<void> {
  const from = folded.upTo
  const found = yield* all(
    `SELECT seq, dev, dseq, kind, nc, kc, kepoch, parents, bytes FROM sync_row
     WHERE account_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
    accountId,
    from,
    CHUNK,
  )
  if (found.length === 0) return
  const last = int(found.at(-1)?.seq)
  const digest = yield* digestAt(accountId, last)
  // Another request may have folded the same rows meanwhile.
  if (folded.upTo !== from || digest === null) return
  const { heads, named } = folded
  for (const row of found) {
    const kind = text(row.kind)
    const lane = LANES[kind]
    const lasting = LASTING.has(kind)
    if (lane === undefined && !lasting) continue
    const name = `${lane ?? kind} ${row.dev}.${row.dseq}`
    const parents = text(row.parents)
    if (lane !== undefined && parents !== '')
      for (const parent of parents.split(',')) {
        named.add(`${lane} ${parent}`)
        heads.delete(`${lane} ${parent}`)
      }
    if (!named.has(name))
      heads.set(name, {
        seq: int(row.seq),
        nc: text(row.nc),
        kc: textOrNull(row.kc),
        kepoch: int(row.kepoch),
        bytes: int(row.bytes),
        lasting,
      })
  }
  folded.upTo = last
  folded.digest = digest
}
