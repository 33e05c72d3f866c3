import { textOf } from '../../src/domain/canonical.js'
import { indexText } from '../../src/domain/lexical.js'
import { isSearchable } from '../../src/domain/memory-type.js'
import { wordsAround } from '../../src/domain/neighbours/room.js'
import { type Passage, passagesOf } from '../../src/domain/passage.js'
import type { Db } from '../ports.js'
import { bitOf, numbersIn } from './embedders.js'
import { type BarePassage, isBare, markEmbedded } from './passages.js'
import { isOffered, isWeighed } from './resident.js'
import { sql } from './sql.js'
import type { Store } from './store.js'
import type { PackedVector } from './vector-matrix.js'
import { deleteVector, insertVector, sealBlocks } from './vectors.js'
import type { Head } from './versions.js'

/** Single vectors are looked over for sealing once in so many passages. */
const SEAL_EVERY = 256

/** What one embedder made of the passages of a text: one vector each, in order. */
export interface PassageVectors {
  readonly embedder: number
  readonly packed: readonly PackedVector[]
}

/**
 * Puts a head into the search index, where nothing of its memory stands (any more): passages, words and, per embedder that is given,
 * one vector per passage. Answers how many passages it has. Without vectors the words alone find it, until the background adds them.
 */
export const indexHead = (store: Store, head: Head, vectors: readonly PassageVectors[]): number => {
  const { db } = store
  const { body } = head
  refreshOffer(store, head)
  if (!isSearchable(body.type, body.sensitivity) || body.status === 'tombstoned' || body.status === 'rejected') return 0
  const text = textOf(body.value)
  const passages = passagesOf(text)
  passages.forEach((passage, i) => {
    const number = ++store.counters.passage
    const made = vectors.filter(({ packed }) => packed[i] !== undefined)
    const bits = made.reduce((sum, { embedder }) => sum + bitOf(embedder), 0)
    insertPassage(db, number, head, text, passage, bits)
    for (const { embedder, packed } of made)
      putVector(
        store,
        embedder,
        { passage: number, memory: head.memory, identity: head.identity },
        packed[i] as PackedVector,
      )
  })
  return passages.length
}

/** Gives a passage its vector, unless it has gone meanwhile or has one. */
export const addVector = (
  store: Store,
  embedder: number,
  { passage, memory }: BarePassage,
  identity: number,
  vector: PackedVector,
): void => {
  if (!isBare(store.db, embedder, passage)) return
  markEmbedded(store.db, embedder, passage)
  putVector(store, embedder, { passage, memory, identity }, vector)
}

const putVector = (
  store: Store,
  embedder: number,
  row: { readonly passage: number; readonly memory: number; readonly identity: number },
  vector: PackedVector,
): void => {
  insertVector(store.db, embedder, row, vector)
  if (embedder === store.embedder.number) store.resident.matrix.append(row.passage, row.memory, row.identity, vector)
  if (row.passage % SEAL_EVERY === 0) sealBlocks(store.db, embedder)
}

/** Notes that a head changed in what it is offered for, while its text stayed. */
export const refreshOffer = (store: Store, head: Head): void =>
  store.resident.offer(head.memory, isOffered(head.body.status, head.body.type), isWeighed(head.body.type))

const insertPassage = (db: Db, number: number, head: Head, text: string, passage: Passage, embedders: number): void => {
  db.run(
    sql`insert into passages (passage, memory, first, beyond, embedders) values (${number}, ${head.memory}, ${passage.start},
      ${passage.end}, ${embedders})`,
  )
  db.run(
    sql`insert into lexicon (rowid, key_words, words) values (${number}, ${indexText(wordsAround(head.body))},
      ${indexText(text.slice(passage.start, passage.end))})`,
  )
}

/** Takes a memory out of every search structure. */
export const unindexMemory = (store: Store, memory: number): void => {
  const { db, resident } = store
  const passages = db.all<{ passage: number; embedders: number }>(
    sql`select passage, embedders from passages where memory = ${memory}`,
  )
  if (passages.length === 0) return
  for (const { passage, embedders } of passages) {
    db.run(sql`delete from lexicon where rowid = ${passage}`)
    resident.matrix.kill(passage)
    for (const embedder of numbersIn(embedders)) deleteVector(db, embedder, passage)
  }
  db.run(sql`delete from passages where memory = ${memory}`)
}
