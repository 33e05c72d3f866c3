/** Neighbouring stores: what searches leave out has more types, and a table for what is no version. Frozen once released. */
export const neighbours: readonly string[] = [
  'drop index heads_withheld',
  `create index heads_withheld on heads (memory, status, type)
    where status not in ('active', 'conflicted') or type in ('reflection', '~turn', '~digest', '~section')`,

  // Record table, of this device: who may work just now. token: rises with each grant, also after a release. holder: null when it was
  // given back. granted_at: clock of the leader, set back with it when it goes back. ttl_ms: how long from then.
  `create table leases (
    identity integer not null,
    name text not null,
    holder text,
    token integer not null,
    granted_at integer not null,
    ttl_ms integer not null,
    primary key (identity, name)
  ) strict, without rowid`,
]
