import { governingScopes, governs } from '../../src/domain/blacklist.js'
import { HOLDS_KEY } from '../../src/domain/version.js'
import type { BlacklistRule } from '../../src/schema/guards.js'
import type { Scope } from '../../src/schema/scope.js'
import type { Db } from '../ports.js'
import type { IdentityBook } from './identities.js'
import { among, sql } from './sql.js'
import { type Head, type HeadRow, headColumns, rowToHead } from './versions.js'

interface RuleRow {
  rule: string
  identity: number
  pattern: string
  pattern_type: BlacklistRule['patternType']
  reason: string | null
  actor: string
  created_at: number
  timed_out_at: number | null
}

const rowToRule = (row: RuleRow, book: IdentityBook): BlacklistRule => ({
  id: row.rule,
  pattern: row.pattern,
  patternType: row.pattern_type,
  reason: row.reason,
  actor: row.actor,
  createdAt: row.created_at,
  timedOutAt: row.timed_out_at,
  scope: book.scopeOf(row.identity),
})

/** The rules that hold for what is written in a scope, oldest first. One lookup per level, of which there are six at most. */
export const rulesFor = (db: Db, book: IdentityBook, scope: Scope): readonly BlacklistRule[] =>
  governingScopes(scope)
    .flatMap((wider) => {
      const identity = book.find(wider)
      return identity === null ? [] : rulesOf(db, book, identity)
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1))

/** The rules that were made in one identity. */
export const rulesOf = (db: Db, book: IdentityBook, identity: number): readonly BlacklistRule[] =>
  db.all<RuleRow>(sql`select * from blacklist where identity = ${identity}`).map((row) => rowToRule(row, book))

/** Whether a rule of this id stands under any identity. */
export const hasRule = (db: Db, id: string): boolean => db.get(sql`select 1 from blacklist where rule = ${id}`) !== undefined

export const insertRule = (db: Db, identity: number, rule: BlacklistRule): void => {
  db.run(
    sql`insert into blacklist (rule, identity, pattern, pattern_type, reason, actor, created_at, timed_out_at) values (${rule.id},
      ${identity}, ${rule.pattern}, ${rule.patternType}, ${rule.reason}, ${rule.actor}, ${rule.createdAt}, null)`,
  )
}

export const deleteRule = (db: Db, id: string): void => {
  db.run(sql`delete from blacklist where rule = ${id}`)
}

/** Notes that a rule ran out of its time. */
export const flagRule = (db: Db, id: string, nowMs: number): void => {
  db.run(sql`update blacklist set timed_out_at = ${nowMs} where rule = ${id}`)
}

/** The numbers of all identities that the rules of a scope hold for. */
export const governedIdentities = (db: Db, book: IdentityBook, scope: Scope): readonly number[] =>
  db
    .all<{ identity: number }>(sql`select identity from identities order by identity`)
    .map(({ identity }) => identity)
    .filter((identity) => governs(scope, book.scopeOf(identity)))

/** Live heads of some identities, whatever their type, in the order of their memories: a page of them after one. */
export const liveHeadsAfter = (db: Db, identities: readonly number[], memory: number, limit: number): readonly Head[] =>
  db
    .all<HeadRow>(
      sql`select ${headColumns} from heads h join versions v on v.row = h.row
        where h.memory > ${memory} and h.identity in ${among(identities)} and h.status in ${among(HOLDS_KEY)}
        order by h.memory limit ${limit}`,
    )
    .map(rowToHead)
