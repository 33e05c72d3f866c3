import { type FieldWrites, type Folded, NO_FIELDS, written } from '../../../src/domain/neighbours/fold.js'
import { fieldProblem, missingField } from '../../../src/domain/neighbours/record-schema.js'
import { namesIn, roomKey } from '../../../src/domain/neighbours/room.js'
import { invalidArgument, MemoryError } from '../../../src/protocol/errors.js'
import type { RemoveResult } from '../../../src/schema/neighbours/profile.js'
import type { DefineResult, RecordFields, RecordRow } from '../../../src/schema/neighbours/records.js'
import { type JsonValue, Value } from '../../../src/schema/scalars.js'
import { parse } from '../../parse.js'
import type { Head } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { fitting, isThere, liveHere, putOne, recordingFor, type Writing } from './put.js'
import { addressOf, removeRow, rowAt } from './rows.js'

const SCHEMA = '~schema'
export const RECORD = '~record'

interface RecordName {
  readonly collection: string
  readonly record: string
}

const schemaKey = (collection: string): string => fitting(roomKey('~schemas', collection), 'collection')
const keyOf = ({ collection, record }: RecordName): string => fitting(roomKey('~records', collection, record), 'record')

/** Declares the fields of a collection. Records that were written before are read as they are. */
export const defineRecords = (
  engine: Engine,
  context: CallContext,
  input: Writing & { readonly collection: string; readonly fields: RecordFields },
): Promise<DefineResult> =>
  putOne(
    engine,
    context,
    recordingFor('records.define', input),
    () => ({
      key: schemaKey(input.collection),
      type: SCHEMA,
      // As JSON, without the fields that were left out.
      value: parse(Value, JSON.parse(JSON.stringify(input.fields)), 'fields'),
    }),
    ({ head }) => {
      const { key, version, scope } = addressOf(engine, head)
      return { collection: input.collection, fields: input.fields, key, version, scope }
    },
  )

/** The fields of a collection, as the nearest tier has declared them. */
export const schemaOf = (engine: Engine, context: CallContext, collection: string): RecordFields => {
  const key = schemaKey(collection)
  const head = rowAt(engine, context, 'records.schema', key, SCHEMA)
  if (head === null)
    throw new MemoryError('NOT_FOUND', `Nobody has declared the fields of ${collection}. Call records.define first.`, {
      key,
    })
  return head.body.value as unknown as RecordFields
}

/** What a row holds; nothing where somebody else has put something of another form there. */
const foldedOf = (value: JsonValue | undefined): Folded =>
  typeof value === 'object' && value !== null && 'fields' in value && 'written' in value
    ? (value as unknown as Folded)
    : NO_FIELDS

export const headToRecord =
  (engine: Engine) =>
  (head: Head): RecordRow => {
    const [collection = '', record = ''] = namesIn(head.body.key)
    return { collection, record, ...foldedOf(head.body.value), ...addressOf(engine, head) }
  }

/** Writes fields of a record; all others stay. */
export const putRecord = (
  engine: Engine,
  context: CallContext,
  input: Writing & RecordName & { readonly fields: FieldWrites },
): Promise<RecordRow> =>
  putOne(
    engine,
    context,
    recordingFor('records.put', input),
    () => {
      const key = keyOf(input)
      const schema = schemaOf(engine, context, input.collection)
      const problem = fieldProblem(schema, input.fields, Date.parse)
      if (problem !== null) throw invalidArgument(`fields.${problem.field}`, problem.message)
      const held = liveHere(engine, context, key)
      const before = held !== null && isThere(held, context.acceptedAt) ? foldedOf(held.body.value) : NO_FIELDS
      const { fields, written: moments } = changed(before, inUtc(schema, input.fields), context.acceptedAt)
      const missing = missingField(schema, fields)
      if (missing !== null) throw invalidArgument(`fields.${missing}`, 'is needed')
      return { key, type: RECORD, value: parse(Value, { fields, written: moments }, 'fields') }
    },
    ({ head }) => headToRecord(engine)(head),
  )

/** What says the same as before is no write of a field. */
const changed = (before: Folded, writes: FieldWrites, atMs: number): Folded => {
  const isNew = ([name, value]: [string, JsonValue]) => JSON.stringify(before.fields[name] ?? null) !== JSON.stringify(value)
  return written(before, Object.fromEntries(Object.entries(writes).filter(isNew)), atMs)
}

/** Instants as one text each, so that they compare as they follow each other. */
const inUtc = (schema: RecordFields, fields: FieldWrites): FieldWrites =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, asStored(schema[name]?.type, value)]))

export const asStored = <T>(type: string | undefined, value: T): T | string =>
  type === 'instant' && typeof value === 'string' ? new Date(value).toISOString() : value

export const getRecord = (engine: Engine, context: CallContext, input: RecordName): RecordRow | null => {
  const head = rowAt(engine, context, 'records.get', keyOf(input), RECORD)
  return head === null ? null : headToRecord(engine)(head)
}

export const removeRecord = (engine: Engine, context: CallContext, input: Writing & RecordName): Promise<RemoveResult> =>
  removeRow(engine, context, 'records.remove', keyOf(input), input)
