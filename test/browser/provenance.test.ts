import { expect, test } from 'vitest'
import { useBrowser } from '../support/browser-suite.js'
import { openPage } from '../support/memory-page.js'

const suite = useBrowser()

test('who attests, what helped and who did what outlive a reload, in the private file system', async () => {
  const page = await openPage(suite.browser.context, suite.server)
  await page.evaluate(async () => {
    const memory = (await openMemory({ name: 'attested', embedder: 'hash' })).scope({ user: 'ada', actor: 'human:ada' })
    await memory.set({ key: 'tea/green', value: 'green tea' })
    await memory.set({ key: 'tea/black', value: 'black tea' })
    await memory.verify('tea/black')
    await memory.outcome('tea/black', 'helped')
  })
  await page.reload()
  const seen = await page.evaluate(async () => {
    const memory = (await openMemory({ name: 'attested', embedder: 'hash' })).scope({ user: 'ada' })
    const { hits } = await memory.search('tea', { legs: ['lexical'] })
    const { rows } = await memory.audit.list({ limit: 2 })
    return {
      hits: hits.map(({ key, verification, boost }) => [key, verification, boost > 0]),
      acts: rows.map(({ action, actor }) => [action, actor]),
    }
  })
  expect(seen).toEqual({
    hits: [
      ['tea/black', 'human', true],
      ['tea/green', 'none', false],
    ],
    acts: [
      ['memory.outcome', 'human:ada'],
      ['memory.verify', 'human:ada'],
    ],
  })
  await page.close()
})

test('going through many memories tells how far it is, can be stopped, and says how many were done', async () => {
  const page = await openPage(suite.browser.context, suite.server)
  const seen = await page.evaluate(async () => {
    const memory = await openMemory({ backend: 'memory', embedder: 'hash' })
    await memory.bulkSet(Array.from({ length: 1_000 }, (_, i) => ({ key: `n/${i}`, value: i })))
    const abort = new AbortController()
    const told: number[] = []
    const stop = memory.onProgress(({ phase, loaded }) => {
      if (phase !== 'apply') return
      told.push(loaded)
      abort.abort()
    })
    const filter = { keyPrefix: 'n/' }
    const stopped = await attempt(() => memory.apply({ filter, action: 'delete', dryRun: false, signal: abort.signal }))
    stop()
    const left = (await memory.list({ limit: 1000 })).rows.length
    const rest = await memory.apply({ filter, action: 'delete', dryRun: false })
    return { told, code: stopped.code, left, rest: rest.changed, none: (await memory.list()).rows.length }
  })
  expect(seen.code).toBe('ABORTED')
  expect(seen.told[0]).toBe(250)
  expect(seen.left).toBeLessThan(1_000)
  expect(seen.left % 250).toBe(0)
  expect(seen).toMatchObject({ rest: seen.left, none: 0 })
  await page.close()
})

test('a memory goes from a session to its user and on to all, in another tab too', async () => {
  const one = await openPage(suite.browser.context, suite.server)
  const two = await openPage(suite.browser.context, suite.server)
  await one.evaluate(async () => {
    globalThis.memory = await openMemory({ name: 'promoted', embedder: 'hash' })
    await memory.scope({ user: 'ada', session: 's' }).set({ key: 'wifi', value: 'The guest network is called Heron.' })
  })
  const seen = await two.evaluate(async () => {
    globalThis.memory = await openMemory({ name: 'promoted', embedder: 'hash' })
    const ada = memory.scope({ user: 'ada' })
    await ada.promote('wifi', { to: 'user', from: { session: 's' } })
    await memory.promote('wifi', { to: 'global', from: { user: 'ada' } })
    const narrow = await attempt(() => ada.promote('wifi', { to: 'global', from: { user: 'ada' } }))
    return { narrow: narrow.code, mallory: (await memory.scope({ user: 'mallory' }).get('wifi'))?.value }
  })
  expect(seen).toEqual({ narrow: 'FORBIDDEN', mallory: 'The guest network is called Heron.' })
  const line = await one.evaluate(async () => {
    const found = await memory.scope({ user: 'ada', session: 's' }).lineage('wifi')
    return found?.from.map(({ why }) => why)
  })
  expect(line).toContain('duplicate_of')
  await one.close()
  await two.close()
})
