import { describe, expect, test } from 'vitest'
import { canonicalForm } from '../../src/domain/canonical.js'
import { bodyCommitment, chainSha256 } from '../../src/domain/version.js'
import type { Db } from '../../worker/ports.js'
import { versionsByKey } from '../../worker/store/history.js'
import { sql } from '../../worker/store/sql.js'
import { headById, headOf, headsByForm, headsByKey, headToRow } from '../../worker/store/versions.js'
import { ALICE, openTestStore, plant, plantForStrangers, STRANGERS, visibleToAlice } from '../support/store.js'

interface Stored {
  readonly row: number
  readonly device_id: string
  readonly dseq: number
  readonly ver: number | bigint
  readonly kind: string
  readonly memory: number
  readonly memory_id: string
  readonly parents: string
  readonly body: string | null
  readonly salt: Uint8Array | null
  readonly commitment: string
  readonly prev_sha256: string | null
  readonly sha256: string
}

/** Memories whose chain does not hold: a link, a hash or a body that was not redacted. */
const brokenChains = (db: Db, scopeOf: (memory: number) => unknown): readonly number[] => {
  const rows = db.all<Stored>(
    sql`select v.*, d.device_id from versions v join devices d on d.dev = v.dev order by v.memory, v.ver`,
  )
  const broken = rows.filter((row, i) => {
    const before = rows[i - 1]
    const header = {
      rowId: `${row.device_id}.${row.dseq}`,
      ver: BigInt(row.ver),
      kind: row.kind,
      memoryId: row.memory_id,
      scope: scopeOf(row.memory),
      parents: JSON.parse(row.parents) as string[],
    }
    const joined = row.prev_sha256 === (before?.memory === row.memory ? before.sha256 : null)
    const committed = row.body === null || row.salt === null || bodyCommitment(row.salt, row.body) === row.commitment
    return !joined || !committed || row.sha256 !== chainSha256(row.prev_sha256, header, row.commitment)
  })
  return [...new Set(broken.map(({ memory }) => memory))]
}

const withChains = async () => {
  const store = await openTestStore()
  const scopes = new Map<number, unknown>()
  const strangers = plantForStrangers(store, { value: 'one' })
  strangers.forEach(({ memory }, i) => scopes.set(memory, STRANGERS[i]))
  const first = plant(store, { value: 'one' })
  const second = plant(store, { value: 'two', parent: first })
  const gone = plant(store, { value: 'two', status: 'tombstoned', kind: 'tomb', parent: second })
  scopes.set(first.memory, ALICE)
  return { store, first, second, gone, scopeOf: (memory: number) => scopes.get(memory) }
}

describe('the hash chain', () => {
  test('runs through all versions of a memory, each under its own salt', async () => {
    const { store, scopeOf } = await withChains()
    expect(brokenChains(store.db, scopeOf)).toEqual([])
    const salts = store.db.all<{ n: number }>(sql`select count(distinct hex(salt)) as n from versions`)
    expect(salts).toEqual([{ n: 3 + STRANGERS.length }])
  })

  test('still holds after a body was redacted', async () => {
    const { store, second, scopeOf } = await withChains()
    store.db.run(sql`update versions set body = null, salt = null where row = ${second.row}`)
    expect(brokenChains(store.db, scopeOf)).toEqual([])
  })

  test.each([
    ["update versions set body = replace(body, 'two', 'six') where row = ?"],
    ["update versions set kind = 'restore' where row = ?"],
    ['update versions set ver = ver + 1 where row = ?'],
    ["update versions set parents = '[]' where row = ?"],
    ["update versions set memory_id = '00000000000000000000000000' where row = ?"],
    ['update versions set dseq = 900, row = dev * 4294967296 + 900 where row = ?'],
    ["update versions set commitment = '00' where row = ?"],
    ['delete from versions where row = ?'],
  ])('breaks at that memory only when somebody runs %s', async (text) => {
    const { store, second, scopeOf } = await withChains()
    store.db.run({ text, values: [second.row] })
    expect(brokenChains(store.db, scopeOf)).toEqual([second.memory])
  })

  test('breaks when a memory is moved to another user', async () => {
    const { store, first, scopeOf } = await withChains()
    expect(brokenChains(store.db, (memory) => (memory === first.memory ? STRANGERS[0] : scopeOf(memory)))).toEqual([
      first.memory,
    ])
  })
})

describe('a version', () => {
  test('names the one it was written on top of, also one of an earlier device', async () => {
    const store = await openTestStore()
    plantForStrangers(store, {})
    const first = plant(store, {})
    const again = await openTestStore({ db: store.db, system: store.system })
    expect(again.device.deviceId).not.toBe(store.device.deviceId)
    plant(again, { parent: first, value: 'two' })
    const [second, one] = versionsByKey(again.db, again.book.visible(ALICE), 'user/a', 10)
    expect(one).toMatchObject({ rowId: `${store.device.deviceId}.${first.dseq}`, parents: [], prevSha256: null })
    expect(second).toMatchObject({ rowId: `${again.device.deviceId}.1`, parents: [one?.rowId], prevSha256: one?.sha256 })
  })

  test('is unsynced until a server gave it a number, and is never changed by a later one', async () => {
    const store = await openTestStore()
    const first = plant(store, { value: 'one' })
    const stored = store.db.get(sql`select * from versions where row = ${first.row}`)
    expect(stored).toMatchObject({ seq: null, human: 0, kind: 'set' })
    plant(store, { value: 'two', parent: first })
    expect(store.db.get(sql`select * from versions where row = ${first.row}`)).toEqual(stored)
    expect(versionsByKey(store.db, store.book.visible(ALICE), 'user/a', 10).map(({ synced }) => synced)).toEqual([
      false,
      false,
    ])
    store.db.run(sql`update versions set seq = 7 where row = ${first.row}`)
    expect(versionsByKey(store.db, store.book.visible(ALICE), 'user/a', 10).map(({ synced }) => synced)).toEqual([
      false,
      true,
    ])
  })

  test('keeps its nanoseconds exactly', async () => {
    const store = await openTestStore()
    const first = plant(store, { nowMs: 1_796_000_000_123 })
    const second = plant(store, { nowMs: 1_796_000_000_123 })
    expect([first.ver, second.ver]).toEqual([1_796_000_000_123_000_000n, 1_796_000_000_123_000_001n])
    expect(headOf(store.db, second.memory)?.ver).toBe(1_796_000_000_123_000_001n)
    expect(headToRow(second, ALICE)).toMatchObject({ version: '1796000000123000001', tier: 'user', id: second.memoryId })
  })
})

describe('history', () => {
  test('goes over all lineages of a key, newest first, and over nobody else’s', async () => {
    const store = await openTestStore()
    plantForStrangers(store, { value: 'not hers' })
    const first = plant(store, { value: 'one' })
    plant(store, { value: 'one', status: 'tombstoned', kind: 'tomb', parent: first })
    plantForStrangers(store, { value: 'not hers' })
    const anew = plant(store, { value: 'three' })
    plant(store, { key: 'user/b', value: 'another key' })
    const entries = versionsByKey(store.db, store.book.visible(ALICE), 'user/a', 10)
    expect(entries.map(({ value, kind, id }) => [value, kind, id])).toEqual([
      ['three', 'set', anew.memoryId],
      ['one', 'tomb', first.memoryId],
      ['one', 'set', first.memoryId],
    ])
    expect(entries.every(({ scope }) => scope.user === 'alice' && scope.session === undefined)).toBe(true)
    expect(versionsByKey(store.db, store.book.visible(ALICE), 'user/a', 2)).toHaveLength(2)
    expect(versionsByKey(store.db, [], 'user/a', 10)).toEqual([])
  })
})

describe('heads', () => {
  test('under a key are those of the identities asked for, newest first', async () => {
    const store = await openTestStore()
    plantForStrangers(store, {})
    const first = plant(store, { status: 'tombstoned' })
    const second = plant(store, {})
    plant(store, { key: 'user/ab' })
    expect(headsByKey(store.db, visibleToAlice(store), 'user/a').map(({ memory }) => memory)).toEqual([
      second.memory,
      first.memory,
    ])
    expect(headsByKey(store.db, visibleToAlice(store), 'user/z')).toEqual([])
    expect(headsByKey(store.db, [], 'user/a')).toEqual([])
  })

  test('are found by id within the identities asked for only', async () => {
    const store = await openTestStore()
    const strangers = plantForStrangers(store, {})
    const own = plant(store, {})
    expect(headById(store.db, visibleToAlice(store), own.memoryId)?.memory).toBe(own.memory)
    for (const { memoryId } of strangers) expect(headById(store.db, visibleToAlice(store), memoryId)).toBeNull()
    expect(headById(store.db, [], own.memoryId)).toBeNull()
  })

  test('in the same words are found while they are served, oldest first', async () => {
    const store = await openTestStore()
    plantForStrangers(store, { value: 'Alice lives in Berlin.' })
    const first = plant(store, { key: 'user/a', value: 'Alice lives in Berlin.' })
    const second = plant(store, { key: 'user/b', value: 'alice lives in berlin', status: 'conflicted' })
    for (const status of ['duplicate', 'superseded', 'proposed', 'rejected', 'tombstoned'] as const)
      plant(store, { key: `user/${status}`, value: 'Alice lives in Berlin.', status })
    plant(store, { key: 'user/c', value: 'Alice lives in Munich.' })
    const form = canonicalForm('ALICE lives in Berlin!')
    expect(headsByForm(store.db, visibleToAlice(store), form).map(({ memory }) => memory)).toEqual([
      first.memory,
      second.memory,
    ])
  })

  test('that share the short number of a form but not its words are told apart', async () => {
    const store = await openTestStore()
    plantForStrangers(store, { value: 'Alice lives in Berlin.' })
    const berlin = plant(store, { key: 'user/a', value: 'Alice lives in Berlin.' })
    plant(store, { key: 'user/b', value: 'Alice lives in Munich.' })
    store.db.run(sql`update heads set form = (select form from heads where memory = ${berlin.memory})`)
    const found = headsByForm(store.db, visibleToAlice(store), canonicalForm('Alice lives in Berlin.'))
    expect(found.map(({ memory }) => memory)).toEqual([berlin.memory])
  })

  test('of many identities are the same ones', async () => {
    const store = await openTestStore()
    const heads = Array.from({ length: 12 }, (_, i) => plant(store, { scope: { ...ALICE, user: `u${i}` } }))
    plantForStrangers(store, {})
    const identities = heads.map(({ identity }) => identity)
    expect(headsByKey(store.db, identities, 'user/a').map(({ memory }) => memory)).toEqual(
      heads.map(({ memory }) => memory).reverse(),
    )
  })

  test('are the newest version, whole', async () => {
    const store = await openTestStore()
    plantForStrangers(store, {})
    const first = plant(store, { value: { b: [1, null], a: '🎉' }, tags: ['X'], confidence: 0.25 })
    expect(headOf(store.db, first.memory)).toEqual(first)
    const second = plant(store, { parent: first, tags: ['Y', 'z'] })
    expect(headOf(store.db, first.memory)).toEqual(second)
    expect(store.db.all(sql`select tag, folded from head_tags where memory = ${first.memory}`)).toEqual([
      { tag: 'Y', folded: 'y' },
      { tag: 'z', folded: 'z' },
    ])
    expect(headOf(store.db, 900)).toBeNull()
  })
})
