import type { RemoveResult } from '../schema/neighbours/profile.js'
import type {
  DefineOptions,
  DefineResult,
  RecordFields,
  RecordPutOptions,
  RecordRow,
  RecordsFilter,
  RecordsResult,
  RecordTargetOptions,
} from '../schema/neighbours/records.js'
import type { JsonValue } from '../schema/scalars.js'
import type { Abortable } from './abortable.js'

/** Data with exact fields: checked by a declared schema, filtered exactly, never embedded and in no search. */
export interface RecordCalls {
  /**
   * Declare the fields of a collection. Who declares them for a wider scope declares them for the narrower ones too. Another declaration is a new
   * version; records that were written before are read as they are.
   *
   * Rejects with INVALID_ARGUMENT, FORBIDDEN, LOCKED, STORAGE_FULL.
   *
   * ```ts
   * await memory.records.define('people', { name: { type: 'text', required: true }, age: { type: 'number' } })
   * ```
   */
  readonly define: (collection: string, fields: RecordFields, options?: DefineOptions & Abortable) => Promise<DefineResult>
  /**
   * Write fields of a record: those that are given replace, null takes one away, all others stay. Of each field the last write stands; all are in
   * its history.
   *
   * Rejects with INVALID_ARGUMENT for a field that is unknown, of another type or missing though it is required, NOT_FOUND for a collection that
   * nobody has declared, and FORBIDDEN, LOCKED, PINNED_CONFLICT, BLACKLISTED, STORAGE_FULL.
   *
   * ```ts
   * await memory.records.put('people', 'ana', { name: 'Ana Reyl', age: 41 })
   * ```
   */
  readonly put: (
    collection: string,
    record: string,
    fields: Readonly<Record<string, JsonValue>>,
    options?: RecordPutOptions & Abortable,
  ) => Promise<RecordRow>
  /** One record, or null; of several tiers the nearest answers. */
  readonly get: (collection: string, record: string, options?: Abortable) => Promise<RecordRow | null>
  /**
   * Records that meet exact conditions, in an order, a page at a time.
   *
   * Rejects with INVALID_ARGUMENT for a field that is unknown or of type `json`, and NOT_FOUND for a collection that nobody has declared.
   *
   * ```ts
   * const { rows } = await memory.records.list('people', { where: { age: { gte: 40 } }, sort: [{ field: 'name' }] })
   * ```
   */
  readonly list: (collection: string, filter?: RecordsFilter & Abortable) => Promise<RecordsResult>
  /** Delete a record of the handle's own scope. It can be restored for 14 days by its key. */
  readonly remove: (collection: string, record: string, options?: RecordTargetOptions & Abortable) => Promise<RemoveResult>
}
