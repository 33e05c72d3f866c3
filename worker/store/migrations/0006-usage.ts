/** Record table, with row ids, since those are what can be read out of a damaged file. Frozen once released. */
export const usage: readonly string[] = [
  // What came of runs that used a memory, by who tells: identity is that of the handle, so that one user's outcomes move no other's
  // search. helped, harmed: sums that decay, as of at. uses: runs in all.
  `create table usage (
    number integer primary key,
    memory integer not null,
    identity integer not null,
    helped real not null,
    harmed real not null,
    uses integer not null,
    at integer not null,
    unique (memory, identity)
  ) strict`,
]
