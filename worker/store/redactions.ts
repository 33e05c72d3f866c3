import { unpackBody } from '../../src/domain/body.js'
import type { Status, VersionBody } from '../../src/schema/records.js'
import type { Db } from '../ports.js'
import { among, sql } from './sql.js'

/** Who scrubs what when, and why. */
export interface Redaction {
  readonly at: number
  readonly actor: string
  readonly reason: string
}

/** A version that can be scrubbed. */
export interface Scrubbable {
  readonly row: number
  readonly memory: number
  readonly identity: number
  readonly ver: bigint
  readonly body: VersionBody
}

interface ScrubbableRow {
  row: number
  memory: number
  identity: number
  ver: number | bigint
  body: string
}

const toScrubbable = ({ ver, body, ...rest }: ScrubbableRow): Scrubbable => ({
  ...rest,
  ver: BigInt(ver),
  body: unpackBody(body),
})

/** A version under a key in some identities; its body is null once it was scrubbed. */
export const findVersion = (
  db: Db,
  identities: readonly number[],
  key: string,
  ver: bigint,
): { readonly memory: number; readonly identity: number; readonly body: string | null } | undefined =>
  db.get(
    sql`select v.memory, v.identity, v.body from heads h join versions v on v.memory = h.memory
      where h.identity in ${among(identities)} and h.key = ${key} and v.ver = ${ver}`,
  )

/** All versions of a memory that are whole, oldest first. */
export const wholeVersions = (db: Db, memory: number): readonly Scrubbable[] =>
  db
    .all<ScrubbableRow>(
      sql`select row, memory, identity, ver, body from versions where memory = ${memory} and body is not null order by ver`,
    )
    .map(toScrubbable)

/** Memories with a version whose body holds a text; for ids and hashes, which stand in no other way. */
export const memoriesHolding = (db: Db, text: string): readonly { readonly memory: number; readonly identity: number }[] =>
  db.all(sql`select distinct memory, identity from versions where instr(body, ${text}) > 0`)

/** Notes that a version was scrubbed, with what is left to tell of it. */
export const noteRedaction = (
  db: Db,
  row: number,
  { at, actor, reason, writtenAt, status }: Redaction & { readonly writtenAt: number; readonly status: Status },
): void => {
  db.run(
    sql`insert into redactions (row, at, actor, reason, written_at, status) values (${row}, ${at}, ${actor}, ${reason},
      ${writtenAt}, ${status})`,
  )
}

/** Takes the body of a version out for good, with the key of its commitment: what is left tells nothing of it. */
export const scrubVersion = (db: Db, { row, body }: Scrubbable, { at, actor, reason }: Redaction): void => {
  noteRedaction(db, row, { at, actor, reason, writtenAt: body.updatedAt, status: body.status })
  db.run(sql`update versions set body = null, salt = null where row = ${row}`)
}

/** Takes the hash of a value out of what was noted about its memory: that of a short value can be guessed. */
export const scrubAudit = (db: Db, memoryId: string, contentSha256: string): void => {
  db.run(sql`update audit set content_sha256 = null where memory_id = ${memoryId} and content_sha256 = ${contentSha256}`)
}

/** First results that name a memory or hold a hash, put through a function. */
export const scrubResults = (
  db: Db,
  memoryId: string,
  contentSha256: string,
  scrubbed: (result: unknown) => unknown,
): void => {
  const rows = db.all<{ identity: number; request: string; result: string }>(
    sql`select identity, request, result from requests
      where instr(result, ${memoryId}) > 0 or instr(result, ${contentSha256}) > 0`,
  )
  for (const { identity, request, result } of rows)
    db.run(
      sql`update requests set result = ${JSON.stringify(scrubbed(JSON.parse(result)))}
        where identity = ${identity} and request = ${request}`,
    )
}

/** Empties what blocks of vectors still hold of a memory's passages that are gone. */
export const scrubVectors = (db: Db, memory: number): void => {
  const blocks = db.all<{ block: number; memories: Uint8Array; scales: Uint8Array; codes: Uint8Array; slots: Uint8Array }>(
    sql`select b.block, b.memories, b.scales, b.codes, g.slots from vector_blocks b join vector_gaps g on g.block = b.block`,
  )
  for (const { block, memories, scales, codes, slots } of blocks) {
    const owners = new Int32Array(memories.slice().buffer)
    const width = codes.length / owners.length
    const emptied = { scales: scales.slice(), codes: codes.slice() }
    const gone = [...owners.keys()].filter((slot) => owners[slot] === memory && ((slots[slot >> 3] ?? 0) >> (slot & 7)) & 1)
    for (const slot of gone) {
      emptied.scales.fill(0, slot * 4, slot * 4 + 4)
      emptied.codes.fill(0, slot * width, (slot + 1) * width)
    }
    if (gone.length > 0)
      db.run(sql`update vector_blocks set scales = ${emptied.scales}, codes = ${emptied.codes} where block = ${block}`)
  }
}
