import type { JsonValue } from '../../schema/scalars.js'
import { canonicalJson } from '../canonical.js'

/** A record as it is kept: its fields, and when each was last written. A field that was taken away is told by its moment alone. */
export interface Folded {
  readonly fields: { readonly [name: string]: JsonValue }
  readonly written: { readonly [name: string]: number }
}

export const NO_FIELDS: Folded = { fields: {}, written: {} }

/** Fields that are written; null takes one away. */
export type FieldWrites = { readonly [name: string]: JsonValue }

/**
 * A record with fields written at a moment. A moment is never before the one that a field was last written at, so that after a clock was set
 * back the later write still stands.
 */
export const written = (record: Folded, writes: FieldWrites, atMs: number): Folded =>
  fold(record, {
    fields: Object.fromEntries(Object.entries(writes).filter(([, value]) => value !== null)),
    written: Object.fromEntries(Object.keys(writes).map((name) => [name, Math.max(atMs, (record.written[name] ?? -1) + 1)])),
  })

/**
 * Two states of one record in one: of each field what was written last, of two writes at one moment the one whose text comes later. So it does
 * not depend on the order in which states meet, or on how often.
 */
export const fold = (a: Folded, b: Folded): Folded => {
  const names = [...new Set([...Object.keys(a.written), ...Object.keys(b.written)])]
  const winners = names.map((name) => [name, isLater(a, b, name) ? b : a] as const)
  return {
    fields: Object.fromEntries(
      winners.flatMap(([name, { fields }]) => (Object.hasOwn(fields, name) ? [[name, fields[name] as JsonValue]] : [])),
    ),
    written: Object.fromEntries(winners.map(([name, { written: at }]) => [name, at[name] ?? 0])),
  }
}

const isLater = (a: Folded, b: Folded, name: string): boolean => {
  const [first, second] = [a.written[name] ?? -1, b.written[name] ?? -1]
  return second === first ? textOf(b, name) > textOf(a, name) : second > first
}

const textOf = ({ fields }: Folded, name: string): string => (Object.hasOwn(fields, name) ? canonicalJson(fields[name]) : '')
