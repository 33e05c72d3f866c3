import { beforeAll, describe, expect, test } from 'vitest'
import { canonicalForm } from '../../src/domain/canonical.js'
import type { Lexicon } from '../../src/domain/signature/lexicon.js'
import { type RelationKind, relate } from '../../src/domain/signature/relate.js'
import { signatureOf } from '../../src/domain/signature/signature.js'
import { testLexicon } from '../support/lexicon.js'
import { STATEMENT_PAIRS, type Wanted } from '../support/statement-pairs.js'

let lexicon: Lexicon
beforeAll(async () => {
  lexicon = await testLexicon()
})

/** What a relation comes to between near neighbours. Where a word is lacking on one side, how near they are decides. */
const VERDICTS: Readonly<Record<RelationKind, readonly Wanted[]>> = {
  restates: ['duplicate'],
  nearly: ['duplicate', 'clear'],
  refines: ['refines'],
  opposes: ['conflict'],
  differs: ['conflict'],
  apart: ['clear'],
}

const relationOf = (a: string, b: string): RelationKind =>
  canonicalForm(a) === canonicalForm(b) ? 'restates' : relate(signatureOf(a, lexicon), signatureOf(b, lexicon), lexicon).kind

describe.each(Object.entries(STATEMENT_PAIRS))('%s', (_, pairs) => {
  test.each(pairs)('%s / %s: %s', (a, b, wanted) => {
    expect(VERDICTS[relationOf(a, b)]).toContain(wanted)
  })
})

test('in other languages nothing is taken for a repeat that has another word in it', () => {
  for (const [a, b, wanted] of STATEMENT_PAIRS['languages without a lexicon'] ?? [])
    if (wanted !== 'duplicate') expect(['restates', 'nearly']).not.toContain(relationOf(a, b))
})

test('texts of very different length are no one statement, but another value is told in few words or in many', () => {
  const long = 'in the green house beside the old mill near the river where the ferry lands every morning'
  expect(relationOf('Ada lives in Rome.', `Ada lives in Lyon ${long}.`)).toBe('refines')
  expect(relationOf('The ferry was late.', `The ferry was not late ${long}.`)).toBe('apart')
})

test('more than a statement is compared with nothing', () => {
  const list = Array.from({ length: 70 }, (_, i) => `item${i}`).join(' ')
  expect(relationOf(`Buy ${list}.`, `Do not buy ${list}.`)).toBe('apart')
})

test('the table is as long as it should be', () => {
  expect(Object.values(STATEMENT_PAIRS).flat().length).toBeGreaterThanOrEqual(200)
})
