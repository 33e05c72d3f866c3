import { expect, test } from 'vitest'
import { useBrowser } from '../support/browser-suite.js'
import { openPage } from '../support/memory-page.js'

const suite = useBrowser()

/** What a person of a store reads, as text: to be compared across stores and reloads. */
const seenIn = async (store: string): Promise<string> => {
  const memory = openMemory({ name: store, embedder: 'hash' })
  const ada = memory.scope({ user: 'ada' })
  await ada.settled()
  const { rows } = await ada.list({ includeDuplicates: true })
  const histories = await Promise.all(['city', 'diet', 'pet'].map((key) => ada.history(key)))
  const found = await Promise.all(['where does she live?', 'cat'].map((query) => ada.search(query)))
  const { lastExportAt, backend } = await memory.storage()
  await memory.close()
  return JSON.stringify([
    rows,
    histories,
    found.map(({ hits }) => hits.map(({ id }) => id).sort()),
    backend,
    lastExportAt !== null,
  ])
}

test('an archive of one store on the private file system is the other after an import, and after a reload', async () => {
  const page = await openPage(suite.browser.context, suite.server)
  const made = await page.evaluate(async () => {
    const memory = await openMemory({ name: 'archive-from', embedder: 'hash' })
    const ada = memory.scope({ user: 'ada' })
    for (const city of ['Delhi', 'Berlin']) await ada.set({ key: 'city', value: `Ada lives in ${city}.` })
    await ada.set({ key: 'diet', value: 'Ada eats no meat.' })
    await ada.delete('diet')
    await ada.set({ key: 'pet', value: 'Ada has a cat called Mia.', tags: ['home'] })
    const archive = await memory.export({ passphrase: 'open sesame' })
    const plain = await memory.export()
    const to = await openMemory({ name: 'archive-to', embedder: 'hash' })
    const phases: string[] = []
    to.onProgress(({ phase, ratio }) => ratio === 1 && phases.push(phase))
    const wrong = await attempt(() => to.import(archive, { passphrase: 'open sesam' }))
    const none = await attempt(() => to.import(archive))
    const report = await to.import(archive, { passphrase: 'open sesame' })
    const out = {
      types: [archive.type, plain.type],
      codes: [wrong.code, none.code],
      report,
      phases: phases.filter((phase) => phase === 'check' || phase === 'import'),
      again: await to.import(plain.stream()),
    }
    await memory.close()
    await to.close()
    return out
  })
  expect(made).toMatchObject({
    types: ['application/octet-stream', 'application/gzip'],
    codes: ['INVALID_ARGUMENT', 'INVALID_ARGUMENT'],
    report: { mode: 'restored', versions: 5, outcomes: { written: 3 } },
    phases: ['check', 'import'],
    again: { mode: 'judged', versions: 0, outcomes: { known: 3 } },
  })
  const from = await page.evaluate(seenIn, 'archive-from')
  expect(JSON.parse(from).slice(3)).toEqual(['opfs', true])
  await page.reload()
  await page.waitForFunction(() => globalThis.loaded === true)
  const to = await page.evaluate(seenIn, 'archive-to')
  expect(JSON.parse(to).slice(0, 3)).toEqual(JSON.parse(from).slice(0, 3))
  // When a store was last exported is kept outside of it.
  expect(JSON.parse(await page.evaluate(seenIn, 'archive-from'))[4]).toBe(true)
  await page.close()
})

test('a tab that does not hold the database exports and imports through the one that does', async () => {
  const leader = await openPage(suite.browser.context, suite.server)
  await leader.evaluate(async () => {
    globalThis.memory = await openMemory({ name: 'archive-tabs', embedder: 'hash' })
    await memory.set({ key: 'city', value: 'Ada lives in Berlin.' })
  })
  const page = await openPage(suite.browser.context, suite.server)
  const seen = await page.evaluate(async () => {
    const follower = await openMemory({ name: 'archive-tabs', embedder: 'hash' })
    const { leader: leads } = await follower.storage()
    const archive = await follower.export()
    const elsewhere = await openMemory({ backend: 'memory', embedder: 'hash' })
    await elsewhere.import(archive)
    await elsewhere.set({ key: 'pet', value: 'Ada has a cat called Mia.' })
    const report = await follower.import(await elsewhere.export())
    const keys = (await follower.list()).rows.map(({ key }) => key).sort()
    await follower.close()
    return { leads, outcomes: report.outcomes, keys }
  })
  expect(seen).toEqual({ leads: false, outcomes: { known: 1, written: 1 }, keys: ['city', 'pet'] })
  await page.close()
  await leader.close()
})

test('a worker that is ended while it restores leaves an empty store, and a second try restores it', async () => {
  const page = await openPage(suite.browser.context, suite.server)
  const archive = await page.evaluate(async () => {
    const memory = await openMemory({ backend: 'memory', embedder: 'hash' })
    await memory.namespaces.register({ defaultConflictPolicy: 'append_only' })
    const entries = Array.from({ length: 3_000 }, (_, i) => ({
      key: `n/${i}`,
      value: `Fact ${i} is about topic ${i % 50}.`,
    }))
    await memory.bulkSet(entries)
    const blob = await memory.export()
    await memory.close()
    return Array.from(new Uint8Array(await blob.arrayBuffer()))
  })
  await page.evaluate(async (bytes) => {
    const memory = await openMemory({ name: 'archive-ended', embedder: 'hash' })
    const midway = new Promise<void>((resolve) => {
      memory.onProgress(({ phase, loaded }) => phase === 'import' && loaded > 500 && resolve())
    })
    const importing = attempt(() => memory.import(new Blob([Uint8Array.from(bytes)])))
    await midway
    startedWorkers.at(-1)?.terminate()
    await importing
  }, archive)
  await page.reload()
  await page.waitForFunction(() => globalThis.loaded === true)
  const seen = await page.evaluate(async (bytes) => {
    const memory = await openMemory({ name: 'archive-ended', embedder: 'hash' })
    const left = (await memory.list({ limit: 1000 })).rows.length
    const report = await memory.import(new Blob([Uint8Array.from(bytes)]))
    const { memories } = await memory.storage()
    await memory.close()
    return { left, mode: report.mode, memories }
  }, archive)
  expect(seen).toEqual({ left: 0, mode: 'restored', memories: 3_000 })
  await page.close()
})

test('an abort from the page ends an import, and a stream that breaks is refused', async () => {
  const page = await openPage(suite.browser.context, suite.server)
  const seen = await page.evaluate(async () => {
    const memory = await openMemory({ backend: 'memory', embedder: 'hash' })
    await memory.namespaces.register({ defaultConflictPolicy: 'append_only' })
    const entries = Array.from({ length: 5_000 }, (_, i) => ({
      key: `n/${i}`,
      value: `Fact ${i} is about topic ${i % 50}.`,
    }))
    await memory.bulkSet(entries)
    const archive = await memory.export()
    const to = await openMemory({ backend: 'memory', embedder: 'hash' })
    const stop = new AbortController()
    to.onProgress(({ phase, loaded }) => phase === 'import' && loaded > 400 && stop.abort())
    const aborted = await attempt(() => to.import(archive, { signal: stop.signal }))
    const left = (await to.list()).rows.length
    const broken = new ReadableStream({ start: (stream) => stream.error(new Error('gone')) })
    const refused = await attempt(() => to.import(broken))
    return { aborted: [aborted.code, aborted.details], left, refused: refused.code }
  })
  expect(seen).toEqual({ aborted: ['ABORTED', { written: 0 }], left: 0, refused: 'INVALID_ARGUMENT' })
  await page.close()
})
