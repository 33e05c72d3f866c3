import { boostOf, summed, UNUSED, type Usage } from '../../src/domain/usage.js'
import type { Db } from '../ports.js'
import { among, sql } from './sql.js'

type UsageRow = Usage & { readonly memory: number }

const usageRows = (db: Db, memories: readonly number[], identities: readonly number[]): readonly UsageRow[] =>
  db.all<UsageRow>(
    sql`select memory, helped, harmed, uses, at from usage
      where memory in ${among(memories)} and identity in ${among(identities)}`,
  )

/** What some identities keep of one memory. */
export const usageOf = (db: Db, memory: number, identities: readonly number[], nowMs: number): Usage =>
  summed(usageRows(db, [memory], identities), nowMs)

/** What some identities keep of some memories; of those nothing is kept of nothing. */
export const usageAmong = (
  db: Db,
  memories: readonly number[],
  identities: readonly number[],
  nowMs: number,
): ReadonlyMap<number, Usage> => {
  const byMemory = new Map<number, UsageRow[]>()
  for (const row of usageRows(db, memories, identities)) byMemory.set(row.memory, [...(byMemory.get(row.memory) ?? []), row])
  return new Map([...byMemory].map(([memory, rows]) => [memory, summed(rows, nowMs)]))
}

/** What usage adds to the scores of some memories, those left out that it adds nothing to. */
export const boostsOf = (
  db: Db,
  memories: readonly number[],
  identities: readonly number[],
  nowMs: number,
): ReadonlyMap<number, number> => {
  const boosts = [...usageAmong(db, memories, identities, nowMs)].map(([memory, usage]) => [memory, boostOf(usage)] as const)
  return new Map(boosts.filter(([, boost]) => boost > 0))
}

/** What one identity keeps of a memory. */
export const keptUsage = (db: Db, memory: number, identity: number): Usage =>
  usageRows(db, [memory], [identity])[0] ?? UNUSED

export const keepUsage = (db: Db, memory: number, identity: number, { helped, harmed, uses, at }: Usage): void => {
  db.run(
    sql`insert into usage (memory, identity, helped, harmed, uses, at)
      values (${memory}, ${identity}, ${helped}, ${harmed}, ${uses}, ${at})
      on conflict (memory, identity) do update set helped = excluded.helped, harmed = excluded.harmed, uses = excluded.uses,
        at = excluded.at`,
  )
}

/** Everything that some identities keep, memory by memory. */
export const allUsage = (
  db: Db,
  identities: readonly number[],
): readonly (Usage & { readonly memory: number; readonly memoryId: string; readonly identity: number })[] =>
  db.all(
    sql`select u.memory, h.memory_id as memoryId, u.identity, u.helped, u.harmed, u.uses, u.at
      from usage u join heads h on h.memory = u.memory where u.identity in ${among(identities)} order by u.memory, u.identity`,
  )
