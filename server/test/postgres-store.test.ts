import { expect, inject, onTestFinished, test } from 'vitest'
import { openPostgres } from '../store/postgres.js'
import { all, first } from '../store/steps.js'
import { runStoreContract } from './contracts/store.contract.js'
import { openTestAccount } from './support/account.js'
import { rowsOf } from './support/rows.js'

runStoreContract('PostgreSQL', () => openPostgres(inject('postgresUrl')))

test('connections that PostgreSQL ends are made anew', async () => {
  const [db, killer] = await Promise.all([openPostgres(inject('postgresUrl'), 3), openPostgres(inject('postgresUrl'), 1)])
  onTestFinished(async () => void (await Promise.all([db.close(), killer.close()])))
  const account = await openTestAccount(db)
  await account.push(rowsOf(1))
  const backend = await db.read(() => first('SELECT pg_backend_pid()::bigint AS pid'))
  await killer.read(() => all('SELECT pg_terminate_backend(?::int)', Number(backend?.pid)))
  await expect.poll(() => account.statuses(rowsOf(1)).catch(() => []), { timeout: 10_000 }).toEqual(['ok'])
})
