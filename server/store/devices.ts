import { all, type Db, int, type Steps, text } from './steps.js'

export interface SeenDevice {
  readonly dev: string
  readonly cursor: number
  readonly lastDseq: number
  readonly seenAt: number
}

export function* readDevices(accountId: string): Steps<readonly SeenDevice[]> {
  const found = yield* all(
    'SELECT dev, cursor, last_dseq, seen_at FROM device WHERE account_id = ? ORDER BY seen_at DESC, dev',
    accountId,
  )
  return found.map((row) => ({
    dev: text(row.dev),
    cursor: int(row.cursor),
    lastDseq: int(row.last_dseq),
    seenAt: int(row.seen_at),
  }))
}

/** How far devices have read. Noted now and then only: as part of each pull it would make a write of every read. */
export interface Cursors {
  readonly note: (accountId: string, dev: string, cursor: number, nowMs: number) => void
  readonly flush: () => Promise<void>
}

export const openCursors = (db: Db): Cursors => {
  let noted = new Map<string, Map<string, { readonly cursor: number; readonly nowMs: number }>>()
  return {
    note: (accountId, dev, cursor, nowMs) => {
      const devices = noted.get(accountId) ?? new Map()
      noted.set(accountId, devices.set(dev, { cursor, nowMs }))
    },
    flush: async () => {
      const flushing = noted
      noted = new Map()
      for (const [accountId, devices] of flushing)
        await db.write(accountId, function* () {
          yield {
            sql: `INSERT INTO device (account_id, dev, cursor, last_dseq, seen_at) VALUES (?, ?, ?, 0, ?)
              ON CONFLICT (account_id, dev) DO UPDATE SET cursor = excluded.cursor,
              seen_at = CASE WHEN excluded.seen_at > device.seen_at THEN excluded.seen_at ELSE device.seen_at END`,
            many: [...devices].map(([dev, { cursor, nowMs }]) => [accountId, dev, cursor, nowMs]),
          }
        })
    },
  }
}
