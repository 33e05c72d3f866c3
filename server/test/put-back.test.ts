import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runningDigest } from '../../src/domain/sync/row-digest.js'
import type { WireRow } from '../../src/schema/sync-wire.js'
import { openSqlite } from '../store/sqlite.js'
import { openTestAccount } from './support/account.js'
import { commitment, hashOf, idOf, newDevice, rowOf, rowsOf } from './support/rows.js'

const sumOf = (rows: readonly WireRow[]): string => {
  const digest = runningDigest()
  for (const row of rows) digest.add(hashOf(row))
  return digest.hex()
}

test('a server that was put back to yesterday is found out, filled up again, and what was erased since stays erased', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-put-back-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [file, backup] = [join(folder, 'rows.sqlite'), join(folder, 'backup.sqlite')]
  const key = commitment('to be erased')
  const [secret, kept, late] = [rowOf({ dev: newDevice(), kc: key, body: 'a secret' }), ...rowsOf(2)] as [
    WireRow,
    WireRow,
    WireRow,
  ]
  const erase = rowOf({ dev: newDevice(), kind: 'erase', kc: key, kepoch: 1, body: null })

  const db = openSqlite(file)
  const account = await openTestAccount(db)
  await account.push([secret, kept])
  await db.close()
  copyFileSync(file, backup)

  const today = openSqlite(file)
  const before = await openTestAccount(today, 0, account.id)
  await before.push([erase, late])
  const cursor = (await before.standing()).head
  const remembered = sumOf([secret, kept, erase, late])
  expect(await before.rebase(cursor, remembered)).toBeNull()
  await today.close()

  const yesterday = openSqlite(backup)
  onTestFinished(() => yesterday.close())
  const after = await openTestAccount(yesterday, 0, account.id)
  expect((await after.rows()).map(({ row }) => row.body !== null)).toEqual([true, true])
  expect(await after.rebase(cursor, remembered)).toBe('cursor')
  // Somebody else wrote as many rows meanwhile: only the sum tells.
  await after.push(rowsOf(2))
  expect(await after.rebase(cursor, remembered)).toBe('digest')

  // The device pushes all it holds: what erases goes first. Of the secret it holds the stub only.
  expect(await after.statuses([erase])).toEqual(['ok'])
  expect(await after.statuses([{ ...secret, body: null }, kept, late])).toEqual(['dup', 'dup', 'ok'])
  const rows = new Map((await after.rows()).map(({ row }) => [idOf(row), row]))
  expect(rows.get(idOf(secret))).toEqual({ ...secret, body: null })
  expect([rows.get(idOf(kept)), rows.get(idOf(late))]).toEqual([kept, late])
})
