import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { indexText, lexicalQuery, MAX_QUERY_LENGTH, MAX_QUERY_TERMS, tellingWords } from '../../src/domain/lexical.js'
import type { Db } from '../../worker/ports.js'
import { sql } from '../../worker/store/sql.js'
import { openTestDb } from '../support/engine.js'

/** A word index as the store has it, with one row per text. */
const indexOf = async (...texts: readonly string[]): Promise<Db> => {
  const db = await openTestDb()
  db.script(`create virtual table lexicon using fts5(
    words, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2')`)
  texts.forEach((text, i) => {
    db.run(sql`insert into lexicon (rowid, words) values (${i + 1}, ${indexText(text)})`)
  })
  return db
}

const found = (db: Db, query: string): readonly number[] => {
  const words = lexicalQuery(query)
  if (words === null) return []
  return db
    .all<{ rowid: number }>(sql`select rowid from lexicon where lexicon match ${words.expression} order by rowid`)
    .map(({ rowid }) => rowid)
}

const syntax = fc.constantFrom(
  '"',
  '*',
  '(',
  ')',
  ' OR ',
  ' AND ',
  ' NOT ',
  ' NEAR(',
  '{words}',
  ':',
  '^',
  '+',
  '-',
  "'",
  '\0',
  ',',
  '2)',
  ';--',
)
const hostile = fc
  .array(
    fc.oneof(syntax, fc.string({ unit: 'binary', maxLength: 6 }), fc.constantFrom('word', '字字字字', '\ue000', '½', 'ﬁ')),
    {
      maxLength: 20,
    },
  )
  .map((parts) => parts.join(''))

describe('a query', () => {
  test('is quoted words and nothing else, whatever is asked', () => {
    fc.assert(
      fc.property(hostile, (query) => {
        const words = lexicalQuery(query)
        if (words === null) return
        const phrases = words.expression.split(' OR ')
        expect(phrases.length).toBeLessThanOrEqual(MAX_QUERY_TERMS)
        for (const phrase of phrases) expect(phrase).toMatch(/^"[\p{L}\p{N}\p{M}\p{Co} ]+"$/u)
      }),
      { numRuns: 300 },
    )
  })

  test('never breaks the word index and never finds what shares no word with it', async () => {
    const db = await indexOf('qqqxyzzy')
    fc.assert(
      fc.property(hostile, (query) => {
        fc.pre(!query.normalize('NFKC').toLowerCase().includes('qqqxyzzy'))
        expect(found(db, query)).toEqual([])
      }),
      { numRuns: 500 },
    )
    expect(found(db, 'qqqxyzzy')).toEqual([1])
  })

  test.each(['', '   ', '?!', '*', '""', '\0', '—'])('of %j has no words', (query) => {
    expect(lexicalQuery(query)).toBeNull()
  })

  test.each(['*', 'a*', '"', 'words:', 'NOT x', 'OR', 'AND', 'NEAR(a b)', '^start', '{words} : x', '-x', 'a" OR "b'])(
    'takes %j for words, not for syntax',
    async (query) => {
      const db = await indexOf('something else entirely')
      expect(found(db, query)).toEqual([])
    },
  )

  test('leaves out words that say little, unless there are no others', () => {
    expect(lexicalQuery('where does she live?')).toEqual({ expression: '"live"', onlyStopWords: false })
    expect(lexicalQuery('who is it')).toEqual({ expression: '"who" OR "is" OR "it"', onlyStopWords: true })
  })

  test('of a very long text is looked at as far as the limit', () => {
    const start = performance.now()
    expect(lexicalQuery(`${' '.repeat(MAX_QUERY_LENGTH)}late`)).toBeNull()
    const many = lexicalQuery(Array.from({ length: 20_000 }, (_, i) => `w${i}`).join(' '))
    expect(many?.expression.split(' OR ')).toHaveLength(MAX_QUERY_TERMS)
    lexicalQuery('\u0301'.repeat(200_000))
    lexicalQuery('字'.repeat(200_000))
    expect(performance.now() - start).toBeLessThan(3_000)
  })
})

describe('words', () => {
  test('are found in any case, accented or not, composed or not, and in another form', async () => {
    const db = await indexOf('Le Café on Hill Street', 'she plays guitars', 'don’t panic', 'ﬁne ＡＢＣ')
    expect(found(db, 'cafe\u0301')).toEqual([1])
    expect(found(db, 'CAFE')).toEqual([1])
    expect(found(db, 'guitar playing')).toEqual([2])
    expect(found(db, "don't")).toEqual([3])
    expect(found(db, 'fine abc')).toEqual([4])
  })

  test('of scripts without spaces are found inside longer runs, as phrases', async () => {
    const db = await indexOf('彼女は東京に住んでいる', '京東は会社です', 'กรุงเทพมหานคร', '서울에서 일한다', 'Berlin')
    expect(found(db, '東京')).toEqual([1])
    expect(found(db, '京東')).toEqual([2])
    expect(found(db, 'กรุงเทพ')).toEqual([3])
    expect(found(db, '서울')).toEqual([4])
    expect(found(db, '彼女は東京のどこに')).toContain(1)
    expect(lexicalQuery('東京')?.expression).toBe('"東 京"')
  })

  test('of two scripts in one run are found by either', async () => {
    const db = await indexOf('iPhone電話', 'Android')
    expect(found(db, 'iPhone')).toEqual([1])
    expect(found(db, '電話')).toEqual([1])
    expect(found(db, 'iPhone電話')).toEqual([1])
  })
})

test('the telling words of a text are expressions of their own, each once, without stop words', async () => {
  expect(tellingWords('Where does the "kettle" stand? The kettle, don\'t ask.')).toEqual([
    '"kettle"',
    '"stand"',
    '"don"',
    '"t"',
    '"don t"',
    '"ask"',
  ])
  expect(tellingWords('who is it')).toEqual([])
  const db = await indexOf('the kettle stands on the stove', 'nothing')
  for (const word of tellingWords('A kettle "AND" NEAR(stove'))
    db.all(sql`select rowid from lexicon where lexicon match ${word}`)
})
