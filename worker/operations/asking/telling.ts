import type { MemoryRow } from '../../../src/schema/records.js'
import { headById, statementOf } from '../../store/versions.js'
import type { Engine } from '../context.js'

/** A memory that may be told, with what of it. */
export interface Telling {
  readonly row: MemoryRow
  readonly excerpt: string
  /** When it became true, else when it was first said. */
  readonly at: number
  /** Puts in order what was said in the same millisecond. */
  readonly ver: bigint
}

/** What a page or a tool brought is told once a person stands behind it. */
export const isAttested = ({ sourceClass, verification }: MemoryRow): boolean =>
  sourceClass !== 'external' || verification === 'human'

/** A memory as it may be told. Marks and tags that were put on it later make it no newer. */
export const tellingOf = ({ store }: Engine, identities: readonly number[], row: MemoryRow, excerpt: string): Telling => {
  const head = headById(store.db, identities, row.id)
  const isNow = head !== null && head.ver === BigInt(row.version)
  const said = isNow ? statementOf(store.db, head) : { at: row.updatedAt, ver: BigInt(row.version) }
  return { row, excerpt, at: row.validAt ?? row.temporalAnchor ?? said.at, ver: said.ver }
}

/** The one that became true, or was said, later comes first. */
export const newestFirst = (a: Telling, b: Telling): number => b.at - a.at || (a.ver < b.ver ? 1 : -1)

/** The day of it, as a prompt shows it. */
export const dayOf = ({ at }: Telling): string => {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? 'undated' : date.toISOString().slice(0, 10)
}
