import { expect, test } from 'vitest'
import type { ImportEntry, ImportReport } from '../../src/schema/archive.js'
import type { ListResult } from '../../src/schema/records.js'
import { sql } from '../../worker/store/sql.js'
import { contentsOf, openElsewhere, versionsIn } from '../support/archives.js'
import { ALICE, DAY, MALLORY, refusal } from '../support/engine-calls.js'

type Memory = Awaited<ReturnType<typeof openElsewhere>>

const BERLIN = { key: 'user/home/city', value: 'Alice lives in Berlin.' }
const DIET = { key: 'user/diet', value: 'Alice eats no meat.' }

/** A store that is in use: it has a memory of somebody else. */
const inUse = async (): Promise<Memory> => {
  const memory = await openElsewhere()
  await memory.set({ key: 'plan', value: 'Mallory is on the yearly plan.' }, MALLORY)
  return memory
}

/** One day later on the clock of another store. */
const later = (memory: Memory, than: Memory, days = 1): void =>
  memory.system.advance(than.system.now() - memory.system.now() + days * DAY)

const outcomes = ({ entries }: ImportReport): readonly ImportEntry['outcome'][] => entries.map(({ outcome }) => outcome)

test('into a store in use, statements are judged as writes are, dated, and marked as imported', async () => {
  const from = await openElsewhere()
  await from.set({ ...BERLIN, tags: ['home'], confidence: 0.5 })
  await from.set({
    key: 'page',
    value: 'The page says that tea is good.',
    sourceClass: 'external',
    origin: 'https://a.example',
  })
  const said = (await from.get(BERLIN.key))?.updatedAt
  const to = await inUse()
  await to.set({ key: 'city', value: 'Alice lives in Rome.', validAt: '2020-01-01T00:00:00Z' })
  const report = await to.import(await from.export())
  expect(report).toMatchObject({ mode: 'judged', memories: 2, versions: 2, outcomes: { written: 2 } })
  expect(report.entries).toMatchObject([
    { at: 1, outcome: 'written', key: BERLIN.key, verdict: 'refines' },
    { at: 2, outcome: 'written', key: 'page' },
  ])
  expect(await to.get(BERLIN.key)).toMatchObject({
    value: BERLIN.value,
    tags: ['home'],
    confidence: 0.5,
    sourceClass: 'imported',
    validAt: said,
  })
  expect(await to.get('page')).toMatchObject({ sourceClass: 'external', origin: 'https://a.example' })
  expect(await to.found('where does she live in Berlin?')).toContain(BERLIN.key)
  expect(to.audited().filter(({ action }) => action === 'memory.import')).toHaveLength(4)
  expect(to.events.map(({ key }) => key)).toEqual(expect.arrayContaining([BERLIN.key, 'page', 'city']))
})

test('a second import of the same changes nothing, and counts nothing twice', async () => {
  const from = await openElsewhere()
  await from.bulk([BERLIN, DIET, { value: 'Alice has a cat called Mia.' }, { key: 'cat', value: 'Mia' }])
  await from.remove(DIET.key)
  const archive = await from.export()
  const to = await inUse()
  await to.set({ key: 'pet', value: 'Alice has a cat called Mia.' })
  expect(outcomes(await to.import(archive))).toEqual(['written', 'known', 'known', 'written'])
  const before = contentsOf(to.db)
  expect(outcomes(await to.import(archive))).toEqual(['known', 'known', 'known', 'known'])
  expect(contentsOf(to.db)).toEqual(before)
})

test('what was deleted here stays deleted, says so, and comes back by a newer write only', async () => {
  const from = await openElsewhere()
  await from.set(BERLIN)
  const old = await from.export()
  // The same store: by its row.
  await from.remove(BERLIN.key)
  expect(await from.import(old)).toMatchObject({ outcomes: { known: 1 }, versions: 0 })
  expect(await from.get(BERLIN.key)).toBeNull()
  // A store that was restored from it: by its id, though the archive has newer versions.
  const copy = await openElsewhere()
  await copy.import(old)
  later(copy, from)
  await copy.remove(BERLIN.key)
  const other = await openElsewhere()
  await other.import(old)
  await other.set({ ...BERLIN, tags: ['home'] })
  expect(await copy.import(await other.export())).toMatchObject({ entries: [{ outcome: 'deleted', key: BERLIN.key }] })
  expect(await copy.get(BERLIN.key)).toBeNull()
  // A store that has judged it: by its key.
  const judged = await inUse()
  await judged.import(old)
  later(judged, copy)
  await judged.remove(BERLIN.key)
  expect(outcomes(await judged.import(old))).toEqual(['deleted'])
  expect(await judged.get(BERLIN.key)).toBeNull()
  // Said again later than it was deleted.
  later(other, judged)
  await other.set({ key: BERLIN.key, value: 'Alice lives in Oslo.' })
  const newer = await other.export()
  for (const memory of [copy, judged]) {
    later(memory, other)
    expect(outcomes(await memory.import(newer))).toEqual(['written'])
    expect(await memory.get(BERLIN.key)).toMatchObject({ value: 'Alice lives in Oslo.' })
  }
})

test('what only marked a memory there, after it was deleted here, does not bring it back', async () => {
  const from = await openElsewhere()
  await from.set({ key: 'a', value: 'Priya loves grapefruit juice.' })
  const to = await openElsewhere()
  await to.import(await from.export())
  later(to, from)
  await to.remove('a')
  later(from, to)
  await from.set({ key: 'b', value: 'Priya hates grapefruit juice.' })
  expect(await from.get('a')).toMatchObject({ status: 'conflicted' })
  expect(outcomes(await to.import(await from.export()))).toEqual(['deleted', 'written'])
  expect(await to.get('a')).toBeNull()
})

test('a deletion deletes what it was made of, and nothing that was changed here since', async () => {
  const from = await openElsewhere()
  for (const name of ['plain', 'changed', 'locked']) await from.set({ key: name, value: `The ${name} one is here.` })
  const to = await openElsewhere()
  await to.import(await from.export())
  await to.set({ key: 'changed', value: 'The changed one is blue.' })
  await to.lock('locked', { mode: 'no_delete', reason: 'kept' })
  for (const name of ['plain', 'changed', 'locked']) await from.remove(name)
  expect((await to.import(await from.export())).entries).toMatchObject([
    { outcome: 'buried', key: 'plain' },
    { outcome: 'kept', key: 'changed' },
    { outcome: 'kept', key: 'locked' },
  ])
  expect(await to.keys()).toEqual(['changed', 'locked'])
  expect((await to.restore('plain')).status).toBe('active')
})

test('a deletion spares what is pinned or locked here', async () => {
  const from = await openElsewhere()
  await from.pin({ key: 'pinned', value: 'The pinned one is here.' })
  await from.set({ key: 'locked', value: 'The locked one is here.' })
  await from.lock('locked', { mode: 'no_delete', reason: 'kept' })
  const to = await openElsewhere()
  await to.import(await from.export())
  await from.unlock('locked')
  for (const name of ['pinned', 'locked']) await from.remove(name)
  expect((await to.import(await from.export())).entries).toMatchObject([
    { outcome: 'refused', code: 'PINNED_CONFLICT', key: 'pinned' },
    { outcome: 'refused', code: 'LOCKED', key: 'locked' },
  ])
  expect(await to.keys()).toEqual(['locked', 'pinned'])
})

test('an older truth that is imported late retires nothing: it is kept as what held before', async () => {
  const from = await openElsewhere()
  await from.set({ key: 'idris/employer', value: 'Idris works at Borrell.', validAt: '2024-05-01T00:00:00Z' })
  await from.set({ key: 'undated', value: 'The gate is green.' })
  const to = await inUse()
  later(to, from)
  await to.set({ key: 'idris/employer', value: 'Idris works at Halden.', validAt: '2026-02-01T00:00:00Z' })
  await to.set({ key: 'undated', value: 'The gate is blue.' })
  const report = await to.import(await from.export())
  expect(outcomes(report)).toEqual(['older', 'older'])
  expect(await to.get('idris/employer')).toMatchObject({ value: 'Idris works at Halden.', status: 'active' })
  expect(await to.get('undated')).toMatchObject({ value: 'The gate is blue.', status: 'active' })
  const then = { key: 'idris/employer', asOf: '2024-06-01T00:00:00Z' }
  expect(await to.call('memory.get', then, ALICE)).toMatchObject({ value: 'Idris works at Borrell.' })
  const before = contentsOf(to.db)
  expect(outcomes(await to.import(await from.export()))).toEqual(['known', 'known'])
  expect(contentsOf(to.db)).toEqual(before)
})

test('how much was given of a date comes along, restored and judged', async () => {
  const from = await openElsewhere()
  await from.set({ key: 'a', value: 'The bridge is closed.', validAt: '2025-03', validTo: '2027', timeZone: 'Asia/Tokyo' })
  await from.set({ key: 'b', value: 'The fair is in town.', temporalAnchor: '2025-06-01' })
  const dates = {
    validAt: Date.parse('2025-03-01T00:00:00+09:00'),
    validAtPrecision: 'month',
    validTo: Date.parse('2028-01-01T00:00:00+09:00'),
    validToPrecision: 'year',
  }
  for (const to of [await openElsewhere(), await inUse()]) {
    await to.import(await from.export())
    expect(await to.get('a')).toMatchObject(dates)
    expect(await to.get('b')).toMatchObject({ temporalAnchorPrecision: 'day' })
  }
})

test('a newer truth is a new version of what is here, unless that is pinned', async () => {
  const from = await openElsewhere()
  const to = await inUse()
  for (const name of ['a', 'b']) await to.set({ key: name, value: `The ${name} door is green.` })
  await to.pin({ key: 'b', value: 'The b door is green.' })
  later(from, to)
  for (const name of ['a', 'b']) await from.set({ key: name, value: `The ${name} door is blue.` })
  expect((await to.import(await from.export())).entries).toMatchObject([
    { outcome: 'written', key: 'a' },
    { outcome: 'refused', code: 'PINNED_CONFLICT', key: 'b' },
  ])
  expect((await to.history('a')).map(({ value }) => value)).toEqual(['The a door is blue.', 'The a door is green.'])
})

test('the blacklist holds for what is imported, and comes along for what is written later', async () => {
  const from = await openElsewhere()
  await from.set({ key: 'a', value: 'Project falcon is late.' })
  await from.set({ key: 'b', value: 'Project osprey is late.' })
  await from.forbid({ pattern: 'osprey', patternType: 'substring' })
  const to = await inUse()
  await to.forbid({ pattern: 'falcon', patternType: 'substring' })
  const report = await to.import(await from.export())
  expect(report.entries).toMatchObject([
    { outcome: 'refused', code: 'BLACKLISTED', key: 'a' },
    { outcome: 'written', key: 'b' },
  ])
  expect(report.rules).toBe(1)
  await refusal(to.set({ key: 'c', value: 'More of osprey.' }), 'BLACKLISTED')
  // A store with rules is not empty: what they forbid would come in unseen.
  const ruled = await openElsewhere()
  await ruled.forbid({ pattern: 'falcon', patternType: 'substring' })
  expect(await ruled.import(await from.export())).toMatchObject({ mode: 'judged', outcomes: { refused: 1, written: 1 } })
})

test('what was no longer believed there, or not yet, is not believed here', async () => {
  const from = await openElsewhere()
  await from.pin({ key: 'gate', value: 'The gate has code 1.' })
  await from.set({ key: 'gate', value: 'The gate has code 2.', onPinned: 'propose' })
  await from.set({ key: 'wrong', value: 'Alice lives on Mars.' })
  await from.call('memory.reject', { key: 'wrong', reason: 'no' }, ALICE)
  await from.set({ key: 'ended', value: 'The offer stands.', expiresAt: '2026-01-01T00:00:01Z' })
  const to = await inUse()
  later(to, from)
  const report = await to.import(await from.export())
  expect(outcomes(report)).toEqual(['written', 'retired', 'retired', 'retired'])
  // A pin is for people of this store to set.
  expect(await to.get('gate')).toMatchObject({ value: 'The gate has code 1.', pinned: false })
})

test('namespaces keep what was settled here, and take what was not', async () => {
  const from = await openElsewhere()
  await from.set(BERLIN)
  await from.call('namespaces.register', { defaultConflictPolicy: 'append_only' })
  const to = await inUse()
  expect(await to.import(await from.export())).toMatchObject({ namespaces: 1 })
  expect(await to.call('namespaces.get')).toMatchObject({ defaultConflictPolicy: 'append_only' })
  const settled = await inUse()
  await settled.call('namespaces.register', { defaultConflictPolicy: 'newest_wins' })
  expect(await settled.import(await from.export())).toMatchObject({ namespaces: 0 })
  expect(await settled.call('namespaces.get')).toMatchObject({ defaultConflictPolicy: 'newest_wins' })
})

test('a dry run says the same and changes nothing, in an empty store and in one in use', async () => {
  const from = await openElsewhere()
  await from.bulk([BERLIN, DIET])
  await from.forbid({ pattern: 'osprey', patternType: 'substring' })
  await from.call('namespaces.register', { defaultConflictPolicy: 'manual_review' })
  const archive = await from.export()
  for (const memory of [await openElsewhere(), await inUse()]) {
    await memory.settled()
    const before = contentsOf(memory.db)
    const rehearsed = await memory.import(archive, { dryRun: true })
    expect(contentsOf(memory.db)).toEqual(before)
    expect(memory.events.filter(({ key }) => key !== 'plan')).toEqual([])
    const done = await memory.import(archive)
    const named = ({ entries, dryRun: _, ...rest }: ImportReport) => [rest, entries.map(({ id: _id, ...entry }) => entry)]
    expect(named(rehearsed)).toEqual(named(done))
  }
})

test('an abort between two batches keeps what was written and says how much; the same import goes on behind it', async () => {
  const from = await openElsewhere()
  await from.call('namespaces.register', { defaultConflictPolicy: 'append_only' })
  const count = 700
  await from.bulk(
    Array.from({ length: count }, (_, i) => ({ key: `n/${i}`, value: `Fact number ${i} is about topic ${i}.` })),
  )
  const archive = await from.export()
  const stop = new AbortController()
  const to = await openElsewhere({
    progress: ({ phase, loaded }) => {
      if (phase === 'import' && loaded >= 240) stop.abort()
    },
  })
  await to.set({ key: 'plan', value: 'Mallory is on the yearly plan.' }, MALLORY)
  const details = await refusal(to.import(archive, {}, {}, { signal: stop.signal }), 'ABORTED')
  expect(details).toEqual({ written: 240 })
  expect(versionsIn(to.db)).toHaveLength(241)
  const statements = versionsIn(to.db).length
  const report = await to.import(archive)
  expect(report).toMatchObject({ versions: count, outcomes: { written: count } })
  expect(versionsIn(to.db)).toHaveLength(statements + count - 240)
  const { rows } = await to.call<ListResult>('memory.list', { limit: 1000 }, ALICE)
  expect(rows).toHaveLength(count)
  expect(to.db.all(sql`select 1 from requests where request like 'memory.import%'`)).toEqual([])
})

test('a call that another tab sends again answers with the first result', async () => {
  const from = await openElsewhere()
  await from.bulk([BERLIN, DIET])
  const archive = await from.export()
  for (const memory of [await openElsewhere(), await inUse()]) {
    const first = await memory.import(archive, {}, {}, { forwarded: 'call-1' })
    const before = contentsOf(memory.db)
    expect(await memory.import(archive, {}, {}, { forwarded: 'call-1' })).toEqual(first)
    expect(contentsOf(memory.db)).toEqual(before)
  }
})
