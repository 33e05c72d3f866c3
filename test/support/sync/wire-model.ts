import { canonicalJson } from '../../../src/domain/canonical.js'
import type { Cursor } from '../../../src/domain/sync/exchange.js'
import { EMPTY_DIGEST, rowHash, runningDigest } from '../../../src/domain/sync/row-digest.js'
import { type RowContent, rowIdOf, rowIdParts } from '../../../src/domain/sync/sync-row.js'
import type { PullResponse, WireRow } from '../../../src/schema/sync-wire.js'
import { fromBase64Url, fromUtf8, toBase64Url, toUtf8 } from '../../../worker/sync/bytes.js'
import type { OutgoingRow, SyncStore } from '../../../worker/sync/store-port.js'
import type { Answer, Failure, Transport } from '../../../worker/sync/transport.js'
import type { Core } from './core.js'
import type { Held, ModelDevice } from './model-device.js'
import { type Hashing, type ModelRow, type ModelServer, quickHash } from './model-server.js'

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
const unhex = (text: string): Uint8Array =>
  Uint8Array.from({ length: text.length / 2 }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16))

/** What stands in a body: it survives neither redaction nor erasure, so the tag, which tests need, stands beside it. */
const bodyOf = ({ content }: { readonly content: RowContent | null }): string =>
  canonicalJson(JSON.parse(JSON.stringify(content, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part))))

/** Bodies by their hash, as rows whose body is gone keep that alone. */
const bodyHash = (text: string): string => quickHash(text).padStart(64, '0')

const bodyHashes = new Map<string, string>()

const header = (row: Omit<ModelRow, 'hash'>) => ({
  ...rowIdParts(row.id),
  ver: row.ver.toString(),
  kind: row.kind,
  nc: row.nc,
  kc: row.kc,
  kepoch: row.kepoch,
  parents: [...row.parents],
  human: row.human ? (1 as const) : (0 as const),
  target: row.target,
  tag: row.tag,
  poison: row.poison,
})

/** Hashes of rows as on the wire. */
export const WIRE: Hashing = {
  hashOf: (row) => {
    const bh = bodyHash(bodyOf(row))
    const hash = hex(rowHash({ ...header(row), bh } as never))
    bodyHashes.set(hash, bh)
    return hash
  },
  add: (digest, hash) => {
    const sum = runningDigest(digest)
    sum.add(unhex(hash))
    return sum.hex()
  },
  empty: EMPTY_DIGEST,
}

export const toWire = (row: ModelRow): WireRow => ({
  ...header(row),
  gen: 0,
  slot: null,
  bh: bodyHashes.get(row.hash) as string,
  body: row.content === null ? null : toBase64Url(toUtf8(bodyOf(row))),
})

export const fromWire = (row: WireRow): ModelRow => {
  const { dev, dseq, ver, kind, nc, kc, kepoch, parents, human, target, body } = row
  const text = body === null ? 'null' : fromUtf8(fromBase64Url(body) as Uint8Array)
  const content = JSON.parse(text, (_, part: unknown) =>
    typeof part === 'string' && /^\d+n$/.test(part) ? BigInt(part.slice(0, -1)) : part,
  ) as RowContent | null
  const { tag, poison } = row as unknown as { readonly tag: number; readonly poison: boolean }
  return {
    ...{
      id: rowIdOf({ dev, dseq }),
      ver: BigInt(ver),
      kind,
      nc,
      kc,
      kepoch,
      parents,
      human: human === 1,
      target,
      content,
      tag,
      poison,
    },
    hash: hex(rowHash(row)),
  }
}

/** A store of the model behind the port that the engine uses. */
export const storeOf = (core: Core, device: ModelDevice, localNowMs: () => number): SyncStore => {
  const { kept } = device
  return {
    device: async () => kept.dev,
    cursor: async () => kept.cursor,
    unsynced: async (limit, only, without) => {
      const unsent = [...kept.held.values()].filter(({ there, row }) => there === 'no' && !kept.awaiting.has(row.id))
      return core
        .pushable(
          unsent.map(({ row }) => row),
          kept.quarantine,
        )
        .filter((row) => !without.has(row.id) && (only === 'all' || core.isRemoval(row)))
        .slice(0, limit)
        .map((row): OutgoingRow => {
          const { everAccepted } = kept.held.get(row.id) as Held
          return { row: toWire(row), isOwn: device.isOwn(row.id), everAccepted }
        })
    },
    take: async (rows, cursor: Cursor | null) => {
      device.take(rows.map(fromWire), cursor !== null, localNowMs())
      if (cursor !== null) kept.cursor = cursor
    },
    atHead: async () => device.atHead(),
    rebase: async (epoch) => device.rebase(epoch),
    settle: async (settled, serverNowMs) => {
      const late: ModelRow[] = []
      const collided = new Set<string>()
      for (const { id, step } of settled) {
        const held = kept.held.get(id)
        if (held === undefined) continue
        if (step === 'acknowledged') kept.held.set(id, { ...held, there: 'told', everAccepted: true })
        else if (step === 'await_erasure') kept.awaiting.add(id)
        else if (step === 'restamp') late.push(held.row)
        else if (step === 'reissue') collided.add(id)
        else if (step !== 'later') kept.quarantine.add(id)
      }
      if (late.length > 0) device.restamp(late, localNowMs(), serverNowMs)
      if (collided.size > 0) device.reissue(collided)
    },
  }
}

/** What goes wrong with the n-th request of a device. */
export type Mishap = 'none' | 'lost' | 'unanswered' | 'short'

const LOST: Failure = { why: 'unreachable', status: 0, retryAfterMs: null }

/** The model's server behind the port of the transport; a request may get lost, or its answer, or rows of its page. */
export const transportOf = (server: ModelServer, nowMs: () => number, mishap: () => Mishap, pageSize: number): Transport => {
  const standing = () => ({ ...server.view(0), digest: server.head().digest, head: server.head().seq, gen: 0, now: nowMs() })
  const sequenced = (rows: readonly ModelRow[], after: number) =>
    rows.map((row, i) => ({ seq: after + i + 1, row: toWire(row) }))
  const through = async <T>(work: (how: Mishap) => T): Promise<Answer<T>> => {
    const how = mishap()
    if (how === 'lost') return { failure: LOST }
    const value = work(how)
    return how === 'unanswered' ? { failure: LOST } : { value }
  }
  return {
    push: (_, rows) =>
      through(() => {
        const sent = Math.min(rows.length, pageSize)
        const answers = server.push(rows.slice(0, sent).map(fromWire), nowMs())
        return { ...standing(), sent, results: answers.map((status) => ({ status })) }
      }),
    pull: ({ cursor, digest, epoch }) =>
      through((how): PullResponse => {
        const view = server.view(cursor)
        if (epoch !== null && epoch !== view.epoch) return { ...standing(), rebase: 'epoch' }
        if (view.digestAtCursor === null) return { ...standing(), rebase: 'cursor' }
        if (view.digestAtCursor !== digest) return { ...standing(), rebase: 'digest' }
        const { rows, ends, isLast } = server.pull(cursor, pageSize)
        const brought = how === 'short' ? rows.slice(0, -1) : rows
        return {
          ...standing(),
          rows: sequenced(brought, cursor),
          cursor: ends.upTo,
          cursorDigest: ends.digestUpTo,
          more: !isLast,
        }
      }),
    heads: () =>
      through(() => {
        const { rows, ends } = server.pull(0, 1_000)
        const old = new Set(rows.flatMap(({ parents }) => parents))
        const heads = sequenced(rows, 0).filter((_, i) => !old.has((rows[i] as ModelRow).id))
        return { ...standing(), rows: heads, at: ends.upTo, atDigest: ends.digestUpTo, before: 0, more: false }
      }),
    history: async () => ({ failure: LOST }),
    hints: async () => ({ why: 'ended' }),
  }
}
