import type { JsonValue } from '../../schema/scalars.js'

type JsonObject = { [name: string]: JsonValue }

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** JSON Merge Patch (RFC 7396): fields given replace, null takes a field away, and what is no object replaces the whole. */
export const mergePatch = (target: JsonValue | undefined, patch: JsonValue): JsonValue => {
  if (!isObject(patch)) return patch
  const merged = new Map(isObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name), value))
  }
  return Object.fromEntries(merged)
}
