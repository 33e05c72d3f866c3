/** Record table of the guards, with row ids, since those are what can be read out of a damaged file. Frozen once released. */
export const blacklist: readonly string[] = [
  // What must not be written. rule: public id. identity: the scope it was made in; it holds there and in narrower ones. pattern_type:
  // substring or regex. timed_out_at: when it last ran out of its time, or null.
  `create table blacklist (
    rule text primary key,
    identity integer not null,
    pattern text not null,
    pattern_type text not null,
    reason text,
    actor text not null,
    created_at integer not null,
    timed_out_at integer
  ) strict`,
  'create index blacklist_by_identity on blacklist (identity)',
]
