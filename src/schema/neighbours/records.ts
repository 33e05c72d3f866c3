import * as z from 'zod/mini'
import { type JsonValue, Label, Value } from '../scalars.js'
import type { Scope } from '../scope.js'
import { Name, paging, writing } from './names.js'

/** A name that stands as it is in a path of JSON. */
const FieldName = z.string().check(z.regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'is not a field name: letters, digits and _'))

/** What a field may hold. `instant`: ISO 8601 with a zone, kept in UTC; `day`: `2026-03-01`; `json`: anything, which nothing filters or sorts by. */
export const FieldType = z.enum(['text', 'number', 'boolean', 'instant', 'day', 'json'])
export type FieldType = z.infer<typeof FieldType>

const Field = z.strictObject({
  type: FieldType,
  /** A record without it is refused. */
  required: z.optional(z.boolean()),
  /** The only texts it may hold. */
  values: z.optional(z.array(Label).check(z.minLength(1), z.maxLength(200))),
})

const Fields = z.record(FieldName, Field).check(
  z.refine((fields) => Object.keys(fields).length <= 64, 'has more than 64 fields'),
  z.refine(
    (fields) => Object.values(fields).every(({ type, values }) => values === undefined || type === 'text'),
    'has values for a field that is no text',
  ),
)

/** Fields of the records of a collection. */
export type RecordFields = z.infer<typeof Fields>

/** Input of `records.define`. */
export const DefineInput = z.strictObject({ collection: Name, fields: Fields, ...writing })
export type DefineOptions = Omit<z.input<typeof DefineInput>, 'collection' | 'fields'>

/** Input of `records.put`. */
export const RecordPutInput = z.strictObject({
  collection: Name,
  record: Name,
  /** Those that are given replace; null takes one away; all others stay. */
  fields: z.record(FieldName, Value),
  ...writing,
})
export type RecordPutOptions = Omit<z.input<typeof RecordPutInput>, 'collection' | 'record' | 'fields'>

/** Input of `records.get`. */
export const RecordInput = z.strictObject({ collection: Name, record: Name })

/** Input of `records.remove`. */
export const RecordTarget = z.strictObject({ collection: Name, record: Name, ...writing })
export type RecordTargetOptions = Omit<z.input<typeof RecordTarget>, 'collection' | 'record'>

const Scalar = z.union([z.string(), z.number(), z.boolean()])

/** What a field is compared with: a value of its type, null for none, or bounds. */
export const Condition = z.union([
  Scalar,
  z.null(),
  z.strictObject({
    in: z.optional(z.array(Scalar).check(z.maxLength(200))),
    gt: z.optional(Scalar),
    gte: z.optional(Scalar),
    lt: z.optional(Scalar),
    lte: z.optional(Scalar),
    not: z.optional(z.nullable(Scalar)),
  }),
])
export type Condition = z.infer<typeof Condition>

/** Input of `records.list`. */
export const RecordsInput = z.strictObject({
  collection: Name,
  /** All of these hold. */
  where: z.optional(z.record(FieldName, Condition)),
  /** By these fields, the first one first; records without a field before all others. Then by the order in which they came. */
  sort: z.optional(
    z.array(z.strictObject({ field: FieldName, order: z._default(z.enum(['asc', 'desc']), 'asc') })).check(z.maxLength(4)),
  ),
  ...paging,
})
export type RecordsFilter = Omit<z.input<typeof RecordsInput>, 'collection'>

/** A record as it is read. Times are epoch milliseconds. */
export interface RecordRow {
  readonly collection: string
  readonly record: string
  readonly fields: Readonly<Record<string, JsonValue>>
  /** When each field was last written, those that were taken away too. */
  readonly written: Readonly<Record<string, number>>
  readonly contentSha256: string
  readonly createdAt: number
  readonly updatedAt: number
  /** Of the memory that holds it: `history` and the others take its key. */
  readonly key: string
  readonly id: string
  readonly version: string
  readonly scope: Scope
}

/** Answer of `records.list`. */
export interface RecordsResult {
  readonly rows: readonly RecordRow[]
  readonly nextCursor: string | null
  readonly scope: Scope
}

/** Answer of `records.define`. */
export interface DefineResult {
  readonly collection: string
  readonly fields: RecordFields
  readonly key: string
  readonly version: string
  readonly scope: Scope
}
