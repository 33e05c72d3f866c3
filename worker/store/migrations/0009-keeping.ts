/** What leaves service when. All of it is derived, and kept by the database itself, so that no write can forget it. Frozen once released. */
export const keeping: readonly string[] = [
  // Windows that namespaces have registered: tag is null for one over all memories, fate what becomes of a memory at its end.
  `create view windows as
    select org, namespace, null as tag, settings ->> '$.retention.ttlSeconds' * 1000 as ms,
      coalesce(settings ->> '$.retention.onExpire', 'hide') as fate
      from namespaces where settings ->> '$.retention.ttlSeconds' is not null
    union all select n.org, n.namespace, t.key, t.value ->> '$.retention.ttlSeconds' * 1000,
      coalesce(t.value ->> '$.retention.onExpire', 'hide')
      from namespaces n, json_each(n.settings, '$.tagRegistry') t where t.value ->> '$.retention.ttlSeconds' is not null`,

  // Ends by windows, counted from the newest version. What is pinned stays.
  `create view window_ends as
    select h.memory, h.identity, h.updated_at + w.ms as at, w.fate from heads h
      join identities i on i.identity = h.identity
      join windows w on i.org = '=' || w.org and i.namespace = '=' || w.namespace
      where (w.tag is null or exists (select 1 from head_tags t where t.memory = h.memory and t.tag = w.tag))
        and not exists (select 1 from versions v where v.row = h.row and v.body ->> '$.pinned')`,

  // In order of the ends, since under a window all memories have one.
  'drop index heads_ending',
  'create index heads_by_valid_to on heads (valid_to, identity) where valid_to is not null',
  'create index heads_by_expires_at on heads (expires_at, identity) where expires_at is not null',

  // Memories that hold their key and have an end: at, until it was dealt with.
  'create table leaving (memory integer primary key, at integer not null) strict',
  'create index leaving_by_time on leaving (at)',

  ...['insert on heads', 'update of updated_at on heads', 'insert on head_tags'].map(
    (event, i) => `create trigger window_${i} after ${event} when exists (select 1 from windows) begin
      update heads set expires_at = min(coalesce(expires_at, least), least)
        from (select min(at) as least from window_ends where memory = new.memory)
        where memory = new.memory and least is not null;
    end`,
  ),

  // The row is read again, since a window may have shortened it by now.
  ...['insert', 'update of expires_at'].map(
    (event, i) => `create trigger leaving_${i} after ${event} on heads
      when coalesce(new.valid_to, new.expires_at${i === 0 ? '' : ', old.valid_to, old.expires_at'}) is not null begin
      delete from leaving where memory = new.memory;
      insert into leaving select memory, min(coalesce(valid_to, expires_at), coalesce(expires_at, valid_to)) from heads
        where memory = new.memory and coalesce(valid_to, expires_at) is not null
          and status in ('active', 'conflicted', 'duplicate', 'proposed');
    end`,
  ),
  `insert into leaving select memory, min(coalesce(valid_to, expires_at), coalesce(expires_at, valid_to)) from heads
    where coalesce(valid_to, expires_at) is not null and status in ('active', 'conflicted', 'duplicate', 'proposed')`,

  // Record table, with row ids, since those are what can be read out of a damaged file. What consolidated memories were made of: hashes of both as they were then. What such a memory stands on is looked at again, at once,
  // when one of its sources changes or goes.
  `create table belief_sources (
    number integer primary key,
    derived integer not null,
    source integer not null,
    source_sha256 text not null,
    derived_sha256 text not null,
    unique (derived, source)
  ) strict`,
  'create index belief_sources_by_source on belief_sources (source)',
  ...['update of row', 'delete'].map(
    (event, i) => `create trigger believed_${i} after ${event} on heads
      when exists (select 1 from belief_sources where source = old.memory) begin
      insert or replace into leaving select derived, 0 from belief_sources where source = old.memory;
    end`,
  ),
  `create trigger leaving_2 after delete on heads begin
    delete from leaving where memory = old.memory;
  end`,

  // Hashes of sentences that were handed out, by whom they were handed to, so that they are not learned as something new.
  `create table served_sentences (
    identity integer not null,
    hash integer not null,
    at integer not null,
    primary key (identity, hash)
  ) strict, without rowid`,
  'create index served_sentences_by_time on served_sentences (identity, at)',

  // Other windows: each memory of the namespace ends by its own word again, or by what holds now.
  ...[
    ['insert', "coalesce(new.settings ->> '$.retention', new.settings ->> '$.tagRegistry') is not null"],
    [
      'update of settings',
      `old.settings ->> '$.retention' is not new.settings ->> '$.retention'
        or old.settings ->> '$.tagRegistry' is not new.settings ->> '$.tagRegistry'`,
    ],
  ].map(
    ([event, when], i) => `create trigger windows_${i} after ${event} on namespaces when ${when} begin
      update heads set expires_at = (select v.body ->> '$.expiresAt' from versions v where v.row = heads.row)
        where expires_at is not null and identity in
          (select identity from identities where org = '=' || new.org and namespace = '=' || new.namespace);
      update heads set expires_at = min(coalesce(expires_at, least), least)
        from (select memory as ending, min(at) as least from window_ends where identity in
          (select identity from identities where org = '=' || new.org and namespace = '=' || new.namespace) group by memory)
        where memory = ending;
    end`,
  ),
]
