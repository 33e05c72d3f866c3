import { afterEach, describe, expect, test, vi } from 'vitest'
import { MemoryError } from '../../src/protocol/errors.js'
import type { CalibrationReport, EmbedderReport } from '../../src/schema/embedder.js'
import type { SearchResult } from '../../src/schema/records.js'
import { createHashEmbedder } from '../../worker/adapters/hash-embedder.js'
import type { Db, Embedder } from '../../worker/ports.js'
import { sql } from '../../worker/store/sql.js'
import { createTestSystem, openTestDb } from '../support/engine.js'
import { ALICE, open } from '../support/engine-calls.js'
import { valueOf } from '../support/store.js'

afterEach(() => {
  vi.useRealTimers()
})

interface Model extends Embedder {
  /** Texts it was asked for, in order. */
  readonly asked: string[]
  /** What each call waits for before it answers. */
  gate: () => Promise<void>
  /** Whether it fails just now. */
  down: boolean
  stopped: number
}

/** What an app may bring: other vectors than the built-in's, from a model that can be held up and taken down. */
const createModel = (id = 'model@1', dims = 96): Model => {
  const inner = createHashEmbedder({ dims })
  const model: Model = {
    id,
    dims: null,
    builtIn: false,
    asked: [],
    gate: async () => undefined,
    down: false,
    stopped: 0,
    embed: async (texts, options) => {
      model.asked.push(...texts)
      await model.gate()
      if (model.down) throw new MemoryError('EMBEDDING_FAILED', 'the model is down', { embedder: id, cause: 'test' })
      return inner.embed(texts, options)
    },
    stop: () => void model.stopped++,
  }
  return model
}

const builtIns = [createHashEmbedder()]

let openings = 0

/** Opens a store with a model; each opening of one database has another clock and chance. */
const openWith = async (db: Db, options: Parameters<typeof open>[0]) => {
  const seed = ++openings
  const memory = await open({ db, builtIns, system: createTestSystem(Date.UTC(2026, 0, seed), seed), ...options })
  // Loads what answers the calls on the embedder, so that they are as quick as any.
  await memory.call('blacklist.list')
  return {
    ...memory,
    embedder: () => memory.call<EmbedderReport>('embedder.get'),
    pause: () => memory.call<EmbedderReport>('embedder.pause'),
    resume: () => memory.call<EmbedderReport>('embedder.resume'),
    cancel: () => memory.call<EmbedderReport>('embedder.cancel'),
    /** Who answers, and which of the memories a search by vector alone finds by their own words. */
    vectorSearch: async () => {
      const found: string[] = []
      const by = new Set<string | null>()
      for (let i = 0; i < COUNT; i++) {
        const options = { query: statement(i), legs: ['vector'], explain: true, limit: 3 }
        const { hits, explain } = await memory.call<SearchResult>('memory.search', options, ALICE)
        by.add(explain?.embedder ?? null)
        if (hits.some(({ key }) => key === `note/${i}`)) found.push(`note/${i}`)
      }
      return { by: [...by], found: found.length }
    },
  }
}

const COUNT = 100
const statement = (i: number): string => `${['red', 'green', 'blue', 'grey'][i % 4]} box ${i * 7919} holds ${i + 12} ropes`
const entries = Array.from({ length: COUNT }, (_, i) => ({ key: `note/${i}`, value: statement(i) }))

/** A database that outlives its engine, as a file would, with memories that have vectors of the built-in only. */
const filled = async (): Promise<Db> => {
  const db: Db = { ...(await openTestDb()), close: async () => undefined }
  const memory = await openWith(db, {})
  await memory.bulk(entries)
  await memory.engine.close()
  return db
}

/** Holds up every call until it is let go. */
const gated = () => {
  const waiting: (() => void)[] = []
  return {
    gate: () => new Promise<void>((resolve) => waiting.push(resolve)),
    release: () => {
      for (const go of waiting.splice(0)) go()
    },
    isWaiting: () => waiting.length > 0,
  }
}

/** Lets calls through one by one until `done`. */
const letGo = async (gates: ReturnType<typeof gated>, done: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await done())) {
    gates.release()
    await new Promise<void>((resume) => setTimeout(resume, 1))
  }
}

const HASH = 'hash-384@1'

describe('auto', () => {
  test('answers from the built-in at once, from the model when its vectors are complete, and never from both', async () => {
    const gates = gated()
    const model = Object.assign(createModel(), { gate: gates.gate })
    const progress: number[] = []
    const memory = await openWith(await filled(), {
      embedder: model,
      auto: true,
      progress: ({ phase, ratio, file }) => void (phase === 'indexing' && file === model.id && progress.push(ratio)),
    })
    expect(await memory.vectorSearch()).toEqual({ by: [HASH], found: COUNT })
    expect(await memory.embedder()).toMatchObject({ state: 'loading', active: { id: HASH }, loaded: 0, total: COUNT })
    await letGo(gates, async () => (await memory.embedder()).loaded > 0)
    expect(await memory.embedder()).toMatchObject({
      state: 'embedding',
      active: { id: HASH },
      wanted: { id: model.id, dims: 96 },
    })
    expect(await memory.vectorSearch()).toEqual({ by: [HASH], found: COUNT })
    await letGo(gates, async () => (await memory.embedder()).state === 'ready')
    model.gate = async () => undefined
    gates.release()
    await memory.settled()
    expect(await memory.embedder()).toMatchObject({
      active: { id: model.id, dims: 96 },
      loaded: COUNT,
      total: COUNT,
      ratio: 1,
    })
    expect(await memory.vectorSearch()).toEqual({ by: [model.id], found: COUNT })
    expect(progress.length).toBeGreaterThan(2)
    expect(progress).toEqual([...progress].sort((a, b) => a - b))
    expect(progress.at(-1)).toBe(1)
  })

  test('with an empty store moves up as well, so that the first memory meets a model that is ready', async () => {
    const model = createModel()
    const memory = await openWith(await openTestDb(), { embedder: model, auto: true })
    await memory.settled()
    expect(await memory.embedder()).toMatchObject({ state: 'ready', active: { id: model.id } })
  })

  test('without a model stays on the built-in and keeps what an earlier model made', async () => {
    const db = await filled()
    const first = createModel()
    const memory = await openWith(db, { embedder: first, auto: true })
    await memory.settled()
    await memory.engine.close()
    const without = await openWith(db, { auto: true })
    expect(await without.vectorSearch()).toEqual({ by: [HASH], found: COUNT })
    await without.set({ key: 'note/late', value: 'a late note about anchors' })
    await without.settled()
    await without.engine.close()
    const second = createModel()
    const back = await openWith(db, { embedder: second, auto: true })
    await back.settled()
    expect(await back.vectorSearch()).toEqual({ by: [second.id], found: COUNT })
    // The probe, and the one memory that came meanwhile.
    expect(second.asked.filter((text) => text.includes('box'))).toHaveLength(COUNT)
    expect(second.asked.filter((text) => text.includes('anchors'))).toEqual(['a late note about anchors'])
  })

  test('steps down when the model fails, loses nothing, and goes back up when it is there again', async () => {
    const db = await filled()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const model = createModel()
    const memory = await openWith(db, { embedder: model, auto: true })
    const settle = async () => {
      for (let i = 0; i < 50; i++) await vi.advanceTimersByTimeAsync(1)
    }
    await settle()
    expect(await memory.embedder()).toMatchObject({ state: 'ready' })
    model.down = true
    expect(await memory.vectorSearch()).toEqual({ by: [HASH], found: COUNT })
    expect(await memory.embedder()).toMatchObject({ state: 'failed', reason: 'the model is down', active: { id: HASH } })
    expect(await memory.set({ key: 'note/late', value: 'a late note about anchors' })).toMatchObject({ degraded: [] })
    expect(await memory.found('a late note about anchors', { legs: ['vector'] })).toContain('note/late')
    model.down = false
    for (let i = 0; i < 10; i++) await vi.advanceTimersByTimeAsync(60_000)
    await settle()
    expect(await memory.vectorSearch()).toEqual({ by: [model.id], found: COUNT })
    expect(await memory.found('a late note about anchors', { legs: ['vector'] })).toContain('note/late')
  })

  test('writes while vectors are made, and those are found before and after the change', async () => {
    const gates = gated()
    const model = Object.assign(createModel(), { gate: gates.gate })
    const memory = await openWith(await filled(), { embedder: model, auto: true })
    await letGo(gates, async () => (await memory.embedder()).loaded > 0)
    for (let i = 0; i < 20; i++) await memory.set({ key: `new/${i}`, value: `new thing ${i * 31} about anchor ${i}` })
    await memory.remove('note/0')
    await memory.set({ key: 'note/1', value: statement(1).replace('ropes', 'chains') })
    const newOnes = async () => {
      let found = 0
      for (let i = 0; i < 20; i++)
        found += Number(
          (await memory.found(`new thing ${i * 31} about anchor ${i}`, { legs: ['vector'] })).includes(`new/${i}`),
        )
      return found
    }
    expect(await newOnes()).toBe(20)
    await letGo(gates, async () => (await memory.embedder()).state === 'ready')
    model.gate = async () => undefined
    gates.release()
    expect(await newOnes()).toBe(20)
    expect((await memory.vectorSearch()).found).toBe(COUNT - 1)
    expect(await memory.found(statement(0), { legs: ['vector'] })).not.toContain('note/0')
    await memory.settled()
    expect(await memory.embedder()).toMatchObject({ loaded: COUNT + 19, total: COUNT + 19 })
  })
})

describe('embedding everything anew', () => {
  test('goes on where it was stopped', async () => {
    const db = await filled()
    const gates = gated()
    const first = Object.assign(createModel(), { gate: gates.gate })
    const memory = await openWith(db, { embedder: first, auto: true })
    await letGo(gates, async () => (await memory.embedder()).loaded >= 64)
    const { loaded } = await memory.embedder()
    const closing = memory.engine.close()
    gates.release()
    await closing
    const second = createModel()
    const again = await openWith(db, { embedder: second, auto: true })
    await again.settled()
    expect(second.asked.filter((text) => text.includes('box'))).toHaveLength(COUNT - loaded)
    expect(await again.vectorSearch()).toEqual({ by: [second.id], found: COUNT })
  })

  test('pauses, also over a new opening, and goes on when told to', async () => {
    const db = await filled()
    const gates = gated()
    const model = Object.assign(createModel(), { gate: gates.gate })
    const memory = await openWith(db, { embedder: model, auto: true })
    await memory.vectorSearch()
    await letGo(gates, async () => (await memory.embedder()).loaded > 0)
    const pausing = memory.pause()
    gates.release()
    const paused = await pausing
    expect(paused).toMatchObject({ state: 'paused', active: { id: HASH } })
    await memory.settled()
    const asked = model.asked.length
    expect(await memory.vectorSearch()).toEqual({ by: [HASH], found: COUNT })
    expect([model.asked.length, (await memory.embedder()).loaded]).toEqual([asked, paused.loaded])
    await memory.engine.close()
    const second = createModel()
    const later = await openWith(db, { embedder: second, auto: true })
    await later.settled()
    expect([second.asked, (await later.embedder()).state]).toEqual([[], 'paused'])
    await later.resume()
    await later.settled()
    expect(await later.vectorSearch()).toEqual({ by: [second.id], found: COUNT })
  })

  test('is cancelled with all that was made, and begins anew when told to', async () => {
    const db = await filled()
    const gates = gated()
    const model = Object.assign(createModel(), { gate: gates.gate })
    const memory = await openWith(db, { embedder: model, auto: true })
    await memory.vectorSearch()
    await letGo(gates, async () => (await memory.embedder()).loaded > 0)
    const cancelling = memory.cancel()
    gates.release()
    expect(await cancelling).toMatchObject({ state: 'cancelled', loaded: 0, active: { id: HASH } })
    expect(model.stopped).toBeGreaterThan(0)
    await memory.settled()
    expect(valueOf(db, sql`select count(*) from embedders`)).toBe(1)
    expect(valueOf(db, sql`select count(*) from vectors`)).toBe(COUNT)
    expect(await memory.vectorSearch()).toEqual({ by: [HASH], found: COUNT })
    model.gate = async () => undefined
    await memory.resume()
    await memory.settled()
    expect(await memory.vectorSearch()).toEqual({ by: [model.id], found: COUNT })
  })

  test('is not stopped once it is done', async () => {
    const memory = await openWith(await filled(), { embedder: createModel(), auto: true })
    await memory.settled()
    expect(await memory.pause()).toMatchObject({ state: 'ready' })
    expect(await memory.cancel()).toMatchObject({ state: 'ready', loaded: COUNT })
  })
})

describe('another embedder than before', () => {
  test('leaves searches to the old vectors until its own are complete, then drops the old ones', async () => {
    const db = await filled()
    const gates = gated()
    const model = Object.assign(createModel(), { gate: gates.gate })
    const memory = await openWith(db, { embedder: model })
    expect(await memory.vectorSearch()).toEqual({ by: [HASH], found: COUNT })
    await letGo(gates, async () => (await memory.embedder()).state === 'ready')
    model.gate = async () => undefined
    gates.release()
    await memory.settled()
    expect(await memory.vectorSearch()).toEqual({ by: [model.id], found: COUNT })
    expect(db.all(sql`select embedder_id from embedders`)).toEqual([{ embedder_id: model.id }])
    expect(valueOf(db, sql`select count(*) from vectors`)).toBe(COUNT)
  })

  test('and back, or one that takes the place of one that is gone, finds everything throughout', async () => {
    const db = await filled()
    const steps: readonly [string, Embedder | undefined][] = [
      ['to a model', createModel('one@1')],
      ['to another', createModel('two@1', 64)],
      ['back to the first', createModel('one@1')],
      ['to none', undefined],
      ['and to one again', createModel('two@1', 64)],
    ]
    for (const [, embedder] of steps) {
      const memory = await openWith(db, embedder === undefined ? {} : { embedder })
      // The built-in takes its turn first; as long as that is incomplete too, words find what vectors do not yet.
      for (let i = 0; i < COUNT; i += 9) expect(await memory.found(statement(i))).toContain(`note/${i}`)
      await memory.settled()
      expect(await memory.vectorSearch()).toEqual({ by: [embedder?.id ?? HASH], found: COUNT })
      await memory.engine.close()
    }
  })

  test('under the old name is noticed, and nothing it says is compared with what the old one said', async () => {
    const db = await filled()
    const memory = await openWith(db, { embedder: createModel('mine', 96) })
    await memory.settled()
    await memory.engine.close()
    const changed = createModel('mine', 64)
    const after = await openWith(db, { embedder: changed })
    await after.vectorSearch()
    await after.settled()
    expect(await after.embedder()).toMatchObject({ state: 'ready', active: { id: 'mine', dims: 64 } })
    expect(await after.vectorSearch()).toEqual({ by: ['mine'], found: COUNT })
    await after.engine.close()
    const same = createModel('mine', 64)
    const again = await openWith(db, { embedder: same })
    await again.vectorSearch()
    expect(same.asked.filter((text) => text.includes('box'))).toHaveLength(COUNT)
  })
})

describe('calibration', () => {
  test('is measured at the first use of an embedder, kept, and tells from when on texts are alike', async () => {
    const db = await filled()
    const memory = await openWith(db, {})
    const report = await memory.call<CalibrationReport>('calibration.get')
    expect(report).toMatchObject({ embedder: HASH, source: 'measured' })
    const { randomPairs, paraphrases, thresholds } = report
    expect(randomPairs?.p95).toBeLessThan(paraphrases?.p5 ?? 0)
    expect(thresholds).toMatchObject({ conflict: paraphrases?.p25, duplicate: paraphrases?.p95 })
    expect(thresholds.vector).toBeGreaterThan(randomPairs?.p95 ?? 1)
    expect(thresholds.vector).toBeLessThan(thresholds.conflict)
    expect((await memory.set({ value: 'The kettle is blue.' })).explanation.thresholds).toEqual({
      conflict: thresholds.conflict,
      duplicate: thresholds.duplicate,
    })
    const other = await (await openWith(await openTestDb(), { embedder: createModel() })).call('calibration.get')
    expect(other).toMatchObject({ embedder: 'model@1', source: 'measured' })
    expect(other).not.toMatchObject({ thresholds })
  })

  test('falls back to what holds for most while the embedder does not answer', async () => {
    const memory = await openWith(await openTestDb(), { embedder: Object.assign(createModel(), { down: true }) })
    expect(await memory.call('calibration.get')).toMatchObject({
      embedder: null,
      source: 'fallback',
      thresholds: { conflict: 0.85, duplicate: 0.97 },
      randomPairs: null,
    })
  })
})
