import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type LaunchedBrowser, launchBrowser } from '../support/chromium.js'
import { openPage } from '../support/memory-page.js'
import { startServer, type TestServer } from '../support/server.js'
import { isLeader, openTab } from '../support/tabs.js'

let server: TestServer
let browser: LaunchedBrowser
let stores = 0
let name: string

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  browser = await launchBrowser()
  name = `history-${++stores}`
})
afterEach(() => browser.close())

/** How many files of the page's private file system hold a text, and how many there are. */
const filesHolding = (page: Page, text: string) =>
  page.evaluate(async (wanted) => {
    const looked = { files: 0, holding: 0 }
    const look = async (folder: FileSystemDirectoryHandle): Promise<void> => {
      for await (const entry of (folder as unknown as { values: () => AsyncIterable<FileSystemHandle> }).values()) {
        if (entry.kind === 'directory') await look(entry as FileSystemDirectoryHandle)
        else {
          const bytes = await (await (entry as FileSystemFileHandle).getFile()).arrayBuffer()
          looked.files++
          if (new TextDecoder('latin1').decode(bytes).includes(wanted)) looked.holding++
        }
      }
    }
    await look(await navigator.storage.getDirectory())
    return looked
  }, text)

test('what was redacted is in no file of the private file system, its log included', async () => {
  const page = await openPage(browser.context, server)
  const SECRET = 'qxvkzpwm jwqzkfyt'
  const seen = await page.evaluate(
    async ([store, secret]) => {
      globalThis.memory = await openMemory({ name: store, embedder: 'hash' })
      const { version } = await memory.set({ key: 'a', value: `Her code is ${secret}.`, idempotencyKey: 'one' })
      await memory.set({ key: 'b', value: 'The roof leaks.' })
      await memory.update({ key: 'a', value: 'Her code is not kept here.' })
      return version
    },
    [name, SECRET] as const,
  )
  expect((await filesHolding(page, SECRET)).holding).toBeGreaterThan(0)
  const after = await page.evaluate(async (version) => {
    const { scrubbed, versions } = await memory.redact('a', version, 'She asked for it.')
    const { ok, redacted } = await memory.verifyHistory()
    const { hits } = await memory.search('roof')
    return { scrubbed, count: versions.length, ok, redacted, found: hits[0]?.key }
  }, seen)
  expect(after).toEqual({ scrubbed: true, count: 1, ok: true, redacted: 1, found: 'b' })
  for (const text of [SECRET, 'xvkzpwm', 'wqzkfyt'])
    expect(await filesHolding(page, text)).toEqual({ files: expect.any(Number), holding: 0 })
  // And the file opens as before.
  const again = await page.evaluate(async (store) => {
    await memory.close()
    const reopened = await openMemory({ name: store, embedder: 'hash' })
    const { durable } = await reopened.storage()
    return { durable, value: (await reopened.get('a'))?.value, ok: (await reopened.verifyHistory()).ok }
  }, name)
  expect(again).toEqual({ durable: 'yes', value: 'Her code is not kept here.', ok: true })
})

test('what was erased is in no file of the private file system, and a worker that is ended meanwhile leaves it to the next', async () => {
  const page = await openPage(browser.context, server)
  const SECRET = 'qxvkzpwm jwqzkfyt'
  await page.evaluate(
    async ([store, secret]) => {
      globalThis.memory = await openMemory({ name: store, embedder: 'hash' })
      const alice = memory.scope({ user: 'alice' })
      const entries = Array.from({ length: 400 }, (_, i) => ({
        key: `k/${i}`,
        value: `Code ${i} is ${secret}.`,
        tags: [secret],
      }))
      await alice.bulkSet(entries)
      await memory.set({ key: 'roof', value: 'The roof leaks.' })
      await memory.storage()
    },
    [name, SECRET] as const,
  )
  expect((await filesHolding(page, SECRET)).holding).toBeGreaterThan(0)
  // Begun, and the page is gone before it has ended.
  await page.evaluate(
    () =>
      new Promise<void>((begun) => {
        memory.onProgress(({ phase }) => phase === 'erase' && begun())
        void memory.forget({ user: 'alice' })
      }),
  )
  await page.close()

  const next = await openPage(browser.context, server)
  const seen = await next.evaluate(async (store) => {
    globalThis.memory = await openMemory({ name: store, embedder: 'hash' })
    await memory.settled()
    const { erasures } = await memory.erasures.list()
    const left = await memory.scope({ user: 'alice' }).list({ tiers: ['user'] })
    return {
      state: erasures[0]?.state,
      memories: erasures[0]?.counts.memories,
      left: left.rows.length,
      roof: await memory.get('roof'),
    }
  }, name)
  expect(seen).toMatchObject({ state: 'done', memories: 400, left: 0, roof: { value: 'The roof leaks.' } })
  for (const text of [SECRET, 'xvkzpwm', 'wqzkfyt'])
    expect(await filesHolding(next, text)).toEqual({ files: expect.any(Number), holding: 0 })
})

test('what was redacted or erased is in no block of the database of the other kind', async () => {
  const page = await openPage(browser.context, server)
  const holding = await page.evaluate(async (store) => {
    const secret = 'qxvkzpwm jwqzkfyt'
    const memory = await openMemory({ name: store, backend: 'idb', embedder: 'hash' })
    const { version } = await memory.set({ key: 'a', value: `Her code is ${secret}.` })
    const count = async (text = secret): Promise<number> => {
      let found = 0
      for (const { name = '' } of await indexedDB.databases()) {
        const db = await new Promise<IDBDatabase>((resolve, reject) => {
          const opening = indexedDB.open(name)
          opening.onsuccess = () => resolve(opening.result)
          opening.onerror = () => reject(opening.error)
        })
        for (const table of db.objectStoreNames) {
          const all = await new Promise<unknown[]>((resolve, reject) => {
            const reading = db.transaction(table).objectStore(table).getAll()
            reading.onsuccess = () => resolve(reading.result)
            reading.onerror = () => reject(reading.error)
          })
          for (const row of all)
            if (row instanceof Uint8Array && new TextDecoder('latin1').decode(row).includes(text)) found++
        }
        db.close()
      }
      return found
    }
    const before = await count()
    const { tombstoned, scrubbed } = await memory.redact('a', version, 'She asked for it.')
    const erased = 'wjqmzkv pfytxgh'
    await memory.set({ key: 'b', value: `Her other code is ${erased}.` })
    const held = await count(erased)
    const { notReached } = await memory.forget({ keyPrefix: 'b' })
    const scrubbedToo = !notReached.includes('file_space')
    const left = await count(erased)
    return { before: before > 0, after: await count(), tombstoned, scrubbed, held: held > 0, left, scrubbedToo }
  }, name)
  const gone = { held: true, left: 0, scrubbedToo: true }
  expect(holding).toEqual({ before: true, after: 0, tombstoned: true, scrubbed: true, ...gone })
})

test('two tabs roll back at once, and a third one that looks on sees what stood before', async () => {
  const tabs = await Promise.all([0, 1, 2].map(() => openTab(browser.context, server, { name })))
  const [one, two, three] = tabs as [Page, Page, Page]
  expect((await Promise.all(tabs.map(isLeader))).filter(Boolean)).toHaveLength(1)
  await one.evaluate(async () => {
    await memory.set({ key: 'gate', value: 'The gate is green.' })
    await memory.set({ key: 'roof', value: 'The roof leaks.' })
  })
  const to = await one.evaluate(async () => {
    const instant = new Date().toISOString()
    await new Promise((resume) => setTimeout(resume, 5))
    return instant
  })
  await two.evaluate(async () => {
    await memory.set({ key: 'gate', value: 'The gate is red.' })
    await memory.delete('roof')
  })
  const watched = three.evaluate(
    () =>
      new Promise<unknown>((resolve) => {
        memory.live({ key: 'gate' }, ({ rows }) => {
          if (rows[0]?.value === 'The gate is green.') resolve(rows[0].value)
        })
      }),
  )
  const rollBack = (page: Page) =>
    page.evaluate(async (instant) => (await memory.namespaces.rollback({ to: instant, dryRun: false })).counts, to)
  const counts = await Promise.all([rollBack(one), rollBack(two)])
  expect(counts.map(({ revert, restore }) => revert + restore).toSorted()).toEqual([0, 2])
  expect(await watched).toBe('The gate is green.')
  const told = await three.evaluate(async () => {
    const { events } = await memory.timeline({ keyPrefix: 'gate' })
    const { words } = await memory.diff('gate')
    await memory.undo({ lastN: 1, dryRun: false })
    return { happened: events.map(({ happening }) => happening), words, value: (await memory.get('gate'))?.value }
  })
  expect(told).toEqual({
    happened: ['stated', 'revised', 'restored'],
    words: [
      { kind: 'same', text: 'The gate is ' },
      { kind: 'removed', text: 'red' },
      { kind: 'added', text: 'green' },
      { kind: 'same', text: '.' },
    ],
    value: 'The gate is red.',
  })
})

test('a rollback of many memories whose worker is ended is finished by the next opening', async () => {
  const page = await openPage(browser.context, server)
  const seen = await page.evaluate(async (store) => {
    const open = () => openMemory({ name: store, embedder: 'hash' })
    const entries = (say: string) =>
      Array.from({ length: 4_500 }, (_, i) => ({ key: `n/${i}`, value: `${say} ${i}`, type: 'episodic' }))
    const memory = await open()
    await memory.bulkSet(entries('old'))
    const to = new Date().toISOString()
    await new Promise((resume) => setTimeout(resume, 5))
    await memory.bulkSet(entries('new'))
    const first = new Promise<void>((resolve) => {
      memory.onProgress(({ phase, ratio }) => {
        if (phase === 'rollback' && ratio < 1) resolve()
      })
    })
    const rolling = attempt(() => memory.namespaces.rollback({ to, dryRun: false }))
    await first
    startedWorkers[0]?.terminate()
    const { code } = await rolling
    const again = await open()
    const value = async (i: number) => (await again.get(`n/${i}`))?.value
    const started = performance.now()
    while ((await value(4_499)) !== 'old 4499' && performance.now() - started < 60_000)
      await new Promise((resume) => setTimeout(resume, 50))
    await again.settled()
    const { ok, versions } = await again.verifyHistory()
    return { code, values: await Promise.all([0, 1_999, 2_000, 4_499].map(value)), ok, versions }
  }, name)
  expect(seen).toEqual({
    code: 'WORKER_FAILED',
    values: ['old 0', 'old 1999', 'old 2000', 'old 4499'],
    ok: true,
    versions: 13_500,
  })
}, 180_000)
