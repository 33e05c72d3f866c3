import type { Sensitivity } from '../schema/records.js'
import type { JsonValue } from '../schema/scalars.js'
import { holdsCardNumber, holdsIban, holdsPhoneNumber, holdsPin, holdsSocialSecurityNumber } from './account-numbers.js'
import { textOf } from './canonical.js'
import { holdsCredential } from './credentials.js'

const ORDER: readonly Sensitivity[] = ['none', 'medium', 'high']

/** The more careful of two. */
export const higher = (a: Sensitivity, b: Sensitivity): Sensitivity => (ORDER.indexOf(a) < ORDER.indexOf(b) ? b : a)

/**
 * How careful to be with a value that nobody has said it of. High: credentials, card numbers, US social security numbers, PINs. Medium:
 * ways to reach or pay somebody. By shape and check digits, so that ordinary numbers, dates and ids pass; a bare value is read together
 * with the last part of its key, which says what it is.
 */
export const detectSensitivity = (value: JsonValue, key?: string): Sensitivity => {
  const text = readTogether(textOf(value), key)
  if (HIGH.some((holds) => holds(text))) return 'high'
  return MEDIUM.some((holds) => holds(text)) ? 'medium' : 'none'
}

const HIGH = [holdsCredential, holdsCardNumber, holdsSocialSecurityNumber, holdsPin]

/** With `user/wifi/password` as its key, `hunter2` is a password. */
const readTogether = (text: string, key: string | undefined): string => {
  const name = key?.split('/').at(-1)
  return name === undefined || /\p{L}[^\S\n]|\s\p{L}/u.test(text.trim())
    ? text
    : `${name.replace(/[-_.~@:]+/gu, ' ')}: ${text.trim()}`
}

// A file name such as icon@2x.png is no address, nor is what a repository is cloned from.
const ADDRESS =
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}_%+-][\p{L}\p{N}._%+-]{0,63}@(?:[\p{L}\p{N}-]{1,63}\.){1,6}(?!(?:png|jpe?g|gif|svg|webp|css|m?js|ts)\b)\p{L}{2,24}(?![\p{L}\p{N}-])(?!:[^\s])/iu

const holdsAddress = (text: string): boolean => ADDRESS.test(text)

const MEDIUM = [holdsAddress, holdsPhoneNumber, holdsIban]
