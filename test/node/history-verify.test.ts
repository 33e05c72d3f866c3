import { expect, test } from 'vitest'
import type { Db, Sql } from '../../worker/ports.js'
import { sql } from '../../worker/store/sql.js'
import { ALICE, MALLORY, refusal } from '../support/engine-calls.js'
import { openHistory } from '../support/history.js'

const prepared = async () => {
  const memory = await openHistory()
  await memory.set({ key: 'a', value: 'The gate is green.' })
  await memory.update({ key: 'a', value: 'The gate is red.' })
  await memory.update({ key: 'a', value: 'The gate is blue.' })
  await memory.set({ key: 'b', value: 'The roof leaks.' })
  await memory.set({ key: 'theirs', value: 'Mallory has a boat.' }, MALLORY)
  const versions = (await memory.history('a')).toReversed()
  return { ...memory, ver: (at: number) => BigInt(versions[at]?.version ?? 0), id: versions[0]?.id ?? '' }
}

test('a store that nobody has touched verifies, as far as the handle reads it', async () => {
  const memory = await prepared()
  expect(await memory.verify()).toEqual({ ok: true, memories: 2, versions: 4, redacted: 0, broken: [] })
  expect(await memory.verify({ keyPrefix: 'b' })).toMatchObject({ memories: 1, versions: 1 })
  expect(await memory.verify({}, { user: '*' })).toMatchObject({ memories: 3, versions: 5 })
  expect(await memory.verify({}, { user: '' })).toMatchObject({ ok: true, memories: 0 })
})

type Prepared = Awaited<ReturnType<typeof prepared>>

test.each<[string, number, string, (memory: Prepared) => Sql]>([
  [
    'another body',
    1,
    'body',
    ({ ver }) => sql`update versions set body = replace(body, 'red', 'raw') where ver = ${ver(1)}`,
  ],
  ['another key of the seal', 1, 'body', ({ ver }) => sql`update versions set salt = x'00' where ver = ${ver(1)}`],
  [
    'a body that is gone',
    1,
    'body_missing',
    ({ ver }) => sql`update versions set body = null, salt = null where ver = ${ver(1)}`,
  ],
  ['half a redaction', 1, 'body_missing', ({ ver }) => sql`update versions set body = null where ver = ${ver(1)}`],
  ['another time', 1, 'header', ({ ver }) => sql`update versions set ver = ver + 1 where ver = ${ver(1)}`],
  ['another kind', 1, 'header', ({ ver }) => sql`update versions set kind = 'restore' where ver = ${ver(1)}`],
  ['no parents', 1, 'header', ({ ver }) => sql`update versions set parents = '[]' where ver = ${ver(1)}`],
  ['parents that are none', 1, 'header', ({ ver }) => sql`update versions set parents = '{' where ver = ${ver(1)}`],
  ['another name', 1, 'header', ({ ver }) => sql`update versions set memory_id = 'x' where ver = ${ver(1)}`],
  ['another commitment', 1, 'body', ({ ver }) => sql`update versions set commitment = 'x' where ver = ${ver(1)}`],
  ['another hash before it', 1, 'header', ({ ver }) => sql`update versions set prev_sha256 = 'x' where ver = ${ver(1)}`],
  ['a version less in the middle', 2, 'parent', ({ ver }) => sql`delete from versions where ver = ${ver(1)}`],
  ['no first version', 1, 'parent', ({ ver }) => sql`delete from versions where ver = ${ver(0)}`],
])('%s is found', async (title, at, why, tamper) => {
  const memory = await prepared()
  // Whose time was altered is told by the time it has now.
  const version = (memory.ver(at) + (title === 'another time' ? 1n : 0n)).toString()
  memory.db.run(tamper(memory))
  const { ok, broken } = await memory.verify()
  expect(ok).toBe(false)
  expect(broken).toContainEqual(expect.objectContaining({ key: 'a', why, version }))
  expect(await memory.verify({}, MALLORY)).toMatchObject({ ok: true })
})

test('a row of another user that was put into a memory, or a memory into another scope, is found', async () => {
  const identityOf = (db: Db, user: string) =>
    db.get<{ identity: number }>(sql`select identity from identities where user = ${`=${user}`}`)?.identity ?? 0
  const memory = await prepared()
  const mallory = identityOf(memory.db, 'mallory')
  memory.db.run(sql`update versions set identity = ${mallory} where ver = ${memory.ver(1)}`)
  expect((await memory.verify()).broken).toMatchObject([{ id: memory.id, why: 'header' }])
  expect(await memory.verify({}, MALLORY)).toMatchObject({ ok: true, memories: 1 })
  memory.db.run(sql`update versions set identity = ${mallory} where memory_id = ${memory.id}`)
  memory.db.run(sql`update heads set identity = ${mallory} where memory_id = ${memory.id}`)
  expect((await memory.verify({}, MALLORY)).broken).toMatchObject([{ why: 'header' }, { why: 'header' }, { why: 'header' }])
})

test('a memory that is read at an older version, or has lost its head, is found', async () => {
  const memory = await prepared()
  memory.db.run(sql`update heads set row = (select row from versions where ver = ${memory.ver(1)}) where key = 'a'`)
  expect((await memory.verify()).broken).toMatchObject([{ id: memory.id, key: 'a', why: 'head' }])
  memory.db.run(sql`delete from heads where key = 'a'`)
  expect((await memory.verify()).broken).toMatchObject([{ id: memory.id, key: null, why: 'head' }])
})

test('the key of a highly sensitive memory is not told', async () => {
  const memory = await openHistory()
  await memory.set({ key: 'pin', value: '4711', sensitivity: 'high' })
  memory.db.run(sql`update versions set body = replace(body, '4711', '4712')`)
  expect((await memory.verify()).broken).toMatchObject([{ key: null, why: 'body' }])
})

test('many memories are looked over in turns that can be stopped, with progress', async () => {
  const progress: (readonly [number, number | null])[] = []
  const memory = await openHistory({
    progress: ({ phase, loaded, total }) => void (phase === 'verify' && progress.push([loaded, total])),
  })
  await memory.bulk(Array.from({ length: 250 }, (_, i) => ({ key: `n/${i}`, value: i, type: 'episodic' })))
  expect(await memory.verify()).toMatchObject({ ok: true, memories: 250, versions: 250 })
  expect(progress).toEqual([
    [100, 250],
    [200, 250],
  ])
  const abort = new AbortController()
  const verifying = memory.call('memory.verifyHistory', {}, ALICE, { signal: abort.signal })
  abort.abort()
  await refusal(verifying, 'ABORTED')
})
