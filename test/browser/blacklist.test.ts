import { afterEach, expect, test } from 'vitest'
import { useBrowser } from '../support/browser-suite.js'
import { openPage } from '../support/memory-page.js'

const suite = useBrowser()
afterEach(() => suite.server.setOverrides(() => undefined))

const asked = () => suite.server.requests.filter((path) => path === '/dist/pattern-worker.js').length

test('the script of patterns is loaded with the first pattern, and not before', async () => {
  const page = await openPage(suite.browser.context, suite.server)
  await page.evaluate(async () => {
    globalThis.memory = await openMemory({ name: 'patterns', embedder: 'hash' })
    await memory.blacklist.add({ pattern: 'falcon', patternType: 'substring' })
    await memory.set({ key: 'a', value: 'Nothing of note.' })
  })
  expect(asked()).toBe(0)
  const codes = await page.evaluate(async () => {
    await memory.blacklist.add({ pattern: 'case-\\d{4}', patternType: 'regex' })
    const refused = await attempt(() => memory.set({ key: 'b', value: 'About case-2041.' }))
    const written = await attempt(() => memory.set({ key: 'b', value: 'About case-20.' }))
    return [refused.code, written.code]
  })
  expect(codes).toEqual(['BLACKLISTED', undefined])
  expect(asked()).toBe(1)
  await page.close()
})

test('a pattern that runs out of its time refuses the write, and the next write is quick again', async () => {
  const page = await openPage(suite.browser.context, suite.server)
  const seen = await page.evaluate(async () => {
    const memory = await openMemory({ backend: 'memory', embedder: 'hash' })
    await memory.blacklist.add({ pattern: '([ab]*a[ab]{60}){1,2}\\d$', patternType: 'regex' })
    let seed = 7
    const noise = Array.from({ length: 60_000 }, () => {
      seed ^= seed << 13
      seed ^= seed >>> 17
      seed ^= seed << 5
      return 'ab'[seed & 1]
    }).join('')
    const slow = await attempt(() => memory.set({ key: 'a', value: noise, type: 'episodic' }))
    const next = await attempt(() => memory.set({ key: 'b', value: 'Nothing of note.' }))
    const [rule] = await memory.blacklist.list()
    return { slow: slow.code, next: next.code, flagged: rule?.timedOutAt != null, ms: slow.ms }
  })
  console.log(`refused after ${seen.ms} ms`)
  expect(seen).toMatchObject({ slow: 'BLACKLIST_TIMEOUT', next: undefined, flagged: true })
  await page.close()
})

test('a script that does not load lets nothing through', async () => {
  suite.server.setOverrides((path) => (path === '/dist/pattern-worker.js' ? { status: 404 } : undefined))
  const page = await openPage(suite.browser.context, suite.server)
  const refused = await page.evaluate(async () => {
    const memory = await openMemory({ backend: 'memory', embedder: 'hash' })
    return attempt(() => memory.blacklist.add({ pattern: 'case-\\d{4}', patternType: 'regex' }))
  })
  expect(refused.code).toBe('WORKER_FAILED')
  expect(refused.message).toContain('pattern-worker.js')
  await page.close()
})
