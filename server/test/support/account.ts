import { randomBytes } from 'node:crypto'
import { EMPTY_DIGEST } from '../../../src/domain/sync/row-digest.js'
import type { PushResult, SequencedRow } from '../../../src/schema/sync-wire.js'
import { checkRow } from '../../rows/check-row.js'
import { type Account, ensureAccount, readAccount } from '../../store/accounts.js'
import { type Page, pageAfter, pageBefore, rebaseReason } from '../../store/pages.js'
import { push } from '../../store/push.js'
import { all, type Db, type SqlRow } from '../../store/steps.js'

export const NOW_MS = Date.UTC(2026, 5, 1)
const QUOTA = 10_000_000

export const parsed = (rows: readonly string[]): SequencedRow[] => rows.map((row) => JSON.parse(row) as SequencedRow)

/** An account of its own for one test, with what tests ask of it. */
export interface TestAccount {
  readonly id: string
  readonly push: (
    rows: readonly unknown[],
    options?: { nowMs?: number; namespaces?: readonly string[] },
  ) => Promise<PushResult[]>
  readonly statuses: (rows: readonly unknown[], options?: { nowMs?: number }) => Promise<string[]>
  readonly standing: () => Promise<Account>
  readonly after: (cursor: number, limit?: number, namespaces?: readonly string[]) => Promise<Page>
  readonly before: (seq: number, limit?: number) => Promise<Page>
  /** Every row, as it is handed out. */
  readonly rows: (namespaces?: readonly string[]) => Promise<SequencedRow[]>
  readonly rebase: (cursor: number, digest?: string, epoch?: string | null) => Promise<string | null>
  readonly table: (name: 'keyslot' | 'erasure' | 'device' | 'sync_row') => Promise<readonly SqlRow[]>
}

export const openTestAccount = async (db: Db, quotaBytes = QUOTA): Promise<TestAccount> => {
  const id = `test-${randomBytes(8).toString('hex')}`
  await db.write(id, () => ensureAccount(id, quotaBytes))
  const standing = () => db.read(() => readAccount(id))
  const setOf = (namespaces?: readonly string[]) => (namespaces === undefined ? null : new Set(namespaces))
  const pushRows: TestAccount['push'] = async (rows, { nowMs = NOW_MS, namespaces } = {}) => {
    const circumstances = { nowMs, namespaces: setOf(namespaces) }
    return [...(await push(db, id, '00000000000000aa', rows.map(checkRow), circumstances)).results]
  }
  const after: TestAccount['after'] = async (cursor, limit = 1_000, namespaces) => {
    const account = await standing()
    return await db.read(() => pageAfter(account, cursor, { limit, namespaces: setOf(namespaces) }))
  }
  return {
    id,
    push: pushRows,
    statuses: async (rows, options) => (await pushRows(rows, options)).map(({ status }) => status),
    standing,
    after,
    before: async (seq, limit = 1_000) => {
      const account = await standing()
      return await db.read(() => pageBefore(account, seq, { limit, namespaces: null }))
    },
    rows: async (namespaces) => {
      const found: SequencedRow[] = []
      for (let cursor = 0, more = true; more; ) {
        const page = await after(cursor, 1_000, namespaces)
        found.push(...parsed(page.rows))
        cursor = page.last
        more = page.more
      }
      return found
    },
    rebase: async (cursor, digest = EMPTY_DIGEST, epoch = null) => {
      const account = await standing()
      return await db.read(() => rebaseReason(account, { cursor, digest, epoch }))
    },
    table: (name) => db.read(() => all(`SELECT * FROM ${name} WHERE account_id = ?`, id)),
  }
}
