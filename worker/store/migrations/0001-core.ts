/**
 * Record tables: never dropped, their loss is data loss. Derived tables (heads, tags) can be rebuilt from them.
 *
 * Frozen once released: a later change is a later migration.
 */
export const core: readonly string[] = [
  // Facts about this file. term: raised by each worker that opens it. device: the device that writes now. clean: 1 after a
  // proper close. audit_salt: keys the hashes of the audit rows.
  'create table meta (name text primary key, value any) strict, without rowid',

  // dev: short local number of a device. device_id: 16 hexadecimal digits of chance. last_dseq: its gapless row counter.
  // last_ver: highest version it has given.
  `create table devices (
    dev integer primary key,
    device_id text not null unique,
    last_dseq integer not null,
    last_ver integer not null
  ) strict`,

  // One row per identity that ever wrote. Levels are stored as '' for unset, '~' for anonymous and '=' before a caller's id, so
  // that no caller's id can mean either.
  `create table identities (
    identity integer primary key,
    org text not null,
    namespace text not null,
    agent text not null,
    user text not null,
    session text not null,
    unique (org, namespace, user, session, agent)
  ) strict`,

  // The truth: append-only. dev, dseq: identity of the row on every device; row holds both, so that the table needs no second tree. ver: nanoseconds, only
  // rises. kind: set, tomb or restore. memory: local number of the memory, memory_id: its public name. parents: JSON list of the
  // row ids it was written on top of. human: 1 when a person wrote it. seq: the sync server's number, null until it has one.
  // body: canonical JSON of everything else, null once redacted. salt, commitment: keyed hash of the body. prev_sha256, sha256:
  // the memory's hash chain.
  `create table versions (
    row integer primary key,
    dev integer not null references devices (dev),
    dseq integer not null,
    ver integer not null,
    kind text not null,
    memory integer not null,
    memory_id text not null,
    identity integer not null references identities (identity),
    parents text not null,
    human integer not null,
    seq integer,
    body text,
    salt blob,
    commitment text not null,
    prev_sha256 text,
    sha256 text not null,
    check (row = dev * 4294967296 + dseq)
  ) strict`,
  'create index versions_by_memory on versions (memory, ver)',

  // Derived: the newest version of each memory, with the columns that reads filter on. sensitive: 1 when it is read by key only.
  // form: number under which statements in the same words meet.
  `create table heads (
    memory integer primary key,
    memory_id text not null unique,
    identity integer not null,
    key text not null,
    row integer not null,
    ver integer not null,
    status text not null,
    type text not null,
    searchable integer not null,
    sensitive integer not null,
    source_class text not null,
    confidence real not null,
    form integer not null,
    updated_at integer not null,
    valid_to integer,
    expires_at integer
  ) strict`,
  'create index heads_by_key on heads (identity, key)',
  'create index heads_by_time on heads (identity, updated_at, memory)',
  'create index heads_by_form on heads (form, identity)',
  // What searches without filters leave out: few rows, so that opening need not look at all of them.
  "create index heads_withheld on heads (memory) where status not in ('active', 'conflicted') or type = 'reflection'",
  'create index heads_ending on heads (memory) where valid_to is not null or expires_at is not null',

  // Derived: folded is the tag in lower case, for reads that compare in any case.
  `create table head_tags (
    memory integer not null,
    tag text not null,
    folded text not null,
    primary key (memory, tag)
  ) strict, without rowid`,

  // Who did what when, by hashes only. outcome: ok or the code of the refusal.
  `create table audit (
    entry integer primary key,
    at integer not null,
    actor text not null,
    identity integer,
    action text not null,
    memory_id text,
    key_hash text,
    content_sha256 text,
    outcome text not null
  ) strict`,

  // First results of writes that may be repeated: named by the caller, or sent on by another tab. identity: 0 for the latter.
  `create table requests (
    identity integer not null,
    request text not null,
    result text not null,
    at integer not null,
    primary key (identity, request)
  ) strict, without rowid`,
  'create index requests_by_time on requests (at)',
]
