/** Derived tables of search: may be dropped and rebuilt from the versions at any time. Frozen once released. */
export const mentions: readonly string[] = [
  // Who and what a memory names in its entities and relations, in lower case. role: 0 it is about that one, 1 it names it, 2 it is the
  // object of a relation.
  `create table mentions (
    name text not null,
    memory integer not null,
    role integer not null,
    primary key (name, memory)
  ) strict, without rowid`,
  'create index mentions_by_memory on mentions (memory)',

  // The time a memory is about, where one was given. at: epoch milliseconds.
  `create table datings (
    memory integer primary key,
    at integer not null
  ) strict`,
  'create index datings_by_time on datings (at)',

  `insert or ignore into mentions (name, memory, role)
    select lower(trim(e.value)), h.memory, 0 from heads h join versions v on v.row = h.row, json_each(v.body, '$.entities') e
    where h.status not in ('tombstoned', 'rejected')`,
  `insert into datings (memory, at)
    select h.memory, coalesce(v.body ->> '$.temporalAnchor', v.body ->> '$.validAt') from heads h join versions v on v.row = h.row
    where h.status not in ('tombstoned', 'rejected') and coalesce(v.body ->> '$.temporalAnchor', v.body ->> '$.validAt') is not null`,
]
