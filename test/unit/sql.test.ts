import { describe, expect, test } from 'vitest'
import type { Db } from '../../worker/ports.js'
import { among, join, sql } from '../../worker/store/sql.js'
import { openTestDb } from '../support/engine.js'

describe('the sql tag', () => {
  test('binds what is interpolated and never pastes it', () => {
    const hostile = `'; drop table t; --`
    expect(sql`select ${hostile}, ${null}, ${7n}`).toEqual({ text: 'select ?, ?, ?', values: [hostile, null, 7n] })
  })

  test('joins fragments in with their own values, in order', () => {
    const inner = sql`b = ${2}`
    expect(sql`a = ${1} and ${inner} and c = ${3}`).toEqual({ text: 'a = ? and b = ? and c = ?', values: [1, 2, 3] })
    expect(sql`${sql`${sql`${1}`}`}`).toEqual({ text: '?', values: [1] })
  })

  test('takes bytes for a value', () => {
    const bytes = Uint8Array.of(1, 2)
    expect(sql`${bytes}`).toEqual({ text: '?', values: [bytes] })
  })

  test('joins lists of fragments', () => {
    expect(join([sql`a = ${1}`, sql`b = ${2}`], ' and ')).toEqual({ text: 'a = ? and b = ?', values: [1, 2] })
    expect(join([], ', ')).toEqual({ text: '', values: [] })
  })
})

const WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six']

/** Numbers 0 to 1999, and a few words. */
const withRows = async (): Promise<Db> => {
  const db = await openTestDb()
  db.script('create table t (n integer primary key, word text) strict')
  db.transaction(() => {
    for (let n = 0; n < 2000; n++) db.run(sql`insert into t (n, word) values (${n}, ${WORDS[n] ?? null})`)
  })
  return db
}

describe('a list for in', () => {
  test.each([0, 1, 2, 3, 4, 5, 6, 1000])('of %i values holds exactly these', async (length) => {
    const db = await withRows()
    const numbers = Array.from({ length }, (_, i) => i * 2)
    const within = db.all<{ n: number }>(sql`select n from t where n in ${among(numbers)} order by n`)
    expect(within.map(({ n }) => n)).toEqual(numbers)
    const without = db.all<{ n: number }>(sql`select n from t where n not in ${among(numbers)}`)
    expect(without).toHaveLength(2000 - length)
    expect(without.some(({ n }) => numbers.includes(n))).toBe(false)
  })

  test.each([0, 1, 4, 5])('may hold %i texts, whatever is in them', async (length) => {
    const db = await openTestDb()
    db.script('create table t (word text) strict')
    const words = [`'; drop table t; --`, '["a"]', '', 'é"\\', '🎉'].slice(0, length)
    for (const word of [...words, 'other']) db.run(sql`insert into t (word) values (${word})`)
    const count = (statement: ReturnType<typeof sql>) => db.get<{ n: number }>(statement)?.n
    expect(count(sql`select count(*) as n from t where word in ${among(words)}`)).toBe(length)
    expect(count(sql`select count(*) as n from t where word not in ${among(words)}`)).toBe(1)
  })

  test('gives few statements, so that they stay prepared', () => {
    const texts = [0, 1, 2, 3, 4, 5, 50, 1000].map((length) => among(Array.from({ length }, (_, i) => i)).text)
    expect(new Set(texts).size).toBe(3)
  })
})
