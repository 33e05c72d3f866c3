import { expect, test } from 'vitest'
import type { WriteResult } from '../../src/schema/records.js'
import { sql } from '../../worker/store/sql.js'
import { isUnfinished } from '../../worker/store/unfinished.js'
import { createTestSystem } from '../support/engine.js'
import { ALICE, MALLORY, refusal } from '../support/engine-calls.js'
import { openExportedDb } from '../support/exported-db.js'
import { openHistory } from '../support/history.js'

/** Words that share no beginning with others, so that the word index writes them out but for a letter or two. */
const SECRET = 'qxvkzpwm jwqzkfyt'
const STEMS = ['xvkzpwm', 'wqzkfyt']

test('what was redacted is in no byte of the file, and everything else stays', async () => {
  const { db, holds } = await openExportedDb()
  const memory = await openHistory({ db })
  await memory.set({ key: 'other', value: 'The roof leaks.' })
  // Short and long, so that it stands in pages, in overflow pages, and in what was left of either when they were split.
  const said = await memory.set({ key: 'a', value: `Her code is ${SECRET}.`, tags: ['code'], idempotencyKey: 'one' })
  const long = await memory.set({ key: 'b', value: { text: `Her code is ${SECRET}.`.repeat(400) } })
  for (let i = 0; i < 40; i++) await memory.set({ key: `fill/${i}`, value: i })
  for (const key of ['a', 'b']) {
    await memory.update({ key, tags: ['carried'] })
    await memory.update({ key, value: 'Her code is not kept here.' })
  }
  const hashes = [said.contentSha256, long.contentSha256]
  for (const text of [SECRET, ...STEMS, ...hashes]) expect([text, holds(text)]).toEqual([text, true])

  expect(await memory.redact('a', said.version)).toMatchObject({
    versions: { length: 2 },
    tombstoned: false,
    scrubbed: true,
  })
  expect(holds(SECRET)).toBe(true)
  expect(await memory.redact('b', long.version)).toMatchObject({ versions: { length: 2 }, scrubbed: true })
  for (const text of [SECRET, ...STEMS, ...hashes]) expect([text, holds(text)]).toEqual([text, false])

  expect(await memory.get('a')).toMatchObject({ value: 'Her code is not kept here.', tags: ['carried'] })
  expect(await memory.found('leaks')).toEqual(['other'])
  expect(await memory.verify()).toMatchObject({ ok: true, redacted: 4 })
  expect(db.get(sql`pragma integrity_check`)).toEqual({ integrity_check: 'ok' })
  const versions = await memory.history('a')
  expect(versions.map(({ value, contentSha256, redacted }) => [value, contentSha256 === '', redacted?.reason])).toEqual([
    ['Her code is not kept here.', false, undefined],
    [null, true, 'She asked for it.'],
    [null, true, 'She asked for it.'],
  ])
  expect((await memory.audited()).filter(({ action }) => action === 'memory.redact')).toMatchObject([
    { outcome: 'ok', content_sha256: null },
    { outcome: 'ok', content_sha256: null },
  ])
}, 60_000)

test('a memory that still says it is deleted in the same step, and cannot be brought back', async () => {
  const { db, holds } = await openExportedDb()
  const memory = await openHistory({ db })
  const { version } = await memory.set({ key: 'a', value: `Her code is ${SECRET}.`, entities: ['Kqvzj Wyx'] })
  const change = memory.events.length
  expect(await memory.redact('a', version)).toMatchObject({ tombstoned: true, versions: [version] })
  expect(memory.events.slice(change)).toMatchObject([{ key: 'a' }])
  expect(await memory.get('a')).toBeNull()
  expect(await memory.found('code')).toEqual([])
  for (const text of [...STEMS, 'Kqvzj']) expect(holds(text)).toBe(false)
  await refusal(memory.restore('a'), 'GONE')
  expect((await memory.undo({ lastN: 1 })).rows).toMatchObject([{ action: 'keep', reason: 'redacted' }])
  await memory.set({ key: 'a', value: 'A memory of its own.' })
  expect(await memory.get('a')).toMatchObject({ value: 'A memory of its own.' })
})

test('a deleted memory is scrubbed with its tombstone', async () => {
  const { db, holds } = await openExportedDb()
  const memory = await openHistory({ db })
  const { version, contentSha256 } = await memory.set({ key: 'a', value: `Her code is ${SECRET}.` })
  await memory.remove('a')
  expect(await memory.redact('a', version)).toMatchObject({ tombstoned: true, versions: { length: 2 } })
  for (const text of [...STEMS, contentSha256]) expect(holds(text)).toBe(false)
  await refusal(memory.restore('a'), 'GONE')
})

test('a repeated write answers with its first result, which no longer tells anything', async () => {
  const memory = await openHistory()
  const write = { key: 'a', value: `Her code is ${SECRET}.`, idempotencyKey: 'one' }
  const { version } = await memory.set(write)
  await memory.redact('a', version)
  expect(await memory.set(write)).toMatchObject({ version, contentSha256: '', explanation: { because: '' } })
  expect(await memory.get('a')).toBeNull()
})

test('what a rule said of it in another memory goes as well, and that memory stays', async () => {
  const { db, holds } = await openExportedDb()
  const memory = await openHistory({ db })
  await memory.set({ key: 'old', value: 'Alice lives in Delhi.' })
  const { version } = await memory.set({ key: 'new', value: 'Alice lives in Qxvkzpwm.' })
  await memory.settled()
  expect((await memory.history('old'))[0]?.statusReason).toContain('qxvkzpwm')
  const { quotes } = await memory.redact('new', version)
  expect(quotes).toBeGreaterThan(0)
  expect(holds('xvkzpwm')).toBe(false)
  const [old] = await memory.history('old')
  expect(old).toMatchObject({ value: 'Alice lives in Delhi.', status: 'superseded', statusReason: null })
  expect(await memory.verify()).toMatchObject({ ok: true })
})

test('memories of others that hold the same are named as far as the handle reads them, and stay', async () => {
  const memory = await openHistory()
  const value = `Her code is ${SECRET}.`
  const { version } = await memory.set({ key: 'a', value })
  await memory.set({ key: 'global', value }, {})
  await memory.set({ key: 'theirs', value }, MALLORY)
  expect((await memory.redact('a', version)).elsewhere.map(({ key }) => key)).toEqual(['global'])
  expect(await memory.get('theirs', MALLORY)).toMatchObject({ value })
})

test('a lock, another scope, and what is not there refuse; a rehearsal changes nothing; twice is once', async () => {
  const memory = await openHistory()
  const { version } = await memory.set({ key: 'a', value: 'The gate is green.' })
  const wide = await memory.set({ key: 'wide', value: 'The roof leaks.' }, {})
  await memory.lock('a', { mode: 'no_delete', reason: 'final' })
  await refusal(memory.redact('a', version), 'LOCKED')
  await memory.unlock('a')
  await refusal(memory.redact('wide', wide.version), 'FORBIDDEN')
  await refusal(memory.redact('a', version, {}, MALLORY), 'NOT_FOUND')
  await refusal(memory.redact('a', '1'), 'NOT_FOUND')
  const before = await memory.get('a')
  expect(await memory.redact('a', version, { dryRun: true })).toMatchObject({
    dryRun: true,
    tombstoned: true,
    scrubbed: false,
  })
  expect(await memory.get('a')).toEqual(before)
  await memory.redact('a', version)
  expect(await memory.redact('a', version)).toMatchObject({ noop: true, scrubbed: true, versions: [version] })
})

test('a file that cannot be written anew is tried again, by the same call or at the next opening', async () => {
  const { db, holds } = await openExportedDb()
  const disk = { full: true }
  const system = createTestSystem()
  const failing: typeof db = {
    ...db,
    script: (text) => {
      if (text === 'vacuum' && disk.full) throw new Error('disk full')
      db.script(text)
    },
  }
  const memory = await openHistory({ db: failing, system })
  const { version } = await memory.set({ key: 'a', value: `Her code is ${SECRET}.` })
  expect(await memory.redact('a', version, { idempotencyKey: 'one' })).toMatchObject({ scrubbed: false })
  expect(await memory.redact('a', version)).toMatchObject({ noop: true, scrubbed: false })
  expect(isUnfinished(db)).toBe(true)
  expect(JSON.stringify(await memory.history('a'))).not.toContain(SECRET)
  disk.full = false
  const later = await openHistory({ db: failing, system, deviceIdOutside: memory.engine.deviceId })
  await later.settled()
  expect(isUnfinished(db)).toBe(false)
  expect(holds(SECRET)).toBe(false)
  expect(await later.redact('a', version, { idempotencyKey: 'one' })).toMatchObject({ scrubbed: true })
})

test('vectors that were gathered into blocks are emptied, those of others are not', async () => {
  const memory = await openHistory()
  const entries = Array.from({ length: 4_200 }, (_, i) => ({ key: `n/${i}`, value: i }))
  const { results } = await memory.bulk(entries)
  const [first] = results as readonly WriteResult[]
  const blocks = () =>
    memory.db.all<{ codes: Uint8Array; passages: Uint8Array }>(sql`select passages, codes from vector_blocks`)
  const [before] = blocks()
  const count = (before?.passages.length ?? 0) / 4
  expect(count).toBe(2048)
  const width = (before?.codes.length ?? 0) / count
  await memory.redact('n/0', first?.version ?? '')
  const [after] = blocks()
  expect(after?.codes.slice(0, width)).toEqual(new Uint8Array(width))
  expect(before?.codes.slice(0, width)).not.toEqual(new Uint8Array(width))
  expect(after?.codes.slice(width)).toEqual(before?.codes.slice(width))
}, 60_000)

test('redactions outlive a damaged file', async () => {
  const memory = await openHistory()
  const { version } = await memory.set({ key: 'a', value: 'The gate is green.' })
  await memory.redact('a', version)
  const { refill } = await import('../../worker/store/refill.js')
  const fresh = (await openExportedDb()).db
  refill(fresh, { readableRows: (table) => memory.db.all({ text: `select * from ${table}`, values: [] }) })
  const after = await openHistory({ db: fresh, system: createTestSystem(undefined, 7) })
  expect(await after.verify()).toMatchObject({ ok: true, redacted: 1 })
  expect(await after.get('a', ALICE)).toBeNull()
})

test('an attestation of it that was carried on goes as well, and what stands now stays', async () => {
  const { db, holds } = await openExportedDb()
  const memory = await openHistory({ db })
  const { version, contentSha256 } = await memory.set({ key: 'a', value: `Her code is ${SECRET}.` })
  await memory.call('memory.verify', { key: 'a' }, { ...ALICE, actor: 'human:ada' })
  await memory.update({ key: 'a', value: 'Her code is not kept here.' })
  expect(await memory.get('a')).toMatchObject({ verification: 'stale' })
  expect(await memory.redact('a', version)).toMatchObject({ tombstoned: false, versions: { length: 3 } })
  expect(holds(contentSha256)).toBe(false)
  expect(await memory.get('a')).toMatchObject({ value: 'Her code is not kept here.', verification: 'none' })
  expect(await memory.verify()).toMatchObject({ ok: true })
})

test('a redaction goes through an archive, and what was scrubbed is not in it', async () => {
  const memory = await openHistory()
  const gone = await memory.set({ key: 'gone', value: `Her code is ${SECRET}.` })
  const kept = await memory.set({ key: 'kept', value: `Her other code is ${SECRET}.` })
  await memory.update({ key: 'kept', value: 'There is no code.' })
  await memory.redact('gone', gone.version)
  await memory.redact('kept', kept.version)
  const archive = await memory.call<Blob>('memory.export')
  expect(await archive.text()).not.toContain(SECRET)
  const other = await openHistory({ system: createTestSystem(undefined, 9) })
  expect(await other.call('memory.import', { archive })).toMatchObject({ mode: 'restored' })
  expect(await other.verify()).toMatchObject({ ok: true, memories: 2, redacted: 2 })
  expect((await other.history('kept')).at(-1)?.redacted?.reason).toBe('She asked for it.')
  await refusal(other.restore('gone'), 'GONE')
})
