import type { Db, Sql } from '../ports.js'
import { among, join, sql } from './sql.js'

/** Passages that have the words of one expression, newest first, below a passage. One text from SQLite instead of a row each. */
export const passagesWithWord = (db: Db, expression: string, below: number, limit: number): readonly number[] =>
  JSON.parse(
    db.get<{ list: string }>(
      sql`select json_group_array(rowid) as list from
        (select rowid from lexicon where lexicon match ${expression} and rowid < ${below} order by rowid desc limit ${limit})`,
    )?.list ?? '[]',
  ) as readonly number[]

/** Where some passages stand. */
export const placesOf = (
  db: Db,
  passages: readonly number[],
): readonly { readonly passage: number; readonly memory: number; readonly identity: number }[] =>
  db.all(
    sql`select p.passage, p.memory, h.identity from passages p cross join heads h on h.memory = p.memory where p.passage in ${among(passages)}`,
  )

/** Passages of some memories. */
export const passagesAmong = (
  db: Db,
  memories: readonly number[],
): readonly { readonly passage: number; readonly memory: number; readonly length: number }[] =>
  db.all(sql`select passage, memory, beyond - first as length from passages where memory in ${among(memories)}`)

/** How many memories some identities have, whatever their status. */
export const countOf = (db: Db, identities: readonly number[]): number =>
  db.get<{ n: number }>(sql`select count(*) as n from heads where identity in ${among(identities)}`)?.n ?? 0

/**
 * Names that begin with a word and that memories have which a condition on `heads h` lets through. A few: each is one look into the index,
 * however often it is named.
 */
export const namesFrom = (db: Db, word: string, condition: Sql, most: number): readonly string[] => {
  const names: string[] = []
  const beyond = `${word}\u{10ffff}`
  const next = (from: Sql) =>
    db.get<{ name: string }>(
      sql`select m.name from mentions m cross join heads h on h.memory = m.memory
        where ${from} and m.name < ${beyond} and ${condition} order by m.name limit 1`,
    )?.name
  for (let name = next(sql`m.name >= ${word}`); name !== undefined; name = next(sql`m.name > ${name}`)) {
    names.push(name)
    if (names.length === most) break
  }
  return names
}

/** Memories that are about one of some names, newest first, of those only that a condition on `heads h` lets through. */
export const memoriesAbout = (db: Db, names: readonly string[], condition: Sql, limit: number): readonly number[] =>
  // Without a name the planner would begin with the heads, all of them.
  names.length === 0
    ? []
    : db
        .all<{ memory: number }>(
          sql`select distinct m.memory from mentions m cross join heads h on h.memory = m.memory
        where m.name in ${among(names)} and m.role = 0 and ${condition} order by m.memory desc limit ${limit}`,
        )
        .map(({ memory }) => memory)

/**
 * Whom and what memories about some names name beside them, with the memory that does: objects of relations (role 2) and entities of the text (role 1). Those of
 * memories only that a condition on `heads h` lets through, newest first.
 */
export const namedBeside = (
  db: Db,
  names: readonly string[],
  condition: Sql,
  limit: number,
): readonly { readonly from: string; readonly to: string; readonly role: number; readonly memory: number }[] =>
  names.length === 0
    ? []
    : db.all(
        sql`select m.name as "from", o.name as "to", o.role, m.memory from mentions m cross join heads h on h.memory = m.memory
          cross join mentions o on o.memory = m.memory
          where m.name in ${among(names)} and m.role = 0 and o.role > 0 and o.name not in ${among(names)} and ${condition}
          order by m.memory desc limit ${limit}`,
      )

/** Names of some memories. */
export const mentionsAmong = (
  db: Db,
  memories: readonly number[],
): readonly { readonly memory: number; readonly name: string; readonly role: number }[] =>
  db.all(sql`select memory, name, role from mentions where memory in ${among(memories)}`)

/** Memories about a time, newest first. */
export const memoriesDated = (db: Db, from: number, to: number, condition: Sql, limit: number): readonly number[] =>
  db
    .all<{ memory: number }>(
      sql`select d.memory from datings d cross join heads h on h.memory = d.memory
        where d.at >= ${from} and d.at < ${to} and ${condition} order by d.at desc limit ${limit}`,
    )
    .map(({ memory }) => memory)

/** What the order of an answer asks of a memory, beside what it says. */
export interface Fact {
  readonly memory: number
  readonly identity: number
  readonly key: string
  readonly type: string
  readonly source_class: string
  readonly confidence: number
  /** Epoch milliseconds: what it is about, else when it was written. */
  readonly at: number
  readonly dated: number | null
}

/** Those of some memories that identities, filter and clock let through. */
export const factsAmong = (db: Db, memories: readonly number[], condition: Sql): readonly Fact[] =>
  db.all(
    sql`select h.memory, h.identity, h.key, h.type, h.source_class, h.confidence, coalesce(d.at, h.updated_at) as at, d.at as dated
      from heads h not indexed left join datings d on d.memory = h.memory
      where h.memory in ${among(memories)} and ${condition}`,
  )

/** That a memory names all of some entities and has to do with all of some files; undefined where none are asked for. */
export const namingCondition = (entities: readonly string[], files: readonly string[]): Sql | undefined => {
  const conditions = [
    ...entities.map((name) => sql`exists (select 1 from mentions m where m.memory = h.memory and m.name = ${name})`),
    ...files.map(
      (file) =>
        sql`exists (select 1 from versions v, json_each(v.body, '$.files') f where v.row = h.row and f.value = ${file})`,
    ),
  ]
  return conditions.length === 0 ? undefined : join(conditions, ' and ')
}

/** That a memory is a stretch of something longer, or a digest, as far as these are wanted; undefined where neither is. */
export const sourceCondition = (sources: { readonly chunk: boolean; readonly digest: boolean }): Sql | undefined => {
  const conditions = [
    ...(sources.chunk ? [sql`h.type = '~section' or (select count(*) from passages p where p.memory = h.memory) > 1`] : []),
    ...(sources.digest ? [sql`h.type = '~digest'`] : []),
  ]
  return conditions.length === 0 ? undefined : sql`(${join(conditions, ' or ')})`
}

/** Those of some memories that have one of some tags. */
export const taggedAmong = (db: Db, memories: readonly number[], tags: readonly string[]): ReadonlySet<number> =>
  new Set(
    tags.length === 0
      ? []
      : db
          .all<{ memory: number }>(
            sql`select distinct memory from head_tags where memory in ${among(memories)} and tag in ${among(tags)}`,
          )
          .map(({ memory }) => memory),
  )
