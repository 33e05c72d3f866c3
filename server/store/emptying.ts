import { ROW_OVERHEAD } from '../rows/check-row.js'
import { type Erasure, keyTarget, rowTarget } from '../rows/plan-push.js'
import { all, first, int, type SqlValue, type Steps, text } from './steps.js'

/** Notes an erasure and takes bodies and keys of all that is older; returns how many bytes that gave back. */
export function* emptyErased(accountId: string, { nc, kc, kepoch }: Erasure): Steps<number> {
  yield* note(accountId, keyTarget(nc, kc), kepoch)
  const ofKey = kc === null ? '' : 'AND kc = ?'
  return yield* empty(
    `account_id = ? AND nc = ? ${ofKey} AND kepoch < ? AND kind <> 'erase'`,
    accountId,
    nc,
    ...(kc === null ? [] : [kc]),
    kepoch,
  )
}

/** The same for one row; what is not here yet comes empty. */
export function* emptyRedacted(accountId: string, nc: string, target: string): Steps<number> {
  yield* note(accountId, rowTarget(nc, target), 1)
  const [dev = '', dseq = ''] = target.split('.')
  return yield* empty(
    "account_id = ? AND dev = ? AND dseq = ? AND nc = ? AND kind <> 'erase' AND kind <> 'redact'",
    accountId,
    dev,
    BigInt(dseq),
    nc,
  )
}

function* note(accountId: string, target: string, kepoch: number): Steps<void> {
  yield {
    sql: `INSERT INTO erasure (account_id, target, kepoch) VALUES (?, ?, ?)
      ON CONFLICT (account_id, target) DO UPDATE SET kepoch = excluded.kepoch WHERE excluded.kepoch > erasure.kepoch`,
    values: [accountId, target, kepoch],
  }
}

function* empty(which: string, accountId: string, ...rest: readonly SqlValue[]): Steps<number> {
  const values = [accountId, ...rest]
  const row = yield* first(
    `SELECT coalesce(sum(bytes - ${ROW_OVERHEAD}), 0) AS freed FROM sync_row WHERE ${which} AND body IS NOT NULL`,
    ...values,
  )
  // Keys first: with them gone the bodies are noise, also where a copy of them is left.
  yield {
    sql: `DELETE FROM keyslot WHERE account_id = ? AND seq IN (SELECT seq FROM sync_row WHERE ${which})`,
    values: [accountId, ...values],
  }
  yield {
    sql: `UPDATE sync_row SET body = NULL, bytes = ${ROW_OVERHEAD} WHERE ${which} AND body IS NOT NULL`,
    values,
  }
  return int(row?.freed)
}

/** Every erasure in force; redactions of single rows are rows like others and not among them. */
export function* readErasures(accountId: string): Steps<readonly Erasure[]> {
  const found = yield* all('SELECT target, kepoch FROM erasure WHERE account_id = ? ORDER BY target', accountId)
  return found.flatMap(({ target, kepoch }) => {
    const [nc = '', kc = ''] = text(target).split('/')
    return kc.includes('.') ? [] : [{ nc, kc: kc === '' ? null : kc, kepoch: int(kepoch) }]
  })
}
