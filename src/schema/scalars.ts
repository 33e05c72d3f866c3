import * as z from 'zod/mini'

/** Largest memory value, counted as UTF-8 bytes of its JSON. Longer texts belong in documents, not claims. */
export const MAX_VALUE_BYTES = 196_608
/** Longest key, in UTF-16 code units after normalisation. */
export const MAX_KEY_LENGTH = 512
/** Most segments of a key. */
export const MAX_KEY_SEGMENTS = 8
/** Longest id of any identity level, tag, entity or type. */
export const MAX_ID_LENGTH = 512
/** A thousand years: a later end than that is none. */
export const MAX_TTL_SECONDS = 31_556_952_000
/** Deepest nesting of a value: beyond it a value is refused rather than walked. */
export const MAX_VALUE_DEPTH = 64

const KEY_SEGMENT = /^[\p{L}\p{N}\p{M}\-_.~@:]+$/u

/** Text that survives a round trip through UTF-8: no lone surrogates. */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text)

/** Why a key is not a key, or null when it is one. Expects NFC text. */
export const keyProblem = (key: string): string | null => {
  if (key.length === 0) return 'is empty'
  if (key.length > MAX_KEY_LENGTH) return `is longer than ${MAX_KEY_LENGTH} characters`
  if (!isWellFormed(key)) return 'contains a lone surrogate'
  const segments = key.split('/')
  if (segments.length > MAX_KEY_SEGMENTS) return `has more than ${MAX_KEY_SEGMENTS} segments`
  for (const segment of segments) {
    if (segment === '') return 'has an empty segment, or a leading or trailing slash'
    if (!KEY_SEGMENT.test(segment))
      return 'may hold letters, digits, combining marks and - _ . ~ @ : only, in segments divided by /'
  }
  return null
}

/** Why a value cannot be stored as JSON, with the path to the offending part, or null when it can. */
export const valueProblem = (value: unknown): { path: (string | number)[]; message: string } | null => {
  const open = new Set<object>()
  const path: (string | number)[] = []
  let parts = 0
  const problem = (message: string) => ({ path: [...path], message })
  const walk = (part: unknown, depth: number): ReturnType<typeof problem> | null => {
    // Each part takes a byte at least. Parts that are shared may stand for more than could ever be written out.
    if (++parts > MAX_VALUE_BYTES) return { path: [], message: `is larger than ${MAX_VALUE_BYTES} bytes` }
    if (part === null || typeof part === 'boolean') return null
    if (typeof part === 'string') return isWellFormed(part) ? null : problem('contains a lone surrogate')
    if (typeof part === 'number') return Number.isFinite(part) ? null : problem('is not a finite number')
    if (typeof part !== 'object') return problem(`is not JSON: ${typeof part}`)
    if (depth >= MAX_VALUE_DEPTH) return problem(`is nested deeper than ${MAX_VALUE_DEPTH} levels`)
    if (open.has(part)) return problem('refers to itself')
    open.add(part)
    const entries = Array.isArray(part) ? part.entries() : plainEntries(part)
    if (entries === null) return problem('is not JSON: only plain objects and arrays nest')
    for (const [name, child] of entries) {
      path.push(name)
      if (name === '__proto__') return problem('is a reserved field name')
      if (typeof name === 'string' && !isWellFormed(name)) return problem('contains a lone surrogate')
      const found = walk(child, depth + 1)
      if (found !== null) return found
      path.pop()
    }
    open.delete(part)
    return null
  }
  return walk(value, 0)
}

const plainEntries = (part: object): Iterable<[string, unknown]> | null => {
  const prototype = Object.getPrototypeOf(part)
  return prototype === Object.prototype || prototype === null ? Object.entries(part) : null
}

// Text of a third of the limit fits however it is encoded; only longer text is worth counting.
const utf8Length = (text: string): number => (text.length * 3 <= MAX_VALUE_BYTES ? 0 : new TextEncoder().encode(text).length)

/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue }

/** A claim's value: any JSON of at most {@link MAX_VALUE_BYTES} bytes; text must not be blank. */
export const Value = z.custom<JsonValue>().check((context) => {
  const problem = valueProblem(context.value)
  if (problem !== null) {
    context.issues.push({ code: 'custom', input: undefined, path: problem.path, message: problem.message })
    return
  }
  if (typeof context.value === 'string' && context.value.trim() === '')
    context.issues.push({ code: 'custom', input: undefined, message: 'is blank' })
  else if (utf8Length(JSON.stringify(context.value)) > MAX_VALUE_BYTES)
    context.issues.push({ code: 'custom', input: undefined, message: `is larger than ${MAX_VALUE_BYTES} bytes` })
})

/** Text that can be stored and read back unchanged. */
export const Text = z.string().check(z.refine(isWellFormed, 'contains a lone surrogate'))

/** A readable path such as `user/home/city`; stored in Unicode normal form C. */
export const Key = z
  .pipe(
    // Before normalising, which is slow on hostile text.
    z.string().check(z.maxLength(4 * MAX_KEY_LENGTH)),
    z.transform((key: string) => key.normalize('NFC')),
  )
  .check((context) => {
    const problem = keyProblem(context.value)
    if (problem !== null) context.issues.push({ code: 'custom', input: undefined, message: problem })
  })

/** The beginning of a key, whole segments or part of one. */
export const KeyPrefix = z.string().check(z.minLength(1), z.maxLength(MAX_KEY_LENGTH), z.refine(isWellFormed))

/** A short label: a tag, an entity, a type. */
export const Label = Text.check(
  z.minLength(1),
  z.maxLength(MAX_ID_LENGTH),
  z.refine((text) => !text.includes('\0'), 'contains NUL'),
)

/** Identifier of one memory, the same over all its versions. */
export const MemoryId = z.string().check(z.regex(/^[0-9A-HJKMNP-TV-Z]{26}$/, 'is not a memory id'))

/** Lower-case hexadecimal SHA-256. */
export const Sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/, 'is not a lower-case hexadecimal SHA-256'))

/** 16 bytes of chance in hexadecimal. */
export const Salt = z.string().check(z.regex(/^[0-9a-f]{32}$/, 'is not a salt'))

const DATE =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?)?)?$/

/** Whether a text of ISO 8601 names a day that there is, and a zone. */
const readsAsDate = (text: string): { readonly isInstant: boolean } | null => {
  const [, year, month = '01', day = '01', zone] = DATE.exec(text) ?? []
  const isThere = year !== undefined && new Date(`${year}-${month}-${day}T00:00:00Z`).getUTCDate() === Number(day)
  return isThere ? { isInstant: zone !== undefined } : null
}

/** An instant as ISO 8601 text with a zone, such as `2026-03-01T09:00:00Z`. */
export const Instant = z
  .string()
  .check(z.refine((text) => readsAsDate(text)?.isInstant === true, 'is not an instant of ISO 8601 with a zone'))

/** An instant, or a date without a zone: `2026-03-01T09:00`, `2026-03-01`, `2026-03`, `2026`. */
export const DateText = z
  .string()
  .check(z.refine((text) => readsAsDate(text) !== null, 'is not a date or an instant of ISO 8601'))

const isTimeZone = (name: string): boolean => {
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }) !== null
  } catch {
    return false
  }
}

/** A zone of the IANA database, such as `Europe/Berlin`. */
export const TimeZone = z.string().check(z.maxLength(100), z.refine(isTimeZone, 'is not a time zone'))

/** A caller's name for one write: repeating the write under it answers with the first result. */
export const IdempotencyKey = Text.check(z.minLength(1), z.maxLength(200))

/** A share between 0 and 1. */
export const Share = z.number().check(z.gte(0), z.lte(1))
