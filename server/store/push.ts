import type { PushResult } from '../../src/schema/sync-wire.js'
import { type Checked, type CheckedRow, isUncounted } from '../rows/check-row.js'
import { type Circumstances, type Known, keyTarget, type PushPlan, planPush, rowTarget } from '../rows/plan-push.js'
import { type Account, readAccount } from './accounts.js'
import { emptyErased, emptyRedacted } from './emptying.js'
import { insertForPostgres, insertForSqlite } from './insert.js'
import { isOneOf } from './lists.js'
import { HEADER_COLUMNS, storedHash } from './rows.js'
import { all, type Db, int, LostRace, type Steps, text } from './steps.js'

export interface Pushed {
  readonly account: Account
  readonly results: readonly PushResult[]
}

/**
 * Stores what is new of a batch, all at once. On PostgreSQL the rows and the counter are one statement, which does nothing if the counter
 * moved since the batch was decided on; what takes bodies away needs several, and is done under the lock of the account.
 */
export const push = async (
  db: Db,
  accountId: string,
  dev: string,
  batch: readonly Checked[],
  circumstances: Circumstances,
): Promise<Pushed> => {
  const steps = (isWhole: boolean) => () => pushSteps(db, accountId, dev, batch, circumstances, isWhole)
  const done = await db.write(accountId, steps(db.dialect === 'sqlite'))
  if (done !== null) return done
  const whole = await db.locked(accountId, steps(true))
  if (whole === null) throw new Error('A whole push is never put off.')
  return whole
}

function* pushSteps(
  db: Db,
  accountId: string,
  dev: string,
  batch: readonly Checked[],
  circumstances: Circumstances,
  isWhole: boolean,
): Steps<Pushed | null> {
  const account = yield* readAccount(accountId)
  const rows = batch.filter((checked): checked is CheckedRow => !('refused' in checked))
  const known: Known = {
    ...account,
    rows: yield* rowsHere(db, accountId, rows),
    erasures: account.erasures === 0 ? new Map() : yield* erasuresOn(db, accountId, rows),
  }
  const plan = planPush(batch, known, circumstances)
  if (plan.rows.length === 0) return { account, results: plan.results }
  const takesAway = plan.erased.length > 0 || plan.redacted.length > 0
  if (takesAway && !isWhole) return null
  const insert = db.dialect === 'sqlite' ? insertForSqlite : insertForPostgres
  const moved = yield* insert(account, dev, plan, circumstances.nowMs)
  if (!moved) throw new LostRace('Another push came first.')
  const freed = takesAway ? yield* takeAway(accountId, plan) : 0
  return {
    account: {
      ...account,
      nextSeq: plan.nextSeq,
      head: plan.nextSeq - 1,
      digest: plan.digest,
      usedBytes: plan.usedBytes - freed,
    },
    results: plan.results,
  }
}

function* takeAway(accountId: string, plan: PushPlan): Steps<number> {
  let freed = 0
  for (const erasure of plan.erased) freed += yield* emptyErased(accountId, erasure)
  for (const { nc, target } of plan.redacted) freed += yield* emptyRedacted(accountId, nc, target)
  yield {
    sql: `UPDATE account SET used_bytes = used_bytes - ?, erasures = (SELECT count(*) FROM erasure WHERE account_id = ?)
      WHERE account_id = ?`,
    values: [freed, accountId, accountId],
  }
  return freed
}

/** Those rows of a batch that are here, with their hashes. */
function* rowsHere(db: Db, accountId: string, rows: readonly CheckedRow[]): Steps<Known['rows']> {
  const byDevice = new Map<string, number[]>()
  for (const { row } of rows) {
    const counters = byDevice.get(row.dev)
    if (counters === undefined) byDevice.set(row.dev, [row.dseq])
    else counters.push(row.dseq)
  }
  const here = new Map<string, { readonly seq: number; readonly hash: Buffer }>()
  for (const [dev, counters] of byDevice) {
    const found = yield* all(
      `SELECT seq, ${HEADER_COLUMNS} FROM sync_row WHERE account_id = ? AND dev = ? AND dseq ${isOneOf(db, 'bigint')}`,
      accountId,
      dev,
      counters,
    )
    for (const columns of found) here.set(`${dev}.${columns.dseq}`, { seq: int(columns.seq), hash: storedHash(columns) })
  }
  return here
}

function* erasuresOn(db: Db, accountId: string, rows: readonly CheckedRow[]): Steps<Known['erasures']> {
  const targets = new Set<string>()
  for (const { row, id } of rows) {
    targets.add(keyTarget(row.nc, null))
    if (row.kc !== null) targets.add(keyTarget(row.nc, row.kc))
    if (!isUncounted(row.kind)) targets.add(rowTarget(row.nc, id))
    if (row.target !== null) targets.add(rowTarget(row.nc, row.target))
  }
  const found = yield* all(
    `SELECT target, kepoch FROM erasure WHERE account_id = ? AND target ${isOneOf(db, 'text')}`,
    accountId,
    [...targets],
  )
  return new Map(found.map(({ target, kepoch }) => [text(target), int(kepoch)]))
}
