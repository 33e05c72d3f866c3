/** Derived tables of search: may be dropped and rebuilt from the versions at any time. Frozen once released. */
export const search: readonly string[] = [
  // What a memory is found by: the whole text of a short value, consecutive stretches of a long one. first, beyond: character
  // offsets in the text of the value. embedders: whose vectors it has, one bit each; embedder 1 is the lowest bit.
  `create table passages (
    passage integer primary key,
    memory integer not null,
    first integer not null,
    beyond integer not null,
    embedders integer not null
  ) strict`,
  'create index passages_by_memory on passages (memory)',

  // Words of key and passage; holds no text. rowid = passage. porter stems; marks are folded.
  `create virtual table lexicon using fts5(
    key_words, words,
    content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
  )`,

  // Vectors of different embedders are never compared. probe: what it made of a fixed text, float32, by which a changed model under
  // an unchanged id is noticed. calibration: how alike it finds texts that are and texts that are not, as JSON.
  `create table embedders (
    embedder integer primary key,
    embedder_id text not null unique,
    dims integer not null,
    probe blob not null,
    calibration text not null
  ) strict`,

  // Newest vectors, one per row, until enough of them fill a block. codes: int8, scale: what one step is worth.
  `create table vectors (
    embedder integer not null,
    passage integer not null,
    memory integer not null,
    identity integer not null,
    scale real not null,
    codes blob not null,
    primary key (embedder, passage)
  ) strict, without rowid`,

  // Older vectors in blocks, since 100,000 rows load twenty times slower one by one. first, last: lowest and highest passage.
  // Parallel arrays of int32 (passages, memories, identities), float32 (scales) and int8 (codes).
  `create table vector_blocks (
    block integer primary key,
    embedder integer not null,
    first integer not null,
    last integer not null,
    passages blob not null,
    memories blob not null,
    identities blob not null,
    scales blob not null,
    codes blob not null
  ) strict`,

  // One bit per slot of a block whose passage is gone.
  `create table vector_gaps (
    block integer primary key,
    slots blob not null
  ) strict`,
]
