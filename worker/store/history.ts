import type { HistoryEntry } from '../../src/schema/records.js'
import type { Scope } from '../../src/schema/scope.js'
import type { Db } from '../ports.js'
import { rowIdOf } from './devices.js'
import { among, sql } from './sql.js'
import { complete, type HeadRow, headColumns, headToRow, rowToHead } from './versions.js'

interface VersionRow extends HeadRow {
  device_id: string
  kind: HistoryEntry['kind']
  parents: string
  seq: number | null
  prev_sha256: string | null
}

/** Every version under a key in one identity, newest first, earlier lineages included. */
export const versionsByKey = (
  db: Db,
  identities: readonly { readonly identity: number; readonly scope: Scope }[],
  key: string,
  limit: number,
): readonly HistoryEntry[] => {
  const scopes = new Map(identities.map(({ identity, scope }) => [identity, scope]))
  return db
    .all<VersionRow>(
      sql`select ${headColumns}, d.device_id, v.kind, v.parents, v.seq, v.prev_sha256
        from heads h join versions v on v.memory = h.memory join devices d on d.dev = v.dev
        where h.identity in ${among([...scopes.keys()])} and h.key = ${key}
        order by v.ver desc limit ${limit}`,
    )
    .map((row) => rowToEntry(db, row, scopes.get(row.identity) as Scope))
}

const rowToEntry = (db: Db, row: VersionRow, scope: Scope): HistoryEntry => ({
  ...headToRow(complete(db, rowToHead(row)), scope),
  kind: row.kind,
  rowId: rowIdOf(row.device_id, row.dseq),
  parents: JSON.parse(row.parents) as string[],
  prevSha256: row.prev_sha256,
  sha256: row.sha256,
  synced: row.seq !== null,
})
