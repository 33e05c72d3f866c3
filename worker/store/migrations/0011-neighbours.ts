/** Neighbouring stores: what searches leave out has more types, and two tables for what is no version. Frozen once released. */
export const neighbours: readonly string[] = [
  'drop index heads_withheld',
  `create index heads_withheld on heads (memory)
    where status not in ('active', 'conflicted') or type in ('reflection', '~turn', '~digest')`,

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

  // Record table, of this device: blobs kept for a while. part: 0, 1, ... each of the same size but the last.
  `create table offloads (
    offload integer primary key,
    handle text not null unique,
    identity integer not null,
    media text not null,
    bytes integer not null,
    sha256 text not null,
    at integer not null,
    expires_at integer
  ) strict`,
  'create table offload_parts (offload integer not null, part integer not null, content blob not null, primary key (offload, part)) strict, without rowid',
]
