import { unpackBody } from '../../src/domain/body.js'
import { idsNamedIn } from '../../src/domain/lineage.js'
import type { ErasureCounts } from '../../src/schema/erasing.js'
import type { Db, Sql } from '../ports.js'
import { among, sql } from './sql.js'

/** Which memories an erasure is about. */
export interface Doomed {
  readonly identities: readonly number[]
  readonly keyPrefix: string | null
  /** Epoch milliseconds, or null. */
  readonly before: number | null
}

const doomed = ({ identities, keyPrefix, before }: Doomed) =>
  sql`h.identity in ${among(identities)} and (${keyPrefix} is null or substr(h.key, 1, ${[...(keyPrefix ?? '')].length}) = ${keyPrefix})
    and (${before} is null or h.updated_at < ${before})`

/** How much there is of it. */
export const countDoomed = (db: Db, which: Doomed): Pick<ErasureCounts, 'memories' | 'versions' | 'passages'> =>
  db.get<Pick<ErasureCounts, 'memories' | 'versions' | 'passages'>>(
    sql`with doomed as (select h.memory from heads h where ${doomed(which)})
      select (select count(*) from doomed) as memories,
        (select count(*) from versions where memory in (select memory from doomed)) as versions,
        (select count(*) from passages where memory in (select memory from doomed)) as passages`,
  ) ?? { memories: 0, versions: 0, passages: 0 }

/** What reads and writes find memories by. */
const READ_FROM = ['head_tags', 'mentions', 'datings', 'heads'] as const

/** Takes memories out of every read and write at once, and answers them; what is left of them in the file goes step by step. */
export const doom = (
  db: Db,
  which: Doomed,
): readonly { readonly id: string; readonly key: string; readonly identity: number }[] => {
  const gone = db.all<{ id: string; key: string; identity: number }>(
    sql`select h.memory_id as id, h.key, h.identity from heads h where ${doomed(which)}`,
  )
  db.run(sql`insert into erasing (memory, memory_id) select h.memory, h.memory_id from heads h where ${doomed(which)}`)
  for (const table of READ_FROM)
    db.run({ text: `delete from ${table} where memory in (select memory from erasing)`, values: [] })
  return gone
}

/** Memories of which something is left. */
export const nextErasing = (db: Db, limit: number): readonly number[] =>
  db.all<{ memory: number }>(sql`select memory from erasing order by memory limit ${limit}`).map(({ memory }) => memory)

/** Which of some ids are those of memories that are being erased. */
export const erasedAmong = (db: Db, ids: readonly string[]): boolean =>
  ids.length > 0 && db.get(sql`select 1 from erasing where memory_id in ${among(ids)} limit 1`) !== undefined

/**
 * Memories with a version that names one that is being erased: of a page of the versions that name others at all, in the order of their
 * rows. The row that the page ends with, null when there are no more.
 */
export const linkingAfter = (
  db: Db,
  row: number,
  limit: number,
): { readonly memories: readonly number[]; readonly last: number | null } => {
  const rows = db.all<{ row: number; memory: number; body: string }>(
    sql`select row, memory, body from versions where row > ${row} and (instr(body, '"conflictWith":') > 0
      or instr(body, '"duplicateOf":') > 0 or instr(body, '"supersededBy":') > 0 or instr(body, '"sourceResourceId":') > 0)
      and memory not in (select memory from erasing) order by row limit ${limit}`,
  )
  const linking = rows.filter(({ body }) => {
    const { conflictWith, duplicateOf, supersededBy, sourceResourceId } = unpackBody(body)
    const named = [...conflictWith, duplicateOf, supersededBy, ...idsNamedIn(sourceResourceId)]
    return erasedAmong(
      db,
      named.filter((id) => id !== null),
    )
  })
  return { memories: [...new Set(linking.map(({ memory }) => memory))], last: rows.at(-1)?.row ?? null }
}

/** Rows that hold something of memories by their numbers or versions, each with how they are found, in the order in which they go. */
export const HELD_BY_MEMORY: { readonly [Table in string]: Sql } = {
  unjudged: sql`memory in (select memory from doomed)`,
  recalls: sql`memory in (select memory from doomed)`,
  leaving: sql`memory in (select memory from doomed)`,
  going_back: sql`memory in (select memory from doomed)`,
  usage: sql`memory in (select memory from doomed)`,
  belief_sources: sql`derived in (select memory from doomed) or source in (select memory from doomed)`,
  redactions: sql`row in (select v.row from versions v join doomed using (memory))`,
  reviews: sql`earlier_row in (select v.row from versions v join doomed using (memory))
    or later_row in (select v.row from versions v join doomed using (memory))`,
  versions: sql`memory in (select memory from doomed)`,
  erasing: sql`memory in (select memory from doomed)`,
}

/** Rows that stand under an identity, and go with it. */
export const HELD_BY_IDENTITY: { readonly [Table in string]: Sql } = {
  blacklist: sql`identity in (select memory from doomed)`,
  requests: sql`identity in (select memory from doomed)`,
  usage: sql`identity in (select memory from doomed)`,
  served_sentences: sql`identity in (select memory from doomed)`,
  offload_parts: sql`handle in (select handle from offloads where identity in (select memory from doomed))`,
  offloads: sql`identity in (select memory from doomed)`,
  leases: sql`identity in (select memory from doomed)`,
  learning_turns: sql`queue in (select queue from learning where identity in (select memory from doomed))`,
  learning: sql`identity in (select memory from doomed)`,
  identities: sql`identity in (select memory from doomed)`,
}

/** Tables that hold nothing of a memory once its rows in the others are gone, with what they hold. */
export const HOLDS_NOTHING: { readonly [Table in string]: string } = {
  meta: 'facts about the file',
  devices: 'counters',
  heads: 'taken out when an erasure begins',
  head_tags: 'taken out when an erasure begins',
  mentions: 'taken out when an erasure begins',
  datings: 'taken out when an erasure begins',
  passages: 'taken out of the search index',
  lexicon: 'taken out of the search index',
  vectors: 'taken out of the search index',
  vector_blocks: 'emptied where passages are gone',
  vector_gaps: 'places of passages that are gone',
  embedders: 'what embedders are like',
  audit: 'hashes, which are taken out, and who did what',
  namespaces: 'settings, which go with their namespace',
  erasures: 'receipts',
}

/** Deletes the rows that a table holds of memories, or of identities; answers how many there were. */
export const deleteHeld = (db: Db, table: string, held: Sql, numbers: readonly number[]): number => {
  const { text, values } = sql`(select value as memory from json_each(${JSON.stringify(numbers)}))`
  // A table's name is no value; these are ours.
  const counted = {
    text: `with doomed as ${text} delete from ${table} where ${held.text}`,
    values: [...values, ...held.values],
  }
  db.run(counted)
  return changed(db)
}

const changed = (db: Db): number => db.get<{ n: number }>(sql`select changes() as n`)?.n ?? 0

/** Takes out of the audit what could be guessed back: hashes of keys and values. */
export const blankAudit = (db: Db): number => {
  db.run(
    sql`update audit set key_hash = null, content_sha256 = null where memory_id in (select memory_id from erasing)
      and (key_hash is not null or content_sha256 is not null)`,
  )
  return changed(db)
}

/** Takes identities out of what stays: who acted under them is told by the kind of actor alone. */
export const blankIdentities = (db: Db, identities: readonly number[]): number => {
  db.run(
    sql`update audit set actor = substr(actor, 1, instr(actor, ':')) || 'erased', identity = null, key_hash = null, content_sha256 = null
      where identity in ${among(identities)}`,
  )
  const count = changed(db)
  db.run(sql`update versions set author = null where author in ${among(identities)}`)
  return count
}

/** Those of some identities that nothing names any more but their own row. */
export const unusedAmong = (db: Db, identities: readonly number[]): readonly number[] =>
  identities.filter(
    (identity) =>
      db.get(sql`select 1 from heads where identity = ${identity} limit 1`) === undefined &&
      db.get(sql`select 1 from versions where identity = ${identity} limit 1`) === undefined,
  )

/** Ids as the generator of ours writes them. */
const IDS = /[0-9A-HJKMNP-TV-Z]{26}/g

/** Forgets kept results that name a memory which is being erased. */
export const dropResultsOfErased = (db: Db): number => {
  const rows = db.all<{ identity: number; request: string; result: string }>(
    sql`select identity, request, result from requests`,
  )
  const naming = rows.filter(({ result }) => erasedAmong(db, [...new Set(result.match(IDS) ?? [])]))
  for (const { identity, request } of naming)
    db.run(sql`delete from requests where identity = ${identity} and request = ${request}`)
  return naming.length
}

export const dropSettings = (db: Db, { org, namespace }: { readonly org: string; readonly namespace: string }): number => {
  db.run(sql`delete from namespaces where org = ${org} and namespace = ${namespace}`)
  return changed(db)
}

/** Empties what blocks of vectors hold in the places of passages that are gone. */
export const emptyGaps = (db: Db): void => {
  const blocks = db.all<{ block: number }>(sql`select block from vector_gaps order by block`)
  for (const { block } of blocks) {
    const held = db.get<{ scales: Uint8Array; codes: Uint8Array; slots: Uint8Array }>(
      sql`select b.scales, b.codes, g.slots from vector_blocks b join vector_gaps g on g.block = b.block where b.block = ${block}`,
    )
    if (held === undefined) continue
    const scales = held.scales.slice()
    const codes = held.codes.slice()
    const count = scales.length / 4
    const width = codes.length / count
    for (let slot = 0; slot < count; slot++) {
      if ((((held.slots[slot >> 3] ?? 0) >> (slot & 7)) & 1) === 0) continue
      scales.fill(0, slot * 4, slot * 4 + 4)
      codes.fill(0, slot * width, (slot + 1) * width)
    }
    db.run(sql`update vector_blocks set scales = ${scales}, codes = ${codes} where block = ${block}`)
  }
}
