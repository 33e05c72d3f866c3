import type { JsonValue } from '../schema/scalars.js'

/** Types that are kept but never embedded nor found by search: replayed or fetched by label instead. */
const NOT_SEARCHABLE = new Set(['episodic', 'profile', '~document', '~schema', '~record', '~working', '~brief'])

/** Types that only a search for that type finds. */
export const HIDDEN_FROM_UNFILTERED: readonly string[] = ['reflection', '~turn', '~digest']

/** Whether a memory is embedded and enters the word index. */
export const isSearchable = (type: string, sensitivity: 'none' | 'medium' | 'high'): boolean =>
  !NOT_SEARCHABLE.has(type) && sensitivity !== 'high'

/** A procedure without situation or steps is stored as an ordinary statement, and says so. */
export const retype = (type: string, value: JsonValue): { readonly type: string; readonly retypedFrom?: string } =>
  type === 'procedural' && !isProcedure(value) ? { type: 'semantic', retypedFrom: 'procedural' } : { type }

const isProcedure = (value: JsonValue): boolean => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { situation, steps } = value
  return typeof situation === 'string' && situation.trim() !== '' && Array.isArray(steps) && steps.length >= 2
}
