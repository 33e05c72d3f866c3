import { fieldProblem } from '../../../src/domain/neighbours/record-schema.js'
import { roomPrefix } from '../../../src/domain/neighbours/room.js'
import { resolve } from '../../../src/domain/scope.js'
import { invalidArgument } from '../../../src/protocol/errors.js'
import type { Condition, RecordFields, RecordsResult } from '../../../src/schema/neighbours/records.js'
import type { JsonValue } from '../../../src/schema/scalars.js'
import type { SqlValue } from '../../ports.js'
import { type Comparison, memoryOfRow, recordHeads, type SortBy } from '../../store/records.js'
import type { CallContext, Engine } from '../context.js'
import { asStored, headToRecord, RECORD, schemaOf } from './records.js'
import type { Paging } from './rows.js'

interface RecordsInput extends Paging {
  readonly collection: string
  readonly where?: Readonly<Record<string, Condition>> | undefined
  readonly sort?: readonly SortBy[] | undefined
}

/** Records that meet exact conditions, in an order, a page at a time. */
export const listRecords = (engine: Engine, context: CallContext, input: RecordsInput): RecordsResult => {
  const { store } = engine
  const schema = schemaOf(engine, context, input.collection)
  const where = Object.entries(input.where ?? {}).flatMap(([field, condition]) => comparisonsOf(schema, field, condition))
  const sorts = input.sort ?? []
  sorts.forEach(({ field }, i) => void comparable(schema, field, `sort.${i}.field`))
  const identities = store.book.visible(context.scope).map(({ identity }) => identity)
  const filter = { type: RECORD, prefix: roomPrefix('~records', input.collection), nowMs: context.acceptedAt }
  const behind = input.cursor === undefined ? null : readCursor(engine, identities, input.cursor)
  const heads = recordHeads(store.db, identities, filter, { where, sorts, behind, limit: input.limit + 1 })
  const page = heads.slice(0, input.limit)
  return {
    rows: page.map(headToRecord(engine)),
    // The version, not the memory: it says for good where the page ended, also when the record is changed meanwhile.
    nextCursor: heads.length > input.limit ? String(page.at(-1)?.row) : null,
    scope: resolve(context.scope),
  }
}

const readCursor = ({ store }: Engine, identities: readonly number[], cursor: string) => {
  const row = /^\d{1,16}$/.test(cursor) ? Number(cursor) : Number.NaN
  const memory = Number.isSafeInteger(row) ? memoryOfRow(store.db, identities, row) : null
  if (memory === null) throw invalidArgument('cursor', 'is not one that list has given')
  return { row, memory }
}

/** The type of a field that values can be compared with. */
const comparable = (schema: RecordFields, field: string, path: string): string => {
  const declared = Object.hasOwn(schema, field) ? schema[field] : undefined
  if (declared === undefined) throw invalidArgument(path, 'is not a field of this collection')
  if (declared.type === 'json') throw invalidArgument(path, 'is of type json, which nothing is compared with')
  return declared.type
}

const comparisonsOf = (schema: RecordFields, field: string, condition: Condition): readonly Comparison[] => {
  const path = `where.${field}`
  const type = comparable(schema, field, path)
  const bound = (value: JsonValue): SqlValue => {
    const problem =
      value === null ? null : fieldProblem({ [field]: { type } } as RecordFields, { [field]: value }, Date.parse)
    if (problem !== null) throw invalidArgument(path, problem.message)
    const stored = asStored(type, value)
    return typeof stored === 'boolean' ? Number(stored) : (stored as SqlValue)
  }
  if (typeof condition !== 'object' || condition === null) return [{ field, by: 'is', value: bound(condition) }]
  return Object.entries(condition).flatMap(([by, value]): readonly Comparison[] => {
    if (value === undefined) return []
    if (by === 'in') return [{ field, by, value: (value as JsonValue[]).map(bound) as (string | number)[] }]
    return [{ field, by: by === 'not' ? 'isNot' : (by as 'gt'), value: bound(value as JsonValue) }]
  })
}
