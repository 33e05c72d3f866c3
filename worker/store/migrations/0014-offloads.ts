/** Texts that were put aside for a while. Frozen once released. */
export const offloads: readonly string[] = [
  // What a prompt has no room for: no memory, so that it has no versions, goes into no archive, and is deleted when its time is over.
  `create table offloads (
    handle text primary key,
    identity integer not null,
    title text,
    characters integer not null,
    ends_at integer not null
  ) strict`,
  'create index offloads_ending on offloads (ends_at)',

  // Its text in order, cut so that a range needs only the parts it touches.
  `create table offload_parts (
    handle text not null,
    start integer not null,
    text text not null,
    primary key (handle, start)
  ) strict, without rowid`,
]
