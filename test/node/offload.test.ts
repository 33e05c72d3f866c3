import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Fetched, Offloaded } from '../../src/schema/offloading.js'
import { sql } from '../../worker/store/sql.js'
import { createTestSystem } from '../support/engine.js'
import { ALICE, type Fields, MALLORY, open, refusal } from '../support/engine-calls.js'
import { openExportedDb } from '../support/exported-db.js'

const openOffloading = async (options: Parameters<typeof open>[0] = {}) => {
  const memory = await open(options)
  return {
    ...memory,
    offload: (content: unknown, more: Fields = {}, scope = ALICE) =>
      memory.call<Offloaded>('context.offload', { content, ...more }, scope),
    fetch: (handle: string, more: Fields = {}, scope = ALICE) =>
      memory.call<Fetched | null>('context.fetch', { handle, ...more }, scope),
  }
}

const LINES = Array.from({ length: 4_000 }, (_, i) => `12:00:${String(i % 60).padStart(2, '0')} step ${i} went well`)
const LOG = [...LINES.slice(0, 3_100), 'The deployment failed: the certificate has expired.', ...LINES.slice(3_100)].join(
  '\n',
)

test('a text is put aside and fetched from its beginning, by range, and by what it says', async () => {
  const memory = await openOffloading()
  const kept = await memory.offload(LOG, { title: 'build log' })
  expect(kept).toMatchObject({ title: 'build log', characters: LOG.length, tokens: Math.ceil(LOG.length / 4) })
  expect(LOG.startsWith(kept.excerpt)).toBe(true)
  const first = await memory.fetch(kept.handle, { maxTokens: 100 })
  expect(first).toMatchObject({ parts: [{ start: 0, end: 400, text: LOG.slice(0, 400) }], truncated: true })
  const at = LOG.indexOf('The deployment')
  const ranged = await memory.fetch(kept.handle, { range: { start: at, end: at + 51 } })
  expect(ranged).toMatchObject({
    parts: [{ start: at, end: at + 51, text: 'The deployment failed: the certificate has expired.' }],
    truncated: false,
  })
  const found = await memory.fetch(kept.handle, { query: 'Why did the deployment fail?', maxTokens: 60 })
  expect(found?.parts.some(({ text }) => text.includes('the certificate has expired'))).toBe(true)
  expect(found?.parts.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(240)
  for (const { start, end, text } of found?.parts ?? []) expect(text).toBe(LOG.slice(start, end))
})

test('it is no memory: nothing finds, lists or exports it', async () => {
  const memory = await openOffloading()
  await memory.offload('The kettle costs 30 euros.')
  expect(await memory.keys()).toEqual([])
  expect((await memory.call<{ hits: unknown[] }>('memory.search', { query: 'kettle' }, ALICE)).hits).toEqual([])
  const archive = await memory.call<Blob>('memory.export', {}, ALICE)
  const text = await new Response(archive.stream().pipeThrough(new DecompressionStream('gzip'))).text()
  expect(text).not.toContain('kettle')
})

test('others do not fetch it, a narrower handle does, and it goes with its person', async () => {
  const { db, holds } = await openExportedDb()
  const memory = await openOffloading({ db })
  const { handle } = await memory.offload('The code is qxvkzpwm.')
  expect(await memory.fetch(handle, {}, MALLORY)).toBeNull()
  expect(await memory.fetch(handle, {}, {})).toBeNull()
  expect(await memory.fetch(handle, {}, { ...ALICE, session: 's' })).toMatchObject({ handle })
  await memory.call('users.erase', { user: 'alice' }, {})
  await memory.settled()
  expect(await memory.fetch(handle)).toBeNull()
  expect(holds('qxvkzpwm')).toBe(false)
})

test('when its time is over it is gone, for who fetches at once, and from the file with the next opening', async () => {
  const { db } = await openExportedDb()
  const memory = await openOffloading({ db })
  const { handle, expiresAt } = await memory.offload('The kettle is blue.', { ttlSeconds: 60 })
  const { handle: longer } = await memory.offload('The kettle is red.')
  memory.system.advance(expiresAt - memory.system.now())
  expect(await memory.fetch(handle)).toBeNull()
  expect(await memory.fetch(longer)).toMatchObject({ parts: [{ text: 'The kettle is red.' }] })
  const again = await open({ db, system: createTestSystem(memory.system.now(), 7) })
  await again.settled()
  expect(again.db.all(sql`select text from offload_parts`)).toEqual([{ text: 'The kettle is red.' }])
})

test('a repeat of the call answers with the same handle', async () => {
  const memory = await openOffloading()
  const first = await memory.offload('The kettle is blue.', { idempotencyKey: 'once' })
  expect(await memory.offload('The kettle is blue.', { idempotencyKey: 'once' })).toEqual(first)
  expect(memory.db.all(sql`select handle from offloads`)).toHaveLength(1)
})

test.each<[string, unknown, Fields]>([
  ['content', '', {}],
  ['content', new Blob([]), {}],
  ['content', new Blob([new Uint8Array([0xff, 0xfe, 0x80])]), {}],
  ['content', 'a\ud800', {}],
  ['content', 7, {}],
  ['ttlSeconds', 'a', { ttlSeconds: 0 }],
  ['ttlSeconds', 'a', { ttlSeconds: 40 * 86_400 }],
])('%s %j %j is refused', async (path, content, more) => {
  const memory = await openOffloading()
  const { issues } = await refusal(memory.offload(content, more), 'INVALID_ARGUMENT')
  expect(issues?.[0]?.path).toBe(path)
  expect(memory.db.all(sql`select handle from offloads`)).toEqual([])
})

test.each<[string, Fields]>([
  ['query', { query: 'a', range: { start: 0, end: 1 } }],
  ['range.start', { range: { start: 2, end: 1 } }],
  ['range.end', { range: { start: 0, end: 1.5 } }],
  ['maxTokens', { maxTokens: Number.NaN }],
])('fetching by a wrong %s is refused', async (path, more) => {
  const memory = await openOffloading()
  const { handle } = await memory.offload('The kettle is blue.')
  const { issues } = await refusal(memory.fetch(handle, more), 'INVALID_ARGUMENT')
  expect(issues?.[0]?.path).toBe(path)
})

test('every range of every text is read as it was written', async () => {
  const memory = await openOffloading()
  const long = fc.tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 9_000 }))
  await fc.assert(
    fc.asyncProperty(long, fc.nat(), fc.nat(), async ([piece, times], from, length) => {
      const text = piece.repeat(times)
      const { handle } = await memory.offload(new Blob([text]))
      const start = from % text.length
      const end = start + 1 + (length % (text.length - start))
      const got = await memory.fetch(handle, { range: { start, end }, maxTokens: 1_000_000 })
      expect(got?.parts).toEqual([{ start, end, text: text.slice(start, end) }])
    }),
    { numRuns: 25 },
  )
})
