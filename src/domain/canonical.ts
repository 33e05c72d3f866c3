import type { JsonValue } from '../schema/scalars.js'
import { normalize } from './normalize.js'
import { sha256Hex } from './sha256.js'

/**
 * JSON with sorted names and no white space (the JSON Canonicalization Scheme, RFC 8785): the same value, the same text, on
 * every device.
 */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const fields = value as Record<string, unknown>
  const names = namesOf(fields).filter((name) => fields[name] !== undefined)
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(fields[name])}`).join(',')}}`
}

/** Hash of a value as callers see it: SHA-256 of its canonical JSON. */
export const contentSha256 = (value: JsonValue): string => sha256Hex(canonicalJson(value))

/** In code unit order, as the scheme asks; localeCompare would depend on the device. */
const namesOf = (fields: object): string[] => Object.keys(fields).sort((a, b) => (a < b ? -1 : 1))

/**
 * The words of a value, for embedding and for the word index: text as it is, structures as their parts. By sorted names, since a
 * stored value has lost the order in which it was given, and passages are stretches of this text.
 */
export const textOf = (value: JsonValue): string => {
  if (typeof value === 'string') return value
  if (value === null || typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return value.map(textOf).join('\n')
  return namesOf(value)
    .map((name) => `${name}: ${textOf(value[name] ?? null)}`)
    .join('\n')
}

/**
 * What two statements share when they say the same in the same words: lower case, NFKC, single spaces, no punctuation. Marks
 * that carry a value stay: 1.5 is not 15, 27:10 is not 2710, -5 is not 5, 5 % is not 5, C# is not C, a question is no claim.
 */
export const canonicalForm = (value: JsonValue): string => {
  const text = normalize(textOf(value), 'NFKC').toLowerCase().replace(/['’ʼ]/gu, '')
  const form = text
    .replace(/\p{P}/gu, (mark, at: number) => (carriesValue(mark, text, at) ? mark : ' '))
    .replace(/\s+/gu, ' ')
    .trim()
  return form === '' ? text.trim() : form
}

const carriesValue = (mark: string, text: string, at: number): boolean => {
  if ('%‰#@&_?'.includes(mark)) return true
  const digitAfter = /^\p{N}/u.test(text.slice(at + mark.length, at + mark.length + 2))
  return digitAfter && '.,:/-–'.includes(mark)
}

/**
 * A 53-bit number under which equal forms meet: short and quick to look up, so that what it finds is compared by the form itself.
 * Two rounds of multiplicative mixing; no secrecy is asked of it.
 */
export const formHash = (form: string): number => {
  let high = 0x9e3779b9
  let low = 0x85ebca6b
  for (let i = 0; i < form.length; i++) {
    const code = form.charCodeAt(i)
    high = Math.imul(high ^ code, 0xcc9e2d51)
    low = Math.imul(low ^ code, 0x1b873593)
  }
  high = Math.imul(high ^ (high >>> 15), 0x2545f491) ^ (low >>> 13)
  low = Math.imul(low ^ (low >>> 16), 0x9e3779b1) ^ (high >>> 14)
  return (high & 0x1fffff) * 0x1_0000_0000 + (low >>> 0)
}
