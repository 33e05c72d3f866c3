import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { checkRow } from '../../rows/check-row.js'
import { ensureAccount, readAccount } from '../../store/accounts.js'
import { pageAfter } from '../../store/pages.js'
import { openPostgres } from '../../store/postgres.js'
import { push } from '../../store/push.js'
import type { Db, Statement, Steps } from '../../store/steps.js'
import { newDevice, rowsOf } from './rows.js'

// Whether a reader that polls beside many writers sees every row. Writers stall between taking a place and committing, and
// roll back now and then; that is where places that are not handed out in the order of commits get lost.

const WRITERS = 16
/** Processes that write to one database; within one, writers of an account take turns. */
const PROCESSES = 4
const MAX_STALL_S = 0.01
const ROLLED_BACK = 0.05

export interface Hunt {
  readonly written: number
  readonly missed: number
  /** Pushes that stalled or were rolled back on the way. */
  readonly disturbed: number
}

export interface HuntOptions {
  readonly url: string
  readonly rows: number
  readonly accounts: number
  readonly rowsPerPush: number
  /** Share of pushes that stall under the lock. */
  readonly stalled: number
}

/** Lets the statement that moves the counter take its time before it ends, or fail. */
const disturbed = (statement: Statement, stalled: number, noted: () => void): Statement => {
  if (!statement.sql.includes('WITH moved AS')) return statement
  const chance = Math.random()
  const end = 'SELECT next_seq FROM moved'
  const after =
    chance < ROLLED_BACK
      ? 'SELECT next_seq / 0 AS next_seq FROM moved'
      : chance < ROLLED_BACK + stalled
        ? `SELECT next_seq FROM moved, pg_sleep(random() * ${MAX_STALL_S})`
        : end
  const sql = statement.sql.replace(new RegExp(`${end}$`), after)
  if (sql !== statement.sql) noted()
  return { ...statement, sql }
}

const disturbing = (db: Db, stalled: number, noted: () => void): Db => {
  const through = <T>(steps: () => Steps<T>) =>
    function* (): Steps<T> {
      const inner = steps()
      let step = inner.next([])
      while (!step.done) step = inner.next(yield disturbed(step.value, stalled, noted))
      return step.value
    }
  return { ...db, write: (account, steps) => db.write(account, through(steps)) }
}

/** Rows of several accounts, each read by one reader from its last place on. */
export const huntGaps = async ({ url, rows, accounts, rowsPerPush, stalled }: HuntOptions): Promise<Hunt> => {
  const dbs = await Promise.all(Array.from({ length: PROCESSES }, () => openPostgres(url, 5)))
  const [reader] = dbs as [Db]
  const names = Array.from({ length: accounts }, () => `hunt-${newDevice()}`)
  for (const name of names) await reader.write(name, () => ensureAccount(name, 1e12))
  let [written, disturbances, isWriting] = [0, 0, true]

  const write = async (writer: number) => {
    const db = disturbing(dbs[writer % PROCESSES] as Db, stalled, () => disturbances++)
    const account = names[writer % accounts] as string
    const dev = newDevice()
    for (let sent = 0; sent < rows / WRITERS; ) {
      const batch = rowsOf(rowsPerPush, () => ({ body: 'x'.repeat(100) }), dev, sent + 1).map(checkRow)
      try {
        await push(db, account, dev, batch, { nowMs: Date.now(), namespaces: null })
        sent += batch.length
        written += batch.length
      } catch (error) {
        // What was rolled back is pushed again.
        if ((error as { code?: string }).code !== '22012') throw error
      }
    }
  }
  const readOn = async (account: string): Promise<number> => {
    let [cursor, seen] = [0, 0]
    for (let isLast = false; ; ) {
      const standing = await reader.read(() => readAccount(account))
      const page = await reader.read(() => pageAfter(standing, cursor, { limit: 1_000, namespaces: null }))
      cursor = page.last
      seen += page.rows.length
      if (page.rows.length > 0) continue
      if (isLast) return seen
      isLast = !isWriting
      await sleep(1)
    }
  }
  const reading = Promise.all(names.map(readOn))
  await Promise.all(Array.from({ length: WRITERS }, (_, i) => write(i)))
  isWriting = false
  const seen = (await reading).reduce((sum, count) => sum + count, 0)
  await Promise.all(dbs.map((db) => db.close()))
  return { written, missed: written - seen, disturbed: disturbances }
}

/** The same with places from a sequence, which are handed out before the commit: the hunt must find what this loses. */
export const huntGapsOfSequence = async (url: string, rows: number): Promise<Hunt> => {
  const pool = new pg.Pool({ connectionString: url, max: WRITERS + 1 })
  // Connections that are still closing hear of the end of a server that stops right after.
  pool.on('error', () => undefined)
  const table = `hunted_${newDevice()}`
  await pool.query(`CREATE TABLE ${table} (seq bigserial PRIMARY KEY, body text NOT NULL)`)
  let [written, isWriting] = [0, true]
  const write = async () => {
    for (let sent = 0; sent < rows / WRITERS; ) {
      const client = await pool.connect()
      await client.query('BEGIN')
      await client.query(`INSERT INTO ${table} (body) SELECT 'x' FROM generate_series(1, 10)`)
      await sleep(Math.random() * MAX_STALL_S * 1_000)
      const isKept = Math.random() >= ROLLED_BACK
      await client.query(isKept ? 'COMMIT' : 'ROLLBACK')
      client.release()
      sent += isKept ? 10 : 0
      written += isKept ? 10 : 0
    }
  }
  const read = async (): Promise<number> => {
    let [cursor, seen] = ['0', 0]
    for (let isLast = false; ; ) {
      const found = await pool.query(`SELECT seq FROM ${table} WHERE seq > $1 ORDER BY seq LIMIT 1000`, [cursor])
      cursor = found.rows.at(-1)?.seq ?? cursor
      seen += found.rows.length
      if (found.rows.length > 0) continue
      if (isLast) return seen
      isLast = !isWriting
      await sleep(1)
    }
  }
  const reading = read()
  await Promise.all(Array.from({ length: WRITERS }, write))
  isWriting = false
  const seen = await reading
  await pool.query(`DROP TABLE ${table}`)
  await pool.end()
  return { written, missed: written - seen, disturbed: written / 10 }
}
