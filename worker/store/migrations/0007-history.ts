/** Who wrote what in one go, what was scrubbed, and what is being brought back. Frozen once released. */
export const history: readonly string[] = [
  // Of this file alone, null for what was written before or elsewhere. act: row of the first version of the write it belongs to; all
  // transactions of a bulk write share it. author: identity of the handle that wrote, null for background work. run, origin: as that
  // write gave them, while those of a body are carried forward by others.
  'alter table versions add column act integer',
  'alter table versions add column author integer',
  'alter table versions add column run text',
  'alter table versions add column origin text',

  // Record table: versions whose body was taken out. at, actor, reason: of the redaction. written_at, status: of the version.
  `create table redactions (
    row integer primary key,
    at integer not null,
    actor text not null,
    reason text not null,
    written_at integer not null,
    status text not null
  ) strict`,

  // What a rollback or an undo has still to do; empty but for one that goes in steps. turn: 0 gives its key up, 1 may take one.
  // target: row it returns to, null when it did not exist. head: its newest row when that was decided.
  `create table going_back (
    memory integer primary key,
    turn integer not null,
    target integer,
    head integer not null,
    done integer not null
  ) strict`,
]
