/** What was erased, and what is still to be. Frozen once released. */
export const erasures: readonly string[] = [
  // Record table. ver: what began up to here is gone and does not come back. levels, target: which levels of an identity it was about, and a
  // salted hash of them, since a name may be what was to be forgotten. room: the same of org and namespace alone. prefix, prefix_length: the same of a beginning of keys, and how many
  // characters it has. pending: what an erasure needs that has not ended, null once it has. receipt: what was found, as JSON.
  `create table erasures (
    erasure text primary key,
    at integer not null,
    ver integer not null,
    kind text not null,
    actor text not null,
    reason text,
    salt text not null,
    room text not null,
    levels text not null,
    target text not null,
    prefix text,
    prefix_length integer,
    pending text,
    receipt text not null
  ) strict`,

  // Memories that are gone for every read and write, and of which some is still in the file.
  `create table erasing (
    memory integer primary key,
    memory_id text not null unique
  ) strict`,
]
