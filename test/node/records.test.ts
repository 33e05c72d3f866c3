import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Folded, fold, NO_FIELDS, written } from '../../src/domain/neighbours/fold.js'
import type { RecordRow, RecordsResult } from '../../src/schema/neighbours/records.js'
import type { ScopePatch } from '../../src/schema/scope.js'
import { ALICE, type Fields, open, refusal } from '../support/engine-calls.js'

const PEOPLE = {
  name: { type: 'text', required: true },
  age: { type: 'number' },
  member: { type: 'boolean' },
  joined: { type: 'instant' },
  born: { type: 'day' },
  role: { type: 'text', values: ['guest', 'host'] },
  notes: { type: 'json' },
}

const openRecords = async () => {
  const memory = await open()
  const define = (fields: unknown, scope: ScopePatch = ALICE) =>
    memory.call('records.define', { collection: 'people', fields }, scope)
  await define(PEOPLE)
  return {
    ...memory,
    define,
    put: (record: string, fields: Fields, more: Fields = {}, scope: ScopePatch = ALICE) =>
      memory.call<RecordRow>('records.put', { collection: 'people', record, fields, ...more }, scope),
    read: (record: string, scope: ScopePatch = ALICE) =>
      memory.call<RecordRow | null>('records.get', { collection: 'people', record }, scope),
    rows: (filter: Fields = {}, scope: ScopePatch = ALICE) =>
      memory.call<RecordsResult>('records.list', { collection: 'people', ...filter }, scope),
  }
}

describe('folding', () => {
  const name = fc.constantFrom('a', 'b', 'c')
  const writes = fc.dictionary(name, fc.oneof(fc.nat(3), fc.constant(null)))
  const state = fc
    .array(fc.tuple(writes, fc.nat(5)), { maxLength: 4 })
    .map((steps) => steps.reduce<Folded>((record, [fields, at]) => written(record, fields, at), NO_FIELDS))

  test('does not depend on the order in which states meet, or on how often', () => {
    fc.assert(
      fc.property(state, state, state, (a, b, c) => {
        expect(fold(a, b)).toEqual(fold(b, a))
        expect(fold(fold(a, b), c)).toEqual(fold(a, fold(b, c)))
        expect(fold(a, a)).toEqual(a)
        expect(fold(a, NO_FIELDS)).toEqual(a)
      }),
    )
  })

  test('is what a plain map makes of writes one after the other, whatever the clock says', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(writes, fc.nat(9)), { maxLength: 8 }), (steps) => {
        const plain = new Map<string, unknown>()
        let record = NO_FIELDS
        for (const [fields, at] of steps) {
          for (const [field, value] of Object.entries(fields)) value === null ? plain.delete(field) : plain.set(field, value)
          record = written(record, fields, at)
        }
        expect({ ...record.fields }).toEqual(Object.fromEntries(plain))
      }),
    )
  })
})

describe('records', () => {
  test('keep the fields that a write leaves out, and every write in their history', async () => {
    const { put, read, history } = await openRecords()
    const first = await put('ana', { name: 'Ana', age: 40, joined: '2026-03-01T10:00:00+02:00' })
    await put('ana', { age: 41 })
    await put('ana', { joined: null, notes: { tea: ['green'] } })
    const row = await read('ana')
    expect(row).toMatchObject({ record: 'ana', fields: { name: 'Ana', age: 41, notes: { tea: ['green'] } } })
    expect(Object.keys(row?.fields ?? {})).not.toContain('joined')
    expect(first.fields['joined']).toBe('2026-03-01T08:00:00.000Z')
    expect(await history(first.key)).toHaveLength(3)
    expect((await put('ana', { age: 41 })).version).toBe(row?.version)
  })

  test.each<[string, Fields]>([
    ['age', { name: 'A', age: '41' }],
    ['age', { name: 'A', age: true }],
    ['member', { name: 'A', member: 1 }],
    ['joined', { name: 'A', joined: '2026-03-01' }],
    ['joined', { name: 'A', joined: '2026-13-01T00:00:00Z' }],
    ['born', { name: 'A', born: '2026-02-31x' }],
    ['role', { name: 'A', role: 'owner' }],
    ['shoe', { name: 'A', shoe: 44 }],
    ['name', { age: 1 }],
    ['name', { name: null }],
    ['constructor', { name: 'A', constructor: 1 }],
  ])('a bad %s is refused by its name and changes nothing: %j', async (field, fields) => {
    const { put, read } = await openRecords()
    const { issues } = await refusal(put('ana', fields), 'INVALID_ARGUMENT')
    expect(issues[0]?.path).toBe(`fields.${field}`)
    expect(await read('ana')).toBeNull()
  })

  test('need fields that somebody has declared, for all or for themselves', async () => {
    const { call, put, define } = await openRecords()
    const bob: ScopePatch = { user: 'bob' }
    await refusal(put('bob', { name: 'Bob' }, {}, bob), 'NOT_FOUND')
    await define({ name: { type: 'text' } }, {})
    expect((await put('bob', { name: 'Bob' }, {}, bob)).fields).toEqual({ name: 'Bob' })
    await refusal(call('records.list', { collection: 'none' }, ALICE), 'NOT_FOUND')
    await refusal(define({ 'a b': { type: 'text' } }), 'INVALID_ARGUMENT')
    await refusal(define({ age: { type: 'number', values: ['1'] } }), 'INVALID_ARGUMENT')
  })

  test('are filtered exactly', async () => {
    const { put, rows } = await openRecords()
    await put('1', { name: 'Ana', age: 41, member: true, joined: '2026-03-01T10:00:00+02:00' })
    await put('2', { name: 'Ben', age: 9, member: false, joined: '2026-03-01T09:00:00Z' })
    await put('3', { name: 'ana' })
    const names = async (where: Fields) => (await rows({ where })).rows.map(({ record }) => record)
    expect(await names({ name: 'Ana' })).toEqual(['1'])
    expect(await names({ age: { gt: 9 } })).toEqual(['1'])
    expect(await names({ age: { gte: 9, lt: 41 } })).toEqual(['2'])
    expect(await names({ age: null })).toEqual(['3'])
    expect(await names({ age: { not: null }, member: true })).toEqual(['1'])
    expect(await names({ name: { in: ['ana', 'Ben', 'x"y'] } })).toEqual(['2', '3'])
    expect(await names({ joined: { lt: '2026-03-01T08:30:00Z' } })).toEqual(['1'])
    await refusal(rows({ where: { notes: 'x' } }), 'INVALID_ARGUMENT')
    await refusal(rows({ where: { age: '41' } }), 'INVALID_ARGUMENT')
    await refusal(rows({ sort: [{ field: 'shoe' }] }), 'INVALID_ARGUMENT')
  })

  test('go, and are not found by searches or lists of memories', async () => {
    const { put, read, call, keys, found, settled } = await openRecords()
    await put('ana', { name: 'Ana Quartz' })
    await settled()
    expect(await found('Quartz')).toEqual([])
    expect(await keys()).toEqual([])
    expect(await call('records.remove', { collection: 'people', record: 'ana' }, ALICE)).toMatchObject({ found: true })
    expect(await read('ana')).toBeNull()
  })

  test('in any order and any pages, they are what sorting all of them gives', async () => {
    const { put, rows, call } = await openRecords()
    const value = fc.record(
      { name: fc.constantFrom('a', 'b', 'c'), age: fc.integer({ min: -2, max: 2 }), member: fc.boolean() },
      { requiredKeys: ['name'] },
    )
    const sort = fc.uniqueArray(
      fc.record({ field: fc.constantFrom('name', 'age', 'member'), order: fc.constantFrom('asc', 'desc') }),
      { selector: ({ field }) => field, maxLength: 3 },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(value, { maxLength: 9 }),
        sort,
        fc.integer({ min: 1, max: 4 }),
        async (given, sorts, limit) => {
          for (const [i, fields] of given.entries()) await put(`${i}`, fields)
          const expected = given
            .map((fields, i) => ({ fields: fields as Readonly<Record<string, unknown>>, record: `${i}` }))
            .sort((a, b) => {
              for (const { field, order } of sorts) {
                const by = compare(a.fields[field], b.fields[field]) * (order === 'asc' ? 1 : -1)
                if (by !== 0) return by
              }
              return 0
            })
            .map(({ record }) => record)
          const seen: string[] = []
          let cursor: string | null = null
          do {
            const page: RecordsResult = await rows({ sort: sorts, limit, ...(cursor === null ? {} : { cursor }) })
            seen.push(...page.rows.map(({ record }) => record))
            cursor = page.nextCursor
          } while (cursor !== null)
          expect(seen).toEqual(expected)
          for (const record of expected) await call('records.remove', { collection: 'people', record }, ALICE)
        },
      ),
      { numRuns: process.env['LONG'] === '1' ? 500 : 30 },
    )
  })

  test('a cursor of somebody else is none', async () => {
    const { put, rows, define } = await openRecords()
    for (const record of ['1', '2', '3']) await put(record, { name: record })
    const { nextCursor } = await rows({ limit: 1 })
    await rows({ cursor: nextCursor })
    for (const cursor of ['x', '999999999999', `${nextCursor}0`]) await refusal(rows({ cursor }), 'INVALID_ARGUMENT')
    await define(PEOPLE, { user: 'mallory' })
    await refusal(rows({ cursor: nextCursor }, { user: 'mallory' }), 'INVALID_ARGUMENT')
  })
})

const compare = (a: unknown, b: unknown): number => {
  const rank = (value: unknown) => (value === undefined ? -Infinity : Number(value))
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : Number(a > b)
  return rank(a) === rank(b) ? 0 : rank(a) < rank(b) ? -1 : 1
}
