import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalEntity } from '../../src/domain/entity.js'

test.each([
  ['Billing Services', 'billing service'],
  ["our Billing Service's", 'billing service'],
  ['The billing-service', 'billing service'],
  ['Alice', 'alice'],
  ["Alice's", 'alice'],
  ["James' cats", 'james cat'],
  ["O'Brien", 'obrien'],
  ['the ministers of state', 'minister of state'],
  ['Companies', 'company'],
  ['ties', 'tie'],
  ['boxes', 'box'],
  ['churches', 'church'],
  ['potatoes', 'potato'],
  ['houses', 'house'],
  ['glasses', 'glass'],
  ['the class', 'class'],
  ['a virus', 'virus'],
  ['analysis', 'analysis'],
  ['people', 'person'],
  ['C++', 'c++'],
  ['C#', 'c#'],
  ['The The', 'the the'],
  ['ＡＢＣ', 'abc'],
  ['東京', '東京'],
  ['Straßen', 'straßen'],
  ['...', ''],
])('%s is %s', (name, canonical) => expect(canonicalEntity(name)).toBe(canonical))

test('an article, punctuation, case and a repeat make no other entity, and no text is too strange', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      const canonical = canonicalEntity(`x ${name}`)
      expect(canonicalEntity(`  the x ${name}, `)).toBe(canonical)
      expect(canonical).toBe(canonical.trim())
    }),
    { examples: [['constructor'], ['__proto__'], ['the'], ['of'], ['']] },
  )
})
