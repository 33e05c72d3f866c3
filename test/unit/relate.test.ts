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

test('the table is as long as it should be', () => {
  expect(Object.values(STATEMENT_PAIRS).flat().length).toBeGreaterThanOrEqual(200)
})
