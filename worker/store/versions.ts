import { packBody, unpackBody } from '../../src/domain/body.js'
import { canonicalForm, formHash } from '../../src/domain/canonical.js'
import { isSearchable } from '../../src/domain/memory-type.js'
import { tierOf } from '../../src/domain/scope.js'
import { verificationOf } from '../../src/domain/verification.js'
import { bodyCommitment, chainSha256, SERVED } from '../../src/domain/version.js'
import type { HistoryEntry, MemoryRow, VersionBody } from '../../src/schema/records.js'
import type { Scope } from '../../src/schema/scope.js'
import type { Db, Sql, System } from '../ports.js'
import { type Counters, type Device, rowIdOf, takeRowNumber } from './devices.js'
import type { IdentityBook } from './identities.js'
import { among, sql } from './sql.js'

/** The newest version of a memory. */
export interface Head {
  readonly memory: number
  readonly memoryId: string
  readonly identity: number
  readonly row: number
  readonly dev: number
  readonly dseq: number
  readonly ver: bigint
  readonly sha256: string
  readonly body: VersionBody
  /** When it leaves service. A window of its namespace is counted in where it was read to be judged or served. */
  readonly leavesAt: number | null
}

/** What a head needs of its version. */
export interface HeadRow {
  row: number
  dev: number
  dseq: number
  ver: number | bigint
  memory: number
  memory_id: string
  identity: number
  body: string | null
  sha256: string
}

/** Columns of a {@link HeadRow}, for statements that read `versions v`. */
export const headColumns = sql`v.row, v.dev, v.dseq, v.ver, v.memory, v.memory_id, v.identity, v.body, v.sha256`

export const rowToHead = (row: HeadRow): Head => {
  const body = unpackBody(row.body ?? '{}')
  return {
    memory: row.memory,
    memoryId: row.memory_id,
    identity: row.identity,
    row: row.row,
    dev: row.dev,
    dseq: row.dseq,
    ver: BigInt(row.ver),
    sha256: row.sha256,
    body,
    leavesAt: body.expiresAt,
  }
}

/** A head as callers read it. */
export const headToRow = (head: Pick<Head, 'memoryId' | 'ver' | 'body'>, scope: Scope): MemoryRow => ({
  id: head.memoryId,
  version: head.ver.toString(),
  ...head.body,
  verification: verificationOf(head.body),
  scope,
  tier: tierOf(scope),
})

/** What the writer of a version knows. */
export interface NewVersion {
  readonly memory: number
  readonly memoryId: string
  readonly identity: number
  readonly scope: Scope
  readonly kind: HistoryEntry['kind']
  readonly human: boolean
  readonly parent: Head | null
  readonly body: VersionBody
}

/** Who writes just now: noted at each version, so that what was done in one go can be taken back. */
export interface Author {
  /** Null for background work. */
  scope: Scope | null
  run: string | null
  /** As the write gave it. */
  origin: string | null
  /** Row of the first version of the write, null until there is one. */
  act: number | null
}

/** What is needed to write a version. */
export interface Writer {
  readonly db: Db
  readonly system: System
  readonly device: Device
  readonly counters: Counters
  readonly deviceIdOf: (dev: number) => string
  readonly author: Author
  readonly book: Pick<IdentityBook, 'find'>
}

/** Appends a version to the truth and moves the memory's head to it. */
export const insertVersion = (writer: Writer, version: NewVersion, nowMs: number): Head => {
  const { db, device, author } = writer
  const { memory, memoryId, identity, parent, body } = version
  const number = takeRowNumber(db, device, writer.counters, nowMs, parent === null ? [] : [parent.ver])
  const salt = writer.system.randomBytes(16)
  const text = packBody(body)
  const commitment = bodyCommitment(salt, text)
  const parents = parent === null ? [] : [rowIdOf(writer.deviceIdOf(parent.dev), parent.dseq)]
  const prev = parent?.sha256 ?? null
  const header = { rowId: number.rowId, ver: number.ver, kind: version.kind, memoryId, scope: version.scope, parents }
  const sha256 = chainSha256(prev, header, commitment)
  author.act ??= number.row
  db.run(
    sql`insert into versions (row, dev, dseq, ver, kind, memory, memory_id, identity, parents, human, seq, body, salt, commitment,
      prev_sha256, sha256, act, author, run, origin) values (${number.row}, ${device.dev}, ${number.dseq}, ${number.ver}, ${version.kind}, ${memory}, ${memoryId},
      ${identity}, ${JSON.stringify(parents)}, ${version.human ? 1 : 0}, null, ${text}, ${salt}, ${commitment}, ${prev}, ${sha256},
      ${author.act}, ${author.scope && writer.book.find(author.scope)}, ${author.run}, ${author.origin})`,
  )
  const { row, dseq, ver } = number
  const head: Head = { memory, memoryId, identity, row, dev: device.dev, dseq, ver, sha256, body, leavesAt: body.expiresAt }
  putHead(db, head, parent !== null)
  return head
}

/** Writes the derived row of a head, in place of an older one when it `replaces` one. */
export const putHead = (db: Db, head: Head, replaces: boolean): void => {
  const { body } = head
  const searchable = isSearchable(body.type, body.sensitivity) ? 1 : 0
  const sensitive = body.sensitivity === 'high' ? 1 : 0
  const form = formHash(canonicalForm(body.value))
  if (replaces) {
    // First, since windows look at the tags of what is written.
    db.run(sql`delete from head_tags where memory = ${head.memory}`)
    db.run(
      sql`update heads set key = ${body.key}, row = ${head.row}, ver = ${head.ver}, status = ${body.status}, type = ${body.type},
        searchable = ${searchable}, sensitive = ${sensitive}, source_class = ${body.sourceClass}, confidence = ${body.confidence},
        form = ${form}, updated_at = ${body.updatedAt}, valid_to = ${body.validTo}, expires_at = ${body.expiresAt}
        where memory = ${head.memory}`,
    )
  } else
    db.run(
      sql`insert into heads (memory, memory_id, identity, key, row, ver, status, type, searchable, sensitive, source_class,
        confidence, form, updated_at, valid_to, expires_at) values (${head.memory}, ${head.memoryId}, ${head.identity},
        ${body.key}, ${head.row}, ${head.ver}, ${body.status}, ${body.type}, ${searchable}, ${sensitive}, ${body.sourceClass},
        ${body.confidence}, ${form}, ${body.updatedAt}, ${body.validTo}, ${body.expiresAt})`,
    )
  for (const tag of new Set(body.tags))
    db.run(sql`insert into head_tags (memory, tag, folded) values (${head.memory}, ${tag}, ${tag.toLowerCase()})`)
}

/** What a head's own row says of it. */
interface HeadPlace {
  row: number
  expires_at: number | null
}

const headAt = (db: Db, { row, expires_at }: HeadPlace): Head =>
  complete(db, {
    ...rowToHead(db.get<HeadRow>(sql`select ${headColumns} from versions v where v.row = ${row}`) as HeadRow),
    leavesAt: expires_at,
  })

/** A head with its value: a tombstone's is that of the last version that said it; null once that was redacted. */
export const complete = (db: Db, head: Head): Head => {
  if (head.body.status !== 'tombstoned') return head
  const said = db.get<{ body: string | null }>(
    sql`select body from versions where memory = ${head.memory} and ver < ${head.ver} and kind <> 'tomb'
      and body ->> '$.contentSha256' = ${head.body.contentSha256} order by ver desc limit 1`,
  )
  const value = unpackBody(said?.body ?? '{"value":null}').value
  return { ...head, body: { ...head.body, value } }
}

/** Who gave a memory the value it has now, and when: the first version of those that go on saying it. */
export const statementOf = (
  db: Db,
  { memory, ver, body }: Head,
): { readonly by: string; readonly at: number; readonly ver: bigint } => {
  const { contentSha256, actor, updatedAt } = body
  const first = db.get<{ by: string; at: number; ver: number | bigint }>(
    sql`select body ->> '$.actor' as by, body ->> '$.updatedAt' as at, ver from versions
      where memory = ${memory} and body is not null and ver > coalesce((select max(ver) from versions
        where memory = ${memory} and body is not null and body ->> '$.contentSha256' <> ${contentSha256}), -1)
      order by ver limit 1`,
  )
  return first === undefined ? { by: actor, at: updatedAt, ver } : { ...first, ver: BigInt(first.ver) }
}

/** The head of one memory. */
export const headOf = (db: Db, memory: number): Head | null => {
  const found = db.get<HeadPlace>(sql`select row, expires_at from heads where memory = ${memory}`)
  return found === undefined ? null : headAt(db, found)
}

/** Up to so many identities are asked for one by one. */
export const FEW = 8

/**
 * Heads that meet a condition within some identities, oldest first. One plain lookup per identity and then the version by its row:
 * for the one or two identities of a write, a join, a list or a sorter inside SQLite costs several times the read.
 */
const headsWithin = (db: Db, identities: readonly number[], condition: Sql): readonly Head[] => {
  const within = (scope: Sql) =>
    db.all<HeadPlace>(sql`select h.row, h.expires_at from heads h where ${scope} and ${condition}`)
  const rows =
    identities.length <= FEW
      ? identities.flatMap((identity) => within(sql`h.identity = ${identity}`))
      : within(sql`h.identity in ${among(identities)}`)
  return rows.map((place) => headAt(db, place)).sort((a, b) => (a.ver < b.ver ? -1 : 1))
}

/** Heads under a key within some identities, newest first. */
export const headsByKey = (db: Db, identities: readonly number[], key: string): readonly Head[] =>
  headsWithin(db, identities, sql`h.key = ${key}`).toReversed()

/** The head with a public id, when it stands under one of the identities. */
export const headById = (db: Db, identities: readonly number[], memoryId: string): Head | null =>
  headsWithin(db, identities, sql`h.memory_id = ${memoryId}`)[0] ?? null

/** Served heads whose statement has a canonical form, oldest first. */
export const headsByForm = (db: Db, identities: readonly number[], form: string): readonly Head[] =>
  headsWithin(db, identities, sql`h.form = ${formHash(form)}`).filter(
    ({ body }) => SERVED.includes(body.status) && canonicalForm(body.value) === form,
  )

/** Heads that stand as duplicates of a memory which had a canonical form, wherever they stand, oldest first. */
export const duplicatesOf = (db: Db, memoryId: string, form: string): readonly Head[] =>
  db
    .all<HeadPlace>(sql`select row, expires_at from heads where form = ${formHash(form)} and status = 'duplicate'`)
    .map((place) => headAt(db, place))
    .filter(({ body }) => body.duplicateOf === memoryId)
    .sort((a, b) => (a.ver < b.ver ? -1 : 1))
