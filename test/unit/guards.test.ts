import { expect, test } from 'vitest'
import { refusalOf } from '../../src/domain/guards.js'

const ONE = '1'.repeat(64)
const OTHER = '2'.repeat(64)

test('a write without a precondition passes', () => {
  expect(refusalOf(null, { ifMatchSha256: undefined })).toBeNull()
  expect(refusalOf({ contentSha256: ONE }, { ifMatchSha256: undefined })).toBeNull()
})

test('a write passes while the live value is the one it was made for', () => {
  expect(refusalOf({ contentSha256: ONE }, { ifMatchSha256: ONE })).toBeNull()
})

test('a write is refused with the current hash when the value changed, and with none when it is gone', () => {
  expect(refusalOf({ contentSha256: OTHER }, { ifMatchSha256: ONE })).toEqual({
    code: 'PRECONDITION_FAILED',
    currentSha256: OTHER,
  })
  expect(refusalOf(null, { ifMatchSha256: ONE })).toEqual({ code: 'PRECONDITION_FAILED', currentSha256: null })
})
