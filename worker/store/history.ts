import { redactedBody } from '../../src/domain/redacted.js'
import type { HistoryEntry, Status } from '../../src/schema/records.js'
import type { Scope } from '../../src/schema/scope.js'
import type { Db } from '../ports.js'
import { rowIdOf } from './devices.js'
import { among, sql } from './sql.js'
import { complete, type Head, type HeadRow, headColumns, headToRow, rowToHead } from './versions.js'

/** A version with what is left of it when its body was scrubbed. */
export interface KeptRow extends HeadRow {
  kind: HistoryEntry['kind']
  key: string
  redacted_at: number | null
  redacted_by: string | null
  reason: string | null
  written_at: number | null
  status: Status | null
}

/** Columns of a {@link KeptRow}, for statements that read `heads h`, `versions v` and, outer, `redactions r`. */
export const keptColumns = sql`${headColumns}, v.kind, h.key, r.at as redacted_at, r.actor as redacted_by, r.reason, r.written_at, r.status`

/** A version with its value, or what is left of it. */
export const keptVersion = (db: Db, row: KeptRow): Head =>
  row.body !== null
    ? complete(db, rowToHead(row))
    : { ...rowToHead(row), body: redactedBody(row.key, row.written_at ?? 0, row.status ?? 'active') }

interface VersionRow extends KeptRow {
  device_id: string
  parents: string
  seq: number | null
  prev_sha256: string | null
}

type Readable = readonly { readonly identity: number; readonly scope: Scope }[]

/** Later than any version. */
const NEWEST = 2n ** 63n - 1n

/** Every version under a key in some identities, newest first, earlier lineages included; from one version back when it is given. */
export const versionsByKey = (
  db: Db,
  identities: Readable,
  key: string,
  limit: number,
  from: bigint = NEWEST,
): readonly HistoryEntry[] => {
  const scopes = new Map(identities.map(({ identity, scope }) => [identity, scope]))
  return db
    .all<VersionRow>(
      sql`select ${keptColumns}, d.device_id, v.parents, v.seq, v.prev_sha256
        from heads h join versions v on v.memory = h.memory join devices d on d.dev = v.dev left join redactions r on r.row = v.row
        where h.identity in ${among([...scopes.keys()])} and h.key = ${key} and v.ver <= ${from}
        order by v.ver desc limit ${limit}`,
    )
    .map((row) => rowToEntry(db, row, scopes.get(row.identity) as Scope))
}

const rowToEntry = (db: Db, row: VersionRow, scope: Scope): HistoryEntry => ({
  ...headToRow(keptVersion(db, row), scope),
  kind: row.kind,
  rowId: rowIdOf(row.device_id, row.dseq),
  parents: JSON.parse(row.parents) as string[],
  prevSha256: row.prev_sha256,
  sha256: row.sha256,
  synced: row.seq !== null,
  redacted:
    row.redacted_at === null ? null : { at: row.redacted_at, actor: row.redacted_by ?? '', reason: row.reason ?? '' },
})
