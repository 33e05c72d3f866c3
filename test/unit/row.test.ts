import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packBody, unpackBody } from '../../src/domain/body.js'
import { bodyProblem, rowProblem, unhex } from '../../src/domain/row.js'
import { hex } from '../../src/domain/sha256.js'
import { bodyCommitment, chainSha256 } from '../../src/domain/version.js'
import { Row, RowBody } from '../../src/schema/row.js'
import { parse } from '../../worker/parse.js'
import { placesOf, readRows } from '../../worker/store/rows.js'
import { jsonValue } from '../support/arbitraries.js'
import { ALICE, openTestStore, plant } from '../support/store.js'

/** The versions of one memory, as a store gives them out. */
const chain = async (count: number): Promise<readonly Row[]> => {
  const store = await openTestStore()
  let parent = plant(store, { value: 'the first' })
  for (let i = 1; i < count; i++) parent = plant(store, { value: `number ${i}`, parent, nowMs: 1_000 + i })
  const identity = store.book.find(ALICE) ?? 0
  return readRows(
    store.db,
    store.book,
    placesOf(store.db, [identity]).map(({ row }) => row),
  )
}

/** What is wrong with each row, asked for in order. */
const problems = (rows: readonly Row[]): readonly (string | null)[] => {
  const before = new Map<string, Row>()
  return rows.map((row) => {
    const problem = rowProblem(row, before)
    before.set(row.id, row)
    return problem
  })
}

/** A row with its own hash made anew. */
const rehashed = (row: Row): Row => ({
  ...row,
  sha256: chainSha256(
    row.prev,
    { rowId: row.id, ver: BigInt(row.ver), kind: row.kind, memoryId: row.memory, scope: row.scope, parents: row.parents },
    row.commitment,
  ),
})

test('rows of a store prove themselves and each other', async () => {
  const rows = await chain(4)
  expect(problems(rows)).toEqual([null, null, null, null])
  for (const row of rows) expect(parse(Row, row)).toEqual(row)
})

test('a row in the wrong place, or with anything changed, does not', async () => {
  const [first, second, third] = (await chain(3)) as [Row, Row, Row]
  const other = 'f'.repeat(64)
  for (const wrong of [
    { ...second, body: `${second.body} ` },
    { ...second, ver: third.ver },
    { ...second, scope: { ...second.scope, user: 'bob' } },
    { ...second, human: second.human, sha256: other },
    { ...second, salt: null },
    rehashed({ ...second, prev: other }),
    rehashed({ ...second, prev: null }),
    rehashed({ ...second, parents: [] }),
    rehashed({ ...second, ver: first.ver }),
    rehashed({ ...second, ver: `${2n ** 62n + 1n}` }),
    rehashed({ ...second, scope: { ...second.scope, session: 's' } }),
  ])
    expect(problems([first, wrong])[1], JSON.stringify(wrong)).not.toBeNull()
  expect(problems([first, first])[1]).not.toBeNull()
})

test('a row whose parent is lost stands behind a gap', async () => {
  const [first, , third] = (await chain(3)) as [Row, Row, Row]
  expect(problems([first, third])).toEqual([null, null])
})

test('a body that was redacted leaves a chain that holds', async () => {
  const [first, second, third] = (await chain(3)) as [Row, Row, Row]
  expect(problems([first, { ...second, body: null, salt: null }, third])).toEqual([null, null, null])
  const redacted = { at: 1, actor: 'process:test', reason: 'asked for', writtenAt: 1, status: 'active' } as const
  expect(problems([first, { ...second, body: null, salt: null, redacted }, third])).toEqual([null, null, null])
  expect(problems([first, { ...second, redacted }])[1]).not.toBeNull()
})

test('every body that a store packs is one that a row may hold', () => {
  fc.assert(
    fc.property(jsonValue(), fc.boolean(), (value, isBuried) => {
      const usual = unpackBody(
        JSON.stringify({
          key: 'a',
          value,
          createdAt: 1,
          updatedAt: 2,
          actor: 'process:test',
          contentSha256: 'a'.repeat(64),
        }),
      )
      const text = packBody({ ...usual, status: isBuried ? 'tombstoned' : 'active' })
      const read = JSON.parse(text) as RowBody
      const isBlank = typeof value === 'string' && value.trim() === ''
      if (!isBlank || isBuried) expect(parse(RowBody, read)).toEqual(read)
      const problem = bodyProblem(text, read)
      expect(problem === null).toBe(isBuried)
    }),
  )
})

test('bytes and their hexadecimal are the same', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      expect(unhex(hex(bytes))).toEqual(Uint8Array.from(bytes))
    }),
  )
  expect(bodyCommitment(unhex('00ff'), 'x')).toBe(bodyCommitment(Uint8Array.of(0, 255), 'x'))
})
