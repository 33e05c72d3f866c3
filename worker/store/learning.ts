import type { BoundScope } from '../../src/domain/scope.js'
import type { LearningState, LearningTally } from '../../src/schema/learning.js'
import type { Db } from '../ports.js'
import { among, sql } from './sql.js'

/** A transcript that waits, or was learned from. */
export interface Transcript {
  readonly queue: string
  readonly identity: number
  readonly scope: BoundScope
  readonly state: LearningState
  readonly total: number
  readonly done: number
  readonly tally: LearningTally
  /** Who was named in what was read, as text. */
  readonly known: string
  readonly createdAt: number
  readonly updatedAt: number
}

interface TranscriptRow {
  readonly queue: string
  readonly identity: number
  readonly scope: string
  readonly state: LearningState
  readonly total: number
  readonly done: number
  readonly tally: string
  readonly known: string
  readonly created_at: number
  readonly updated_at: number
}

/** Transcripts that are done with and still told of. */
const MOST_KEPT = 50

const toTranscript = (row: TranscriptRow): Transcript => ({
  queue: row.queue,
  identity: row.identity,
  scope: JSON.parse(row.scope) as BoundScope,
  state: row.state,
  total: row.total,
  done: row.done,
  tally: JSON.parse(row.tally) as LearningTally,
  known: row.known,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

export const NOTHING_LEARNED: LearningTally = { written: 0, refused: 0, forgotten: 0 }

export const addTranscript = (
  db: Db,
  transcript: Pick<Transcript, 'queue' | 'identity' | 'scope' | 'createdAt'>,
  turns: readonly unknown[],
): void => {
  const { queue, identity, scope, createdAt } = transcript
  db.run(
    sql`insert into learning (queue, identity, scope, state, total, done, tally, known, created_at, updated_at)
      values (${queue}, ${identity}, ${JSON.stringify(scope)}, 'waiting', ${turns.length}, 0, ${JSON.stringify(NOTHING_LEARNED)}, '', ${createdAt}, ${createdAt})`,
  )
  turns.forEach((turn, n) => {
    db.run(sql`insert into learning_turns (queue, n, turn) values (${queue}, ${n}, ${JSON.stringify(turn)})`)
  })
}

/** The one that has waited longest, or null. */
export const nextTranscript = (db: Db): Transcript | null => {
  const row = db.get<TranscriptRow>(sql`select * from learning where state = 'waiting' order by created_at, queue limit 1`)
  return row === undefined ? null : toTranscript(row)
}

/** Turns of it that come next, each with its number. */
export const nextTurns = (db: Db, queue: string, limit: number): readonly { readonly n: number; readonly turn: string }[] =>
  db.all<{ n: number; turn: string }>(
    sql`select n, turn from learning_turns where queue = ${queue} order by n limit ${limit}`,
  )

/** Notes how far it is. Belongs into the transaction that wrote what was learned. */
export const noteLearned = (
  db: Db,
  { queue, total }: Transcript,
  step: { readonly done: number; readonly tally: LearningTally; readonly known: string; readonly nowMs: number },
): void => {
  const state: LearningState = step.done >= total ? 'done' : 'waiting'
  db.run(sql`delete from learning_turns where queue = ${queue} and n < ${step.done}`)
  db.run(
    sql`update learning set state = ${state}, done = ${step.done}, tally = ${JSON.stringify(step.tally)}, known = ${state === 'done' ? '' : step.known},
      updated_at = ${step.nowMs} where queue = ${queue} and state = 'waiting'`,
  )
  if (state === 'done') forgetOld(db)
}

/** Gives up what of it was not learned from yet. Answers whether there was anything. */
export const cancelTranscript = (db: Db, queue: string, nowMs: number): boolean => {
  const waiting = db.get(sql`select 1 from learning where queue = ${queue} and state = 'waiting'`) !== undefined
  db.run(sql`delete from learning_turns where queue = ${queue}`)
  db.run(
    sql`update learning set state = 'cancelled', known = '', updated_at = ${nowMs} where queue = ${queue} and state = 'waiting'`,
  )
  forgetOld(db)
  return waiting
}

export const transcriptOf = (db: Db, identities: readonly number[], queue: string): Transcript | null => {
  const row = db.get<TranscriptRow>(sql`select * from learning where queue = ${queue} and identity in ${among(identities)}`)
  return row === undefined ? null : toTranscript(row)
}

/** Those of some identities, the newest first. */
export const transcriptsOf = (db: Db, identities: readonly number[]): readonly Transcript[] =>
  db
    .all<TranscriptRow>(
      sql`select * from learning where identity in ${among(identities)} order by created_at desc, queue desc limit ${MOST_KEPT}`,
    )
    .map(toTranscript)

/** Turns that wait in some identities. */
export const pendingTurns = (db: Db, identities: readonly number[]): number =>
  db.get<{ pending: number | null }>(
    sql`select sum(total - done) as pending from learning where state = 'waiting' and identity in ${among(identities)}`,
  )?.pending ?? 0

export const isAnyoneWaiting = (db: Db): boolean => nextTranscript(db) !== null

const forgetOld = (db: Db): void => {
  db.run(
    sql`delete from learning where state <> 'waiting' and queue not in
      (select queue from learning where state <> 'waiting' order by updated_at desc, queue limit ${MOST_KEPT})`,
  )
}
