import { HIDDEN_FROM_UNFILTERED } from '../../src/domain/memory-type.js'
import { HOLDS_KEY, SERVED } from '../../src/domain/version.js'
import type { Status } from '../../src/schema/records.js'
import type { Tier } from '../../src/schema/scope.js'
import type { Db, Sql } from '../ports.js'
import { among, join, sql } from './sql.js'
import { FEW, type Head, type HeadRow, headColumns, rowToHead } from './versions.js'

/** What a read narrows to, beside its scope. */
export interface HeadFilter {
  readonly keyPrefix?: string | undefined
  readonly type?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly sourceClass?: string | undefined
  readonly minConfidence?: number | undefined
  readonly includeDuplicates?: boolean | undefined
  readonly includeSuperseded?: boolean | undefined
  readonly includeProposed?: boolean | undefined
  /** Of this status only. */
  readonly status?: Status | undefined
  readonly tiers?: readonly Tier[] | undefined
  /** Of those that were not written since this version and gave no dates of their own. */
  readonly upTo?: bigint | undefined
  /** A further condition on `heads h`. */
  readonly also?: Sql | undefined
  /** Only what is highly sensitive, which reads leave out otherwise. Never asked for by a caller. */
  readonly isSensitive?: boolean
}

/** Versions that give dates of their own, as the index `versions_dated` has it. */
export const GIVES_DATES = sql`(instr(body, '"validAt":') > 0 or instr(body, '"validTo":') > 0 or instr(body, '"temporalAnchor":') > 0)`

/** The statuses a filter reads. */
export const statusesOf = (filter: HeadFilter): readonly Status[] =>
  filter.status !== undefined
    ? [filter.status]
    : [
        ...SERVED,
        ...(filter.includeDuplicates === true ? (['duplicate'] as const) : []),
        ...(filter.includeSuperseded === true ? (['superseded'] as const) : []),
        ...(filter.includeProposed === true ? (['proposed'] as const) : []),
      ]

/** Leaves rows of neighbouring stores out, unless the filter names their type or their room. */
export const ownRows = ({ type, keyPrefix }: HeadFilter): Sql =>
  type === undefined && keyPrefix?.[0] !== '~' ? sql`h.key not glob '~*'` : sql`true`

/** The condition on `heads h` that scope, filter and clock ask for. Every read statement carries it. */
export const headCondition = (
  identities: readonly number[],
  filter: HeadFilter,
  nowMs: number,
  tagCase: 'any' | 'exact',
): Sql => {
  const conditions: Sql[] = [
    sql`h.identity in ${among(identities)}`,
    sql`h.status in ${among(statusesOf(filter))}`,
    sql`(h.valid_to is null or h.valid_to > ${nowMs})`,
    sql`(h.expires_at is null or h.expires_at > ${nowMs})`,
    sql`h.sensitive = ${filter.isSensitive === true ? 1 : 0}`,
  ]
  if (filter.keyPrefix !== undefined) {
    const prefix = filter.keyPrefix.normalize('NFC')
    conditions.push(sql`substr(h.key, 1, ${[...prefix].length}) = ${prefix}`)
  }
  if (filter.type !== undefined) conditions.push(sql`h.type = ${filter.type}`)
  if (filter.sourceClass !== undefined) conditions.push(sql`h.source_class = ${filter.sourceClass}`)
  if (filter.minConfidence !== undefined) conditions.push(sql`h.confidence >= ${filter.minConfidence}`)
  if (filter.upTo !== undefined)
    conditions.push(sql`h.ver <= ${filter.upTo} and h.memory not in (select memory from versions where ${GIVES_DATES})`)
  if (filter.also !== undefined) conditions.push(filter.also)
  for (const tag of filter.tags ?? [])
    conditions.push(
      tagCase === 'any'
        ? sql`exists (select 1 from head_tags t where t.memory = h.memory and t.folded = ${tag.toLowerCase()})`
        : sql`exists (select 1 from head_tags t where t.memory = h.memory and t.tag = ${tag})`,
    )
  return join(conditions, ' and ')
}

/** A page of heads, newest first. */
export const listHeads = (
  db: Db,
  identities: readonly number[],
  filter: HeadFilter,
  page: { readonly nowMs: number; readonly after: { updatedAt: number; memory: number } | null; readonly limit: number },
): readonly Head[] => {
  const after = page.after ?? { updatedAt: Number.MAX_SAFE_INTEGER, memory: 0 }
  const within = (some: readonly number[], scope: Sql): readonly Head[] =>
    db
      .all<HeadRow>(
        sql`select ${headColumns} from heads h join versions v on v.row = h.row
          where ${scope} and (h.updated_at, h.memory) < (${after.updatedAt}, ${after.memory})
          and ${headCondition(some, filter, page.nowMs, 'any')} and ${ownRows(filter)}
          order by h.updated_at desc, h.memory desc limit ${page.limit}`,
      )
      .map(rowToHead)
  if (identities.length > FEW) return within(identities, sql`true`)
  // One by one, each is read in the order of its index; together they would have to be sorted as a whole.
  return identities
    .flatMap((identity) => within([identity], sql`h.identity = ${identity}`))
    .sort((a, b) => b.body.updatedAt - a.body.updatedAt || b.memory - a.memory)
    .slice(0, page.limit)
}

/** Heads of some memories, those only that scope, filter and clock let through. */
export const headsAmong = (
  db: Db,
  memories: readonly number[],
  identities: readonly number[],
  filter: HeadFilter,
  nowMs: number,
): readonly Head[] =>
  db
    .all<HeadRow>(
      // Not indexed: by row id. Left to itself the planner walks every head of the identities instead.
      sql`select ${headColumns} from heads h not indexed join versions v on v.row = h.row
        where h.memory in ${among(memories)}
        and ${headCondition(identities, filter, nowMs, 'exact')}`,
    )
    .map(rowToHead)

/** Heads of one identity that are served, in the order of their memories: a page of them after one. */
export const servedAfter = (
  db: Db,
  identity: number,
  memory: number,
  page: { readonly nowMs: number; readonly limit: number },
): readonly Head[] =>
  db
    .all<HeadRow>(
      // Not indexed: by row id, as above.
      sql`select ${headColumns} from heads h not indexed join versions v on v.row = h.row
        where h.memory > ${memory} and ${headCondition([identity], {}, page.nowMs, 'exact')} order by h.memory limit ${page.limit}`,
    )
    .map(rowToHead)

/** Whether a live and highly sensitive memory stands under a key, or has an id, in an identity. */
export const isSensitive = (
  db: Db,
  identity: number,
  target: { readonly key?: string | undefined; readonly id?: string | undefined },
): boolean => {
  const { key, id } = target
  if (key === undefined && id === undefined) return false
  const named = id === undefined ? sql`key = ${key ?? null}` : sql`memory_id = ${id}`
  return (
    db.get(
      sql`select 1 from heads where identity = ${identity} and ${named} and sensitive = 1 and status in ${among(HOLDS_KEY)}`,
    ) !== undefined
  )
}

/** Numbers of all memories that a filter lets through, and a condition beside it: of a type that searches answer with, unless one is named. */
export const memoriesMatching = (
  db: Db,
  identities: readonly number[],
  filter: HeadFilter,
  nowMs: number,
  besides = filter.type === undefined ? sql`h.type not in ${among(HIDDEN_FROM_UNFILTERED)}` : sql`true`,
): ReadonlySet<number> =>
  new Set(
    db
      .all<{ memory: number }>(
        sql`select h.memory from heads h where ${headCondition(identities, filter, nowMs, 'exact')} and ${besides}`,
      )
      .map(({ memory }) => memory),
  )

/** Numbers of the memories that have an end and are past it. */
export const memoriesEnded = (db: Db, identities: readonly number[], nowMs: number): ReadonlySet<number> =>
  new Set(
    db
      .all<{ memory: number }>(
        sql`select memory from heads indexed by heads_by_valid_to where valid_to <= ${nowMs} and identity in ${among(identities)}
          union all select memory from heads indexed by heads_by_expires_at where expires_at <= ${nowMs} and identity in ${among(identities)}`,
      )
      .map(({ memory }) => memory),
  )
