import type { PushPlan } from '../rows/plan-push.js'
import type { Account } from './accounts.js'
import type { SqlValue, Steps } from './steps.js'

/** Rows of a plan and the counter they were decided on. False if the counter is no longer there. */
type Insert = (account: Account, dev: string, plan: PushPlan, nowMs: number) => Steps<boolean>

const ROW_COLUMNS =
  'account_id, seq, dev, dseq, ver, kind, nc, kc, kepoch, parents, human, target, gen, bh, bytes, run_hash, extras, body'

/** Highest counters of each device in the plan; the one that pushes is there in any case. */
const devicesIn = (dev: string, { rows }: PushPlan): Map<string, number> => {
  const last = new Map<string, number>([[dev, 0]])
  for (const { checked } of rows) last.set(checked.row.dev, Math.max(last.get(checked.row.dev) ?? 0, checked.row.dseq))
  return last
}

const SEEN_DEVICE = `ON CONFLICT (account_id, dev) DO UPDATE SET
  last_dseq = CASE WHEN excluded.last_dseq > device.last_dseq THEN excluded.last_dseq ELSE device.last_dseq END,
  seen_at = CASE WHEN excluded.seen_at > device.seen_at THEN excluded.seen_at ELSE device.seen_at END`

export const insertForSqlite: Insert = function* (account, dev, plan, nowMs) {
  const moved = yield {
    sql: 'UPDATE account SET next_seq = ?, digest = ?, used_bytes = ? WHERE account_id = ? AND next_seq = ? RETURNING next_seq',
    values: [plan.nextSeq, plan.digest, plan.usedBytes, account.id, account.nextSeq],
  }
  if (moved.length === 0) return false
  yield {
    sql: `INSERT INTO sync_row (${ROW_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    many: plan.rows.map((each): SqlValue[] => {
      const { row, bodyHash, extras, body } = each.checked
      const head = [account.id, each.seq, row.dev, row.dseq, BigInt(row.ver), row.kind, row.nc, row.kc, row.kepoch]
      const links = [row.parents.join(), row.human, row.target, row.gen]
      return [...head, ...links, bodyHash, each.bytes, each.runHash, extras, each.empty ? null : body]
    }),
  }
  yield {
    sql: 'INSERT INTO keyslot (account_id, seq, gen, wrapped) VALUES (?, ?, ?, ?)',
    many: plan.rows.flatMap(({ seq, checked, empty }) =>
      checked.slot === null || empty ? [] : [[account.id, seq, checked.row.gen, checked.slot]],
    ),
  }
  yield {
    sql: `INSERT INTO device (account_id, dev, cursor, last_dseq, seen_at) VALUES (?, ?, 0, ?, ?) ${SEEN_DEVICE}`,
    many: [...devicesIn(dev, plan)].map(([name, last]) => [account.id, name, last, name === dev ? nowMs : 0]),
  }
  return true
}

const INPUT =
  'seq bigint, dev text, dseq bigint, ver bigint, kind text, nc text, kc text, kepoch bigint, parents text, human bigint, ' +
  'target text, gen bigint, bh boolean, bytes bigint, extras text, body_at int, body_length int, slot_at int, slot_length int'

/** One statement: counter, rows, slots and devices. Bytes come as one value, of which each row takes its stretches. */
const INSERT_FOR_POSTGRES = `
WITH moved AS (
  UPDATE account SET next_seq = ?2, digest = ?3, used_bytes = ?4 WHERE account_id = ?1 AND next_seq = ?5 RETURNING next_seq
), input AS MATERIALIZED (
  SELECT x.*, (row_number() OVER () - 1)::int * 64 AS hash_at FROM moved, json_to_recordset(?6::json) AS x(${INPUT})
), new_rows AS (
  INSERT INTO sync_row (${ROW_COLUMNS})
  SELECT ?1, seq, dev, dseq, ver, kind, nc, kc, kepoch, parents, human, target, gen,
    CASE WHEN bh THEN substring(?7::bytea FROM hash_at + 1 FOR 32) END, bytes, substring(?7::bytea FROM hash_at + 33 FOR 32), extras,
    CASE WHEN body_at IS NOT NULL THEN substring(?8::bytea FROM body_at FOR body_length) END
  FROM input
), new_slots AS (
  INSERT INTO keyslot (account_id, seq, gen, wrapped)
  SELECT ?1, seq, gen, substring(?8::bytea FROM slot_at FOR slot_length) FROM input WHERE slot_at IS NOT NULL
), seen AS (
  INSERT INTO device (account_id, dev, cursor, last_dseq, seen_at)
  SELECT ?1, d.dev, 0, d.last, d.seen FROM moved, json_to_recordset(?9::json) AS d(dev text, last bigint, seen bigint)
  ${SEEN_DEVICE}
)
SELECT next_seq FROM moved`

const NO_HASH = Buffer.alloc(32)

export const insertForPostgres: Insert = function* (account, dev, plan, nowMs) {
  const stretches: Buffer[] = []
  let length = 0
  const place = (bytes: Buffer | null): number | null => {
    if (bytes === null) return null
    stretches.push(bytes)
    length += bytes.length
    // Counted from 1.
    return length - bytes.length + 1
  }
  const input = plan.rows.map((each) => {
    const { row, body, slot, bodyHash, extras } = each.checked
    return {
      seq: each.seq,
      dev: row.dev,
      dseq: row.dseq,
      ver: row.ver,
      kind: row.kind,
      nc: row.nc,
      kc: row.kc,
      kepoch: row.kepoch,
      parents: row.parents.join(),
      human: row.human,
      target: row.target,
      gen: row.gen,
      bh: bodyHash !== null,
      bytes: each.bytes,
      extras,
      body_at: each.empty ? null : place(body),
      body_length: body?.length ?? 0,
      slot_at: each.empty ? null : place(slot),
      slot_length: slot?.length ?? 0,
    }
  })
  const hashes = Buffer.concat(plan.rows.flatMap(({ checked, runHash }) => [checked.bodyHash ?? NO_HASH, runHash]))
  const devices = [...devicesIn(dev, plan)].map(([name, last]) => ({ dev: name, last, seen: name === dev ? nowMs : 0 }))
  const moved = yield {
    sql: INSERT_FOR_POSTGRES,
    values: [
      account.id,
      plan.nextSeq,
      plan.digest,
      plan.usedBytes,
      account.nextSeq,
      JSON.stringify(input),
      hashes,
      Buffer.concat(stretches),
      JSON.stringify(devices),
    ],
  }
  return moved.length > 0
}
