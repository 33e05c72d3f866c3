import { expect, test } from 'vitest'
import { CALLS } from '../../src/protocol/calls.js'
import { MemoryError } from '../../src/protocol/errors.js'
import { SELDOM_CALLS } from '../../src/protocol/seldom-calls.js'
import { parse } from '../../worker/parse.js'

/** What no length can be read of, and nothing be compared with. */
const UNREADABLE = { length: [Object.create(null)], size: Object.create(null), normalize: null }

const ALL = { ...CALLS, ...SELDOM_CALLS }

test.each(Object.keys(ALL) as (keyof typeof ALL)[])('%s refuses what cannot even be looked at', (name) => {
  const { input } = ALL[name]
  const fields = Object.keys((input as { shape?: object }).shape ?? { key: 0 })
  for (const field of fields)
    for (const given of [UNREADABLE, [UNREADABLE]]) {
      try {
        parse(input, { [field]: given })
      } catch (error) {
        expect(error).toBeInstanceOf(MemoryError)
        expect((error as MemoryError).code).toBe('INVALID_ARGUMENT')
      }
    }
})
