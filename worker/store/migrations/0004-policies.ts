/** What a namespace has settled, and what is still to be judged or was decided. Frozen once released. */
export const policies: readonly string[] = [
  // Record table, with row ids, since those are what can be read out of a damaged file. settings: JSON of what was registered; what it
  // leaves out is as the product decides.
  `create table namespaces (
    number integer primary key,
    org text not null,
    namespace text not null,
    settings text not null,
    actor text not null,
    updated_at integer not null,
    unique (org, namespace)
  ) strict`,

  // Derived: memories stored without being judged. Without it they stay as they are.
  `create table unjudged (memory integer primary key) strict`,

  // Derived: what was answered of two memories that contradict each other, by the versions that were compared: another text is asked
  // about anew.
  `create table reviews (
    earlier_row integer not null,
    later_row integer not null,
    decision text not null,
    primary key (earlier_row, later_row)
  ) strict, without rowid`,

  // How often a memory was found by a search, and when last. Counts what was answered, roughly: a store that is killed forgets the
  // last seconds.
  `create table recalls (
    memory integer primary key,
    times integer not null,
    last_at integer not null
  ) strict`,

  // Few rows, so that what is open is found without looking at all.
  "create index heads_conflicted on heads (memory) where status = 'conflicted'",
]
