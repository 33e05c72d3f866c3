import { textOf } from '../../src/domain/canonical.js'
import { indexText } from '../../src/domain/lexical.js'
import { isSearchable } from '../../src/domain/memory-type.js'
import { type Passage, passagesOf } from '../../src/domain/passage.js'
import type { Db } from '../ports.js'
import { isOffered } from './resident.js'
import { sql } from './sql.js'
import type { Store } from './store.js'
import type { PackedVector } from './vector-matrix.js'
import { deleteVectors, insertVector, sealBlocks } from './vectors.js'
import type { Head } from './versions.js'

/** Single vectors are looked over for sealing once in so many passages. */
const SEAL_EVERY = 256

/**
 * Puts a head into the search index, where nothing of its memory stands (any more): passages, words and, when given, one vector per passage. Answers
 * how many passages it has. Without vectors the words alone find it, until the background adds them.
 */
export const indexHead = (store: Store, head: Head, vectors: readonly PackedVector[] | null): number => {
  const { db, resident } = store
  const { body } = head
  resident.offer(head.memory, isOffered(body.status, body.type))
  if (!isSearchable(body.type, body.sensitivity) || body.status === 'tombstoned' || body.status === 'rejected') return 0
  const text = textOf(body.value)
  const passages = passagesOf(text)
  passages.forEach((passage, i) => {
    const number = ++store.counters.passage
    const vector = vectors?.[i]
    insertPassage(db, number, head, text, passage, vector === undefined ? 0 : store.embedder.number)
    if (vector === undefined) return
    insertVector(db, store.embedder.number, { passage: number, memory: head.memory, identity: head.identity }, vector)
    resident.matrix.append(number, head.memory, head.identity, vector)
    if (number % SEAL_EVERY === 0) sealBlocks(db, store.embedder.number)
  })
  return passages.length
}

/** Notes that a head changed in what it is offered for, while its text stayed. */
export const refreshOffer = (store: Store, head: Head): void =>
  store.resident.offer(head.memory, isOffered(head.body.status, head.body.type))

const insertPassage = (db: Db, number: number, head: Head, text: string, passage: Passage, embedder: number): void => {
  db.run(
    sql`insert into passages (passage, memory, first, beyond, embedder) values (${number}, ${head.memory}, ${passage.start},
      ${passage.end}, ${embedder})`,
  )
  db.run(
    sql`insert into lexicon (rowid, key_words, words) values (${number}, ${indexText(head.body.key)},
      ${indexText(text.slice(passage.start, passage.end))})`,
  )
}

/** Takes a memory out of every search structure. */
export const unindexMemory = (store: Store, memory: number): void => {
  const { db, resident } = store
  const passages = db
    .all<{ passage: number }>(sql`select passage from passages where memory = ${memory}`)
    .map(({ passage }) => passage)
  if (passages.length === 0) return
  for (const passage of passages) {
    db.run(sql`delete from lexicon where rowid = ${passage}`)
    resident.matrix.kill(passage)
  }
  db.run(sql`delete from passages where memory = ${memory}`)
  deleteVectors(db, passages)
}
