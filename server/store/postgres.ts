import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Db, LostRace, type SqlRow, type Statement, type Steps } from './steps.js'
import { TABLES_VERSION, tablesOf } from './tables.js'

/** Codes under which the same work may succeed when it is tried again: lost races, and two processes that start at once. */
const TRY_AGAIN = new Set(['40001', '40P01', '23505', '42P07', '42710'])
const MAX_TRIES = 200

const types: pg.CustomTypesConfig = {
  getTypeParser: (id: number, format?: 'text' | 'binary') =>
    id === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(id, format as 'text'),
}

interface Prepared {
  readonly name: string
  readonly text: string
}

const prepared = new Map<string, Prepared>()

/** Named, so that each connection parses and plans a statement once. */
const preparedOf = (sql: string): Prepared => {
  let found = prepared.get(sql)
  if (found === undefined) {
    let count = 0
    const text = sql.replace(/\?(\d*)/g, (_, place: string) => `$${place || ++count}`)
    prepared.set(sql, (found = { name: createHash('sha256').update(sql).digest('hex').slice(0, 32), text }))
  }
  return found
}

type Asks = Pick<pg.ClientBase, 'query'>

const carryOut = async (asked: Asks, { sql, values = [], many }: Statement): Promise<readonly SqlRow[]> => {
  for (const each of many ?? []) await asked.query({ ...preparedOf(sql), values: [...each] })
  return many === undefined ? (await asked.query({ ...preparedOf(sql), values: [...values] })).rows : []
}

const drive = async <T>(asked: Asks, steps: Steps<T>): Promise<T> => {
  let step = steps.next([])
  while (!step.done) step = steps.next(await carryOut(asked, step.value))
  return step.value
}

const mayTryAgain = (error: unknown): boolean =>
  error instanceof LostRace || (error instanceof pg.DatabaseError && TRY_AGAIN.has(error.code ?? ''))

const trying = async <T>(work: () => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries >= MAX_TRIES || !mayTryAgain(error)) throw error
      // Chance breaks up those who keep meeting.
      await sleep(Math.random() * Math.min(50, 2 * tries))
    }
  }
}

export const openPostgres = async (url: string, connections = 10): Promise<Db> => {
  const pool = new pg.Pool({ connectionString: url, max: connections, types })
  // A connection that breaks while it is idle is replaced with the next statement.
  pool.on('error', () => undefined)

  const transaction = async <T>(steps: () => Steps<T>): Promise<T> => {
    const client = await pool.connect()
    let broken = false
    try {
      await client.query('BEGIN')
      const result = await drive(client, steps())
      await client.query('COMMIT')
      return result
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {
        broken = true
      })
      throw error
    } finally {
      client.release(broken)
    }
  }

  await trying(() => transaction(prepareTables)).catch(async (error) => {
    await pool.end()
    throw error
  })

  /** Writers of one account within this process take turns: of those who race on its counter only one would win. */
  const turns = new Map<string, Promise<unknown>>()
  const inTurn = <T>(account: string, work: () => Promise<T>): Promise<T> => {
    const before = turns.get(account) ?? Promise.resolve()
    const mine = before.then(work, work)
    const settled = mine.catch(() => undefined)
    turns.set(account, settled)
    void settled.then(() => turns.get(account) === settled && turns.delete(account))
    return mine
  }

  return {
    dialect: 'postgres',
    read: (steps) => trying(() => drive(pool, steps())),
    write: (account, steps) => inTurn(account, () => trying(() => drive(pool, steps()))),
    locked: (account, steps) =>
      inTurn(account, () =>
        trying(() =>
          transaction(function* () {
            yield { sql: 'SELECT 1 FROM account WHERE account_id = ? FOR UPDATE', values: [account] }
            return yield* steps()
          }),
        ),
      ),
    close: () => pool.end(),
  }
}

function* prepareTables(): Steps<void> {
  yield { sql: 'CREATE TABLE IF NOT EXISTS palimpsest_tables (version BIGINT NOT NULL PRIMARY KEY)' }
  const [row] = yield { sql: 'SELECT max(version) AS version FROM palimpsest_tables' }
  const found = Number(row?.version ?? 0)
  if (found > TABLES_VERSION) throw new Error(`The database was written by a newer server (tables ${found}).`)
  for (const sql of tablesOf('postgres')) yield { sql }
  yield { sql: `INSERT INTO palimpsest_tables VALUES (${TABLES_VERSION}) ON CONFLICT DO NOTHING` }
}
