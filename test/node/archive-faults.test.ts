import { beforeAll, expect, test } from 'vitest'
import type { ListResult, MemoryRow } from '../../src/schema/records.js'
import type { SeldomCalls } from '../../worker/operations/seldom.js'
import type { Db } from '../../worker/ports.js'
import { sql } from '../../worker/store/sql.js'
import { contentsOf, headsIn, openElsewhere, versionsIn } from '../support/archives.js'
import { createTestSystem, openTestDb } from '../support/engine.js'
import { ALICE, MALLORY, refusal } from '../support/engine-calls.js'

/** An import without the work in the background that follows it, which would meet the faults as well. */
const alone = async (): Promise<SeldomCalls> => {
  const seldom: SeldomCalls = await import('../../worker/seldom/main.js')
  return { ...seldom, run: (engine, ...call) => seldom.run({ ...engine, wakeIndexing: () => {} }, ...call) }
}

/** A memory whose background has come to rest, so that faults meet the import. */
const openQuiet = async (options: Parameters<typeof openElsewhere>[0]) => {
  const memory = await openElsewhere({ loadSeldom: alone, ...options })
  await memory.settled()
  return memory
}

/** A database whose n-th statement fails: once, or from then on, as when the worker dies. */
const failing = (
  db: Db,
  isDeath: boolean,
): { readonly db: Db; readonly failAt: (n: number) => void; readonly count: () => number } => {
  let seen = 0
  let at = Number.POSITIVE_INFINITY
  const look = (): void => {
    seen++
    if (isDeath ? seen >= at : seen === at) throw new Error('a fault of the test')
  }
  const watched: Db = {
    ...db,
    run: (statement) => {
      look()
      return db.run(statement)
    },
    all: (statement) => {
      look()
      return db.all(statement)
    },
    get: (statement) => {
      look()
      return db.get(statement)
    },
    durable: async () => {
      look()
      await db.durable()
    },
  }
  return {
    db: watched,
    failAt: (n) => {
      seen = 0
      at = n
    },
    count: () => seen,
  }
}

/** What a store holds of memories, and of everything else but its own device and terms. */
const lasting = (db: Db): unknown => {
  const { meta: _meta, devices: _devices, requests: _requests, lexicon_data: _data, ...rest } = contentsOf(db)
  return rest
}

let archive: Blob
let complete: { readonly versions: unknown; readonly heads: unknown }

beforeAll(async () => {
  const from = await openElsewhere()
  for (const city of ['Delhi', 'Berlin']) await from.set({ key: 'user/home/city', value: `Alice lives in ${city}.` })
  await from.set({ key: 'user/diet', value: 'Alice eats no meat.', tags: ['food'] })
  await from.remove('user/diet')
  await from.set({ key: 'plan', value: 'Mallory is on the yearly plan.' }, MALLORY)
  await from.forbid({ pattern: 'falcon', patternType: 'substring' })
  await from.call('namespaces.register', { defaultConflictPolicy: 'manual_review' })
  archive = await from.export()
  complete = { versions: versionsIn(from.db), heads: headsIn(from.db) }
})

/** How many statements an import takes. */
const countSteps = async (
  fill: (memory: Awaited<ReturnType<typeof openElsewhere>>) => Promise<unknown>,
): Promise<number> => {
  const watched = failing(await openTestDb(), false)
  const memory = await openQuiet({ db: watched.db })
  await fill(memory)
  await memory.settled()
  watched.failAt(Number.POSITIVE_INFINITY)
  await memory.import(archive)
  return watched.count()
}

test('a restoring that fails at any step leaves the store empty and usable', async () => {
  const steps = await countSteps(async () => {})
  expect(steps).toBeGreaterThan(30)
  let failed = 0
  for (let n = 1; n <= steps; n++) {
    const watched = failing(await openTestDb(), false)
    const memory = await openQuiet({ db: watched.db })
    const before = lasting(memory.db)
    watched.failAt(n)
    const error = await memory.import(archive).then(
      () => null,
      (thrown: unknown) => thrown,
    )
    watched.failAt(Number.POSITIVE_INFINITY)
    if (error !== null && versionsIn(memory.db).length === 0) {
      failed++
      expect(lasting(memory.db), `step ${n}`).toEqual(before)
      expect(memory.db.get(sql`select value from meta where name = 'restoring'`), `step ${n}`).toBeUndefined()
      // It goes on as if nothing had been: with the same import, and with writes.
      expect(await memory.import(archive)).toMatchObject({ mode: 'restored' })
    }
    expect(versionsIn(memory.db)).toEqual(complete.versions)
    expect(headsIn(memory.db)).toEqual(complete.heads)
    await memory.set({ key: 'after', value: 'Written afterwards.' })
    expect((await memory.history('after'))[0]).toMatchObject({ rowId: `${memory.engine.deviceId}.1` })
  }
  expect(failed).toBeGreaterThan(20)
}, 120_000)

test('a worker that dies at any step of a restoring leaves a store that is emptied when it is opened next, or complete', async () => {
  const steps = await countSteps(async () => {})
  const seen = new Set<string>()
  for (let n = 1; n <= steps; n++) {
    const db = await openTestDb()
    const watched = failing(db, true)
    const dying = await openQuiet({ db: watched.db })
    const before = lasting(db)
    const { deviceId } = dying.engine
    watched.failAt(n)
    await dying.import(archive).catch(() => undefined)
    // Whatever reaches the dying worker still, it builds on nothing.
    await expect(dying.set({ key: 'late', value: 'Too late.' })).rejects.toThrow()
    const next = await openElsewhere({ db, deviceIdOutside: deviceId, system: createTestSystem(undefined, 9_000 + n) })
    const isComplete = versionsIn(db).length > 0
    seen.add(isComplete ? 'complete' : 'emptied')
    if (!isComplete) {
      expect({ ...(lasting(db) as object) }, `step ${n}`).toEqual(before)
      expect(await next.import(archive)).toMatchObject({ mode: 'restored' })
    }
    expect(versionsIn(db)).toEqual(complete.versions)
    expect(headsIn(db)).toEqual(complete.heads)
    expect(await next.rules()).toHaveLength(1)
  }
  expect([...seen]).toContain('emptied')
}, 120_000)

test('a restoring that cannot be taken back at once refuses writes until the store is opened anew', async () => {
  const db = await openTestDb()
  let isFull = false
  const full: Db = {
    ...db,
    transaction: (work) => {
      // From the first batch on, so that it can be neither finished nor taken back.
      if (isFull && versionsIn(db).length > 0) throw new Error('a fault of the test')
      return db.transaction(work)
    },
  }
  const memory = await openQuiet({ db: full })
  isFull = true
  await expect(memory.import(archive)).rejects.toThrow()
  isFull = false
  expect(versionsIn(db).length).toBeGreaterThan(0)
  await refusal(memory.set({ key: 'a', value: 'On top of half an archive.' }), 'STORAGE_UNAVAILABLE')
  const next = await openElsewhere({
    db,
    deviceIdOutside: memory.engine.deviceId,
    system: createTestSystem(undefined, 5_555),
  })
  expect(versionsIn(db)).toEqual([])
  await next.set({ key: 'a', value: 'On its own.' })
})

test('an abort of a restoring empties the store again', async () => {
  const from = await openElsewhere()
  await from.call('namespaces.register', { defaultConflictPolicy: 'append_only' })
  await from.bulk(Array.from({ length: 1_500 }, (_, i) => ({ key: `n/${i}`, value: `Fact number ${i} is about ${i}.` })))
  const stop = new AbortController()
  const to = await openElsewhere({ progress: ({ phase, loaded }) => phase === 'import' && loaded > 300 && stop.abort() })
  const before = lasting(to.db)
  expect(await refusal(to.import(await from.export(), {}, {}, { signal: stop.signal }), 'ABORTED')).toEqual({ written: 0 })
  expect(lasting(to.db)).toEqual(before)
  expect(await to.keys()).toEqual([])
  await to.settled()
  await to.set({ key: 'a', value: 'Alice lives in Berlin.' })
  expect(await to.found('Berlin')).toEqual(['a'])
})

test('a judged import that a fault stops goes on with the same import, and ends as if nothing had been', async () => {
  const entries = Array.from({ length: 600 }, (_, i) => ({ key: `n/${i}`, value: { number: i } }))
  const from = await openElsewhere()
  await from.bulk(entries)
  const large = await from.export()
  const fill = async (memory: typeof from): Promise<void> => {
    await memory.set({ key: 'plan', value: 'Mallory is on the yearly plan.' }, MALLORY)
    await memory.settled()
  }
  const listed = async (memory: typeof from): Promise<readonly unknown[]> => {
    const { rows } = await memory.call<ListResult>('memory.list', { limit: 1000 }, ALICE)
    return rows
      .map(({ key, value, status, reinforcementCount }: MemoryRow) => [key, value, status, reinforcementCount])
      .toSorted()
  }
  const watching = failing(await openTestDb(), true)
  const whole = await openQuiet({ db: watching.db })
  await fill(whole)
  watching.failAt(Number.POSITIVE_INFINITY)
  const unhindered = await whole.import(large)
  const steps = watching.count()
  for (let part = 1; part <= 8; part++) {
    const db = await openTestDb()
    const watched = failing(db, true)
    const dying = await openQuiet({ db: watched.db })
    await fill(dying)
    watched.failAt(Math.floor((steps * part) / 9))
    await expect(dying.import(large)).rejects.toThrow()
    const next = await openElsewhere({
      db,
      deviceIdOutside: dying.engine.deviceId,
      system: createTestSystem(undefined, 7_000 + part),
    })
    const report = await next.import(large)
    expect([report.outcomes, report.versions]).toEqual([unhindered.outcomes, unhindered.versions])
    expect(await listed(next)).toEqual(await listed(whole))
    expect(versionsIn(db)).toHaveLength(601)
  }
}, 120_000)
