import { expect, test } from 'vitest'
import { sha256Hex } from '../../src/domain/sha256.js'
import { MemoryError } from '../../src/protocol/errors.js'
import { MIGRATIONS, migrate } from '../../worker/store/migrate.js'
import { sql } from '../../worker/store/sql.js'
import { openTestDb } from '../support/engine.js'

/**
 * Hashes of the migrations that were shipped. A database out there has run them as they were: when one of these fails, undo the
 * edit and write the next migration instead. A new migration adds its hash here.
 */
const SHIPPED = [
  '80cef1f0e4f71f095db91b2d7a4f0b3edb8fa5d20513c34c4fc8b236e1083142',
  'a4e855823622866969716386ce84406fbbe0ec8bc65b148244cc91da5fa10ff0',
  '8f639254378458d661723b1ec24657d6fda3b3db392cc7383dac89299ebcbc3f',
  '888424109d85efcf48b9f8428c45a6593de09ace155f5ba2d98b0d966cd3f66a',
  'e360b4dce3b1bb0f88c8ad6c79e0e91b46278f9144de6c833acda533fcfed0e9',
  '0ee9dd4afbfbda091ef3e848f3acfbe375339b74a2f5c2b69032313f036c02ae',
  '008991591d729f29c71f15e9b9eba26983fe3c43584b7dd7ca7e70c34f515e95',
  'ae0de3f846c840bf615d88c6241740127ca4dac2cb247b62360a02809dbc717c',
  '502d3f02a8a71e21120dcaaeccf5de9cbda757cfbb984dcecb0f7522e8b3f406',
  'e5ee64f468a71c580e2f02341ebeb3d45bbd5deefc423b201bcaabe3528d1b6c',
  '89cd69d6d97ff56840a7d946c483ff2f0c16a38f601b67a8ddff36a52ad9d13a',
  'b8461da29f1242704051c5e1141e958aa0f1ebcbd008215a0f85c462e7a3af84',
  'acccae6bf80a658c699570eff1ede9d12d75494173d3f87725257c323eb001af',
]

test('shipped migrations never change', () => {
  expect(MIGRATIONS.map((statements) => sha256Hex(JSON.stringify(statements)))).toEqual(SHIPPED)
})

test('a fresh database is brought to the newest version, once', async () => {
  const db = await openTestDb()
  expect(migrate(db)).toEqual({ from: 0, to: MIGRATIONS.length })
  expect(migrate(db)).toEqual({ from: MIGRATIONS.length, to: MIGRATIONS.length })
})

test('a database of any older version is brought to the newest', async () => {
  for (let version = 0; version < MIGRATIONS.length; version++) {
    const db = await openTestDb()
    for (const statement of MIGRATIONS.slice(0, version).flat()) db.script(statement)
    db.script(`pragma user_version = ${version}`)
    expect(migrate(db)).toEqual({ from: version, to: MIGRATIONS.length })
  }
})

test('every table is strict', async () => {
  const db = await openTestDb()
  migrate(db)
  const tables = db.all<{ name: string; strict: number; type: string }>(
    sql`select name, strict, type from pragma_table_list where schema = 'main' and name not like 'sqlite_%' and type = 'table'`,
  )
  expect(tables.map(({ name }) => name).sort()).toEqual([
    'audit',
    'belief_sources',
    'blacklist',
    'datings',
    'devices',
    'embedders',
    'erasing',
    'erasures',
    'going_back',
    'head_tags',
    'heads',
    'identities',
    'learning',
    'learning_turns',
    'leases',
    'leaving',
    'mentions',
    'meta',
    'namespaces',
    'offload_parts',
    'offloads',
    'passages',
    'recalls',
    'redactions',
    'requests',
    'reviews',
    'served_sentences',
    'unjudged',
    'usage',
    'vector_blocks',
    'vector_gaps',
    'vectors',
    'versions',
  ])
  for (const { name, strict } of tables) expect([name, strict]).toEqual([name, 1])
})

test('a newer database is refused and left as it is', async () => {
  const db = await openTestDb()
  migrate(db)
  db.script(`pragma user_version = ${MIGRATIONS.length + 1}`)
  try {
    migrate(db)
    expect.unreachable()
  } catch (error) {
    expect(error).toBeInstanceOf(MemoryError)
    expect(error).toMatchObject({
      code: 'SCHEMA_TOO_NEW',
      details: { supported: MIGRATIONS.length, found: MIGRATIONS.length + 1 },
    })
  }
  expect(db.get(sql`pragma user_version`)).toEqual({ user_version: MIGRATIONS.length + 1 })
})

test('a step that fails leaves neither its tables nor its number', async () => {
  const db = await openTestDb()
  // A table of the second step that already stands there makes that step fail, after the first.
  db.script('create table vectors (x)')
  expect(() => migrate(db)).toThrow()
  expect(db.get(sql`pragma user_version`)).toEqual({ user_version: 1 })
  expect(db.get(sql`select name from sqlite_schema where name = ${'passages'}`)).toBeUndefined()
  expect(db.get(sql`select name from sqlite_schema where name = ${'versions'}`)).toEqual({ name: 'versions' })
})
