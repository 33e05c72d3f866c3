import { afterEach, describe, expect, test } from 'vitest'
import { useBrowser } from '../support/browser-suite.js'
import { openPage } from '../support/memory-page.js'
import type { Override } from '../support/server.js'

const suite = useBrowser()
afterEach(() => suite.server.setOverrides(() => undefined))

test('O19: a text of 5 MB is refused while the page stays alive', async () => {
  const page = await openPage(suite.browser.context, suite.server)
  const seen = await page.evaluate(async () => {
    const memory = await openMemory({ name: 'large', embedder: 'hash' })
    const value = 'word '.repeat(1_000_000)
    let longest = 0
    let last = performance.now()
    const pulse = setInterval(() => {
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
    }, 10)
    const { code, message = '' } = await attempt(() => memory.set({ key: 'large', value }))
    // A call after it does not wait behind it either.
    const after = await attempt(() => memory.set({ key: 'small', value: 'fits' }))
    clearInterval(pulse)
    return { code, message, longest, after: after.value?.key, stored: (await memory.storage()).memories }
  })
  expect(seen).toMatchObject({ code: 'INVALID_ARGUMENT', after: 'small', stored: 1 })
  expect(seen.message.length).toBeLessThan(300)
  expect(seen.longest).toBeLessThan(2_000)
})

describe('O25: a web page in place of the token table', () => {
  // As a development server answers what it does not have; and a cache may keep it.
  const pageAnswer: Override = {
    headers: { 'content-type': 'text/html', 'cache-control': 'max-age=3600' },
    body: '<!doctype html><title>My app</title>',
  }

  test.each([
    ['said to be one', pageAnswer],
    [
      'said to be bytes',
      { ...pageAnswer, headers: { 'content-type': 'application/octet-stream', 'cache-control': 'max-age=3600' } },
    ],
    ['cut short', { body: new Uint8Array(1_000) }],
  ])('%s fails writes by name, leaves keyword search, and is not kept', async (_, answer) => {
    let answers = 0
    suite.server.setOverrides((path) => (path === '/dist/static-256.bin' && ++answers === 1 ? answer : undefined))
    const page = await openPage(suite.browser.context, suite.server)
    const first = await page.evaluate(
      async (store) => {
        globalThis.memory = await openMemory(store)
        const failed = await attempt(() => memory.set({ key: 'a', value: 'The invoice contact is Tomas Reyl.' }))
        return { failed, stored: (await memory.storage()).memories }
      },
      `table-${answers}-${Math.random().toString(36).slice(2)}`,
    )
    expect(first.failed).toMatchObject({
      code: 'EMBEDDING_FAILED',
      message: expect.stringContaining('/dist/static-256.bin'),
      details: { url: `${suite.server.origin}/dist/static-256.bin` },
    })
    expect(first.stored).toBe(0)

    // The next try succeeds, without anything being cleared.
    const second = await page.evaluate(async () => {
      const written = await attempt(() => memory.set({ key: 'a', value: 'The invoice contact is Tomas Reyl.' }))
      const { hits } = await memory.search('Who is the contact for invoices?', { legs: ['vector'] })
      return [written.value?.key, hits.map(({ key }) => key)]
    })
    expect(second).toEqual(['a', ['a']])
    await page.close()
  })

  test('for longer leaves keyword search working, says so, and catches up when the table is there', async () => {
    let broken = true
    suite.server.setOverrides((path) => (path === '/dist/static-256.bin' && broken ? pageAnswer : undefined))
    const page = await openPage(suite.browser.context, suite.server)
    const meanwhile = await page.evaluate(async () => {
      globalThis.memory = await openMemory('table-queued')
      const written = await memory.set({ key: 'a', value: 'The invoice contact is Tomas Reyl.', onEmbedFailure: 'queue' })
      const { hits, degraded } = await memory.search('invoice contact')
      return { written: written.degraded, hits: hits.map(({ key }) => key), degraded }
    })
    expect(meanwhile).toEqual({ written: ['unjudged', 'unembedded'], hits: ['a'], degraded: ['vector'] })
    broken = false
    await expect
      .poll(
        () =>
          page.evaluate(
            async () => (await memory.search('Who is the contact for invoices?', { legs: ['vector'] })).hits.length,
          ),
        {
          timeout: 30_000,
        },
      )
      .toBe(1)
  })
})
