/** Transcripts that wait to be learned from. Frozen once released. */
export const learning: readonly string[] = [
  // Record table. scope: of the handle that brought it. state: waiting, done or cancelled. done: turns that were learned from, in the same
  // transaction as what was learned. known: who was named so far.
  `create table learning (
    queue text primary key,
    identity integer not null,
    scope text not null,
    state text not null,
    total integer not null,
    done integer not null,
    tally text not null,
    known text not null,
    created_at integer not null,
    updated_at integer not null
  ) strict`,
  "create index learning_waiting on learning (created_at) where state = 'waiting'",

  // Its turns; each goes once it was learned from.
  `create table learning_turns (
    queue text not null,
    n integer not null,
    turn text not null,
    primary key (queue, n)
  ) strict, without rowid`,
]
