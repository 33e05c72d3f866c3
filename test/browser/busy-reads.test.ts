import { expect, test } from 'vitest'
import { useBrowser } from '../support/browser-suite.js'
import { openPage } from '../support/memory-page.js'
import { isLeader, openTab } from '../support/tabs.js'

const suite = useBrowser()

test('eight tabs that search at once find the same, while one of them writes', async () => {
  const { browser, server } = suite
  const tabs = await Promise.all(Array.from({ length: 8 }, () => openTab(browser.context, server, { name: 'eight' })))
  const [first] = tabs as [(typeof tabs)[number]]
  await first.evaluate(() =>
    memory.bulkSet(
      Array.from({ length: 300 }, (_, i) => ({ key: `k/${i}`, value: `The parcel ${i} went to the harbour.` })),
    ),
  )
  const writing = first.evaluate(async () => {
    for (let i = 0; i < 40; i++) await memory.set({ key: `w/${i}`, value: `The kettle ${i} stands in room ${i}.` })
  })
  const found = await Promise.all(
    tabs.map((tab) =>
      tab.evaluate(async () => {
        const answers = await Promise.all(
          Array.from({ length: 10 }, (_, i) => memory.search(`Where did parcel ${i} go?`, { keyPrefix: 'k/', limit: 1 })),
        )
        return answers.map(({ hits }) => hits[0]?.key)
      }),
    ),
  )
  await writing
  for (const keys of found) expect(keys).toEqual(Array.from({ length: 10 }, (_, i) => `k/${i}`))
  expect((await Promise.all(tabs.map(isLeader))).filter(Boolean)).toHaveLength(1)
  await Promise.all(tabs.map((tab) => tab.close()))
})

test('reads are answered between the batches of an import, each by what is there by then', async () => {
  const { browser, server } = suite
  const page = await openPage(browser.context, server)
  const seen = await page.evaluate(async () => {
    const source = await openMemory({ name: 'source', embedder: 'hash', backend: 'memory' })
    const entries = Array.from({ length: 2_000 }, (_, i) => ({
      key: `k/${i}`,
      value: `The parcel ${i} went to harbour ${i}.`,
    }))
    for (let from = 0; from < entries.length; from += 500) await source.bulkSet(entries.slice(from, from + 500))
    const archive = await source.export()
    await source.close()
    const memory = await openMemory({ name: 'target', embedder: 'hash', backend: 'memory' })
    await memory.set({ key: 'roof', value: 'The roof of the boathouse leaks.' })
    let isDone = false
    const importing = memory.import(archive).finally(() => {
      isDone = true
    })
    const counts: number[] = []
    const roofs: (string | undefined)[] = []
    while (!isDone) {
      const [{ rows }, { hits }] = await Promise.all([
        memory.list({ keyPrefix: 'k/', limit: 1000 }),
        memory.search('Which roof leaks?', { limit: 1 }),
      ])
      counts.push(rows.length)
      roofs.push(hits[0]?.key)
    }
    const { outcomes } = await importing
    await memory.close()
    return { counts, roofs, outcomes }
  })
  expect(seen.outcomes).toEqual({ written: 2_000 })
  // Somewhere in the middle, and never less than before.
  expect(new Set(seen.counts).size).toBeGreaterThan(2)
  expect(seen.counts).toEqual(seen.counts.toSorted((a, b) => a - b))
  expect(new Set(seen.roofs)).toEqual(new Set(['roof']))
})

test('a search during a re-embed finds what it found before', async () => {
  const { browser, server } = suite
  const page = await openPage(browser.context, server)
  const seen = await page.evaluate(async () => {
    const name = 'moving'
    const first = await openMemory({ name, embedder: 'hash' })
    const entries = Array.from({ length: 1_500 }, (_, i) => ({
      key: `k/${i}`,
      value: `The parcel ${i} went to harbour ${i}.`,
    }))
    for (let from = 0; from < entries.length; from += 500) await first.bulkSet(entries.slice(from, from + 500))
    await first.close()
    const memory = await openMemory({ name, embedder: 'static' })
    let isDone = false
    const embedding = memory.settled().finally(() => {
      isDone = true
    })
    const found: (string | undefined)[] = []
    for (let i = 0; !isDone || i < 5; i++)
      found.push((await memory.search(`Where did parcel ${i % 50} go to?`, { limit: 1 })).hits[0]?.key)
    await embedding
    const { embedder } = await memory.storage()
    await memory.close()
    return { found, embedder }
  })
  expect(seen.embedder).toContain('static')
  seen.found.forEach((key, i) => {
    expect([i, key]).toEqual([i, `k/${i % 50}`])
  })
})
