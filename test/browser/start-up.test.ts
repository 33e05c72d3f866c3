import type { Page } from 'playwright-core'
import { afterEach, describe, expect, test } from 'vitest'
import { useBrowser } from '../support/browser-suite.js'
import { openPage } from '../support/memory-page.js'
import { otherVersion } from '../support/other-version.js'
import type { Override } from '../support/server.js'

const suite = useBrowser()
afterEach(async () => {
  suite.server.setOverrides(() => undefined)
  for (const page of suite.browser.context.pages().slice(1)) await page.close()
  suite.browser.errors.length = 0
})

const PAGE: Override = { headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Not found</title>' }

/** Opens a store, writes, reads. */
const useStore = (page: Page, name: string) =>
  page.evaluate(
    (store) =>
      attempt(async () => {
        const memory = await openMemory({ name: store, embedder: 'hash' })
        await memory.set({ key: 'user/home/city', value: 'Alice lives in Berlin.' })
        const row = await memory.get('user/home/city')
        await memory.close()
        return row?.value
      }),
    name,
  )

test('a store is usable at once: calls made before it is open wait, and writes keep their order', async () => {
  const page = await openPage(suite.browser.context, suite.server)
  const seen = await page.evaluate(async () => {
    const memory = openMemory({ name: 'early', embedder: 'hash' })
    const first = memory.set({ key: 'a', value: 'one' })
    const second = memory.set({ key: 'a', value: 'two' })
    const nothing = memory.get('b')
    const opened = await memory
    const versions = [(await first).version, (await second).version]
    const { backend } = await opened.storage()
    return [versions, await nothing, (await opened.get('a'))?.value, 'then' in opened, backend]
  })
  expect(seen).toEqual([expect.any(Array), null, 'two', false, 'opfs'])
  const [first, second] = seen[0] as [string, string]
  expect(BigInt(first)).toBeLessThan(BigInt(second))
  expect(suite.browser.errors).toEqual([])
})

test('a handle is given back, so that code which opens a store can be given one', async () => {
  const page = await openPage(suite.browser.context, suite.server)
  const seen = await page.evaluate(async () => {
    const opening = openMemory({ name: 'given', embedder: 'hash' })
    const memory = await openMemory(opening)
    const ada = await openMemory(memory.scope({ user: 'ada' }))
    await ada.set({ key: 'a', value: 'The kettle is blue.' })
    const rows = [await memory.get('a'), await memory.scope({ user: 'ada' }).get('a')]
    await opening.close()
    return {
      same: openMemory(opening) === opening,
      rows: rows.map((row) => row?.value ?? null),
      workers: startedWorkers.length,
    }
  })
  expect(seen).toEqual({ same: true, rows: [null, 'The kettle is blue.'], workers: 1 })
})

test('the default embedder is there without an option', async () => {
  const page = await openPage(suite.browser.context, suite.server)
  const found = await page.evaluate(async () => {
    const memory = await openMemory('defaults')
    await memory.set({ value: 'Alice has a cat named Mia.' })
    const { hits } = await memory.search('Who has a cat?', { legs: ['vector'] })
    return hits.map(({ value }) => value)
  })
  expect(found).toEqual(['Alice has a cat named Mia.'])
  expect(suite.browser.errors).toEqual([])
})

describe('opening rejects, and works again once the server answers rightly, when', () => {
  const cases: readonly { title: string; path: string; answer: Override; code: string; url: string; cause: RegExp }[] = [
    {
      title: 'the worker is missing',
      path: '/dist/worker.js',
      answer: { status: 404 },
      code: 'WORKER_FAILED',
      url: 'worker.js',
      cause: /not there/,
    },
    {
      title: 'a web page stands in for the worker',
      path: '/dist/worker.js',
      answer: PAGE,
      code: 'WORKER_FAILED',
      url: 'worker.js',
      cause: /not JavaScript/,
    },
    {
      title: 'the worker throws as it starts',
      path: '/dist/worker.js',
      answer: { body: 'throw new Error("no luck")' },
      code: 'WORKER_FAILED',
      url: 'worker.js',
      cause: /no luck/,
    },
    {
      title: 'the wasm is missing',
      path: '/dist/sqlite3.wasm',
      answer: { status: 404 },
      code: 'WORKER_FAILED',
      url: 'sqlite3.wasm',
      cause: /404/,
    },
    {
      title: 'a web page stands in for the wasm',
      path: '/dist/sqlite3.wasm',
      answer: PAGE,
      code: 'WORKER_FAILED',
      url: 'sqlite3.wasm',
      cause: /web page|not the file/,
    },
    {
      title: 'the wasm is of another build',
      path: '/dist/sqlite3.wasm',
      answer: { body: Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0) },
      code: 'WORKER_FAILED',
      url: 'sqlite3.wasm',
      cause: /not the file/,
    },
  ]
  test.each(cases)('$title', async ({ path, answer, code, url, cause }) => {
    suite.server.setOverrides((asked) => (asked === path ? answer : undefined))
    const page = await openPage(suite.browser.context, suite.server)
    const refused = await useStore(page, 'unlucky')
    expect(refused).toMatchObject({
      code,
      details: { url: expect.stringContaining(url), cause: expect.stringMatching(cause) },
    })
    expect(refused.message).toContain(url)
    expect(refused.ms).toBeLessThan(20_000)

    suite.server.setOverrides(() => undefined)
    expect(await useStore(page, 'unlucky')).toMatchObject({ value: 'Alice lives in Berlin.' })
  })

  test('the worker is a script of somebody else that never answers: after ten seconds', async () => {
    suite.server.setOverrides((asked) => (asked === '/dist/worker.js' ? { body: 'onmessage = () => {}' } : undefined))
    const page = await openPage(suite.browser.context, suite.server, { clock: true })
    const refused = useStore(page, 'silent')
    await expect.poll(() => page.workers().length).toBe(1)
    await page.clock.fastForward(9_000)
    await page.clock.fastForward(1_000)
    expect(await refused).toMatchObject({
      code: 'WORKER_FAILED',
      message: expect.stringContaining('worker.js'),
      details: { cause: expect.stringContaining('did not answer') },
    })
    suite.server.setOverrides(() => undefined)
    expect(await useStore(page, 'silent')).toMatchObject({ value: 'Alice lives in Berlin.' })
  })

  test('the worker speaks another version', async () => {
    const { body } = await otherVersion(suite.server, '/dist/worker.js')
    suite.server.setOverrides((asked) => (asked === '/dist/worker.js' ? { body } : undefined))
    const page = await openPage(suite.browser.context, suite.server)
    expect(await useStore(page, 'versions')).toMatchObject({ code: 'PROTOCOL_MISMATCH', details: { expected: 1, found: 9 } })
    suite.server.setOverrides(() => undefined)
    expect(await useStore(page, 'versions')).toMatchObject({ value: 'Alice lives in Berlin.' })
  })

  test('there is no server any more', async () => {
    const page = await openPage(suite.browser.context, suite.server)
    await page.context().setOffline(true)
    try {
      expect(await useStore(page, 'offline')).toMatchObject({ code: 'WORKER_FAILED' })
    } finally {
      await page.context().setOffline(false)
    }
    expect(await useStore(page, 'offline')).toMatchObject({ value: 'Alice lives in Berlin.' })
  })
})

test('a worker that could not be used is ended, and calls on its handle reject for good', async () => {
  suite.server.setOverrides((asked) => (asked === '/dist/sqlite3.wasm' ? { status: 404 } : undefined))
  const page = await openPage(suite.browser.context, suite.server)
  const refused = await page.evaluate(async () => {
    const memory = openMemory({ name: 'ended', embedder: 'hash' })
    const early = attempt(() => memory.set({ key: 'a', value: 1 }))
    const opened = await attempt(() => memory.then(() => 'open'))
    return [opened, await early, await attempt(() => memory.get('a'))]
  })
  expect(refused.map(({ code }) => code)).toEqual(['WORKER_FAILED', 'WORKER_FAILED', 'WORKER_FAILED'])
  await expect.poll(() => page.workers().length).toBe(0)
})

test('under a strict content security policy it works, with the worker of the own origin', async () => {
  const policy = {
    headers: {
      'content-security-policy':
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src data:",
    },
  }
  suite.server.setOverrides((asked) => (/\.(html|js)$/.test(asked) ? policy : undefined))
  const page = await openPage(suite.browser.context, suite.server, { path: '/pages/strict.html' })
  expect(await useStore(page, 'strict')).toMatchObject({ value: 'Alice lives in Berlin.' })
  expect(suite.browser.errors).toEqual([])
})

describe('a worker that is lost', () => {
  /** A store whose write waits for an embedder that never answers, on a worker of the test's own. */
  const openPending = (page: Page) =>
    page.evaluate(async () => {
      const worker = new Worker('/pages/throwing-worker.js', { type: 'module' })
      const embedder = { id: 'never@1', dims: 4, embed: () => new Promise<never>(() => undefined) }
      const memory = await openMemory({ name: 'lost', worker, embedder })
      Object.assign(globalThis, { memory, worker, pending: attempt(() => memory.set({ key: 'a', value: 'waits' })) })
      await memory.get('a')
    })
  const settle = (page: Page) =>
    page.evaluate(async () => {
      const { pending } = globalThis as unknown as { pending: ReturnType<typeof attempt> }
      return [await pending, await attempt(() => memory.get('a')), await attempt(() => memory.close())]
    })

  test('by an error of its own rejects what waits and what comes later, and can be opened anew', async () => {
    const page = await openPage(suite.browser.context, suite.server)
    await openPending(page)
    await page.evaluate(() => (globalThis as unknown as { worker: Worker }).worker.postMessage('throw'))
    const [pending, later, closed] = await settle(page)
    expect(pending).toMatchObject({
      code: 'WORKER_FAILED',
      details: { cause: expect.stringContaining('thrown by the test') },
    })
    expect(later).toMatchObject({ code: 'WORKER_FAILED' })
    expect(closed).not.toHaveProperty('code')
    expect(await useStore(page, 'lost')).toMatchObject({ value: 'Alice lives in Berlin.' })
  })

  test('because somebody ended it rejects what waits and what comes later, and can be opened anew', async () => {
    const page = await openPage(suite.browser.context, suite.server)
    await openPending(page)
    await page.evaluate(() => (globalThis as unknown as { worker: Worker }).worker.terminate())
    const [pending, later, closed] = await settle(page)
    expect(pending).toMatchObject({ code: 'WORKER_FAILED' })
    expect(later).toMatchObject({ code: 'WORKER_FAILED' })
    expect(closed).not.toHaveProperty('code')
    expect(await useStore(page, 'lost')).toMatchObject({ value: 'Alice lives in Berlin.' })
  })

  test('while nothing waits is replaced at the next opening', async () => {
    const page = await openPage(suite.browser.context, suite.server)
    await page.evaluate(async () => {
      globalThis.memory = await openMemory({ name: 'replaced', embedder: 'hash' })
      await memory.set({ key: 'kept', value: 'before' })
      startedWorkers[0]?.terminate()
    })
    await expect.poll(() => page.evaluate(async () => (await attempt(() => memory.get('kept'))).code)).toBe('WORKER_FAILED')
    const seen = await page.evaluate(() =>
      attempt(async () => (await openMemory({ name: 'replaced', embedder: 'hash' }).get('kept'))?.value),
    )
    expect(seen).toMatchObject({ value: 'before' })
  })
})

test('a worker that said hello long before the store was opened is heard', async () => {
  const page = await openPage(suite.browser.context, suite.server, { clock: true })
  await page.evaluate(async () => {
    const worker = new Worker('/dist/worker.js', { type: 'module' })
    await new Promise((heard) => worker.addEventListener('message', heard, { once: true }))
    globalThis.memory = await openMemory({ name: 'given', worker, embedder: 'hash' })
  })
  // Longer than a script may take to say its first word.
  await page.clock.fastForward(11_000)
  const opened = await page.evaluate(() => attempt(() => memory.set({ key: 'a', value: 'b' })))
  expect(opened).toMatchObject({ value: { key: 'a' } })
})

describe('closing', () => {
  test('rejects what comes later with CLOSED, and a new opening finds what was written', async () => {
    const page = await openPage(suite.browser.context, suite.server)
    const seen = await page.evaluate(async () => {
      const memory = await openMemory({ name: 'closing', embedder: 'hash' })
      const scoped = memory.scope({ user: 'alice' })
      await scoped.set({ key: 'a', value: 'kept' })
      await memory.close()
      await memory.close()
      const late = await Promise.all([
        attempt(() => memory.set({ key: 'b', value: 'late' })),
        attempt(() => memory.get('a')),
        attempt(() => memory.search('kept')),
        attempt(() => memory.storage()),
        attempt(() => scoped.get('a')),
      ])
      const again = await openMemory({ name: 'closing', embedder: 'hash', scope: { user: 'alice' } })
      const row = await again.get('a')
      await again.close()
      return [late.map(({ code }) => code), row?.value, await again.storage().then(String, String)]
    })
    expect(seen).toEqual([Array(5).fill('CLOSED'), 'kept', expect.stringContaining('closed')])
    await expect.poll(() => page.workers().length).toBe(0)
  })

  test('lets the writes finish that were under way', async () => {
    const page = await openPage(suite.browser.context, suite.server)
    const seen = await page.evaluate(async () => {
      const memory = await openMemory({ name: 'finishing', embedder: 'hash' })
      const writes = Array.from({ length: 50 }, (_, i) => attempt(() => memory.set({ key: `k${i}`, value: i })))
      await memory.close()
      const outcomes = await Promise.all(writes)
      const again = await openMemory({ name: 'finishing', embedder: 'hash' })
      const { rows } = await again.list({ limit: 100 })
      const stored = new Set(rows.map(({ key }) => key))
      return {
        hangs: outcomes.filter(({ code }) => code === 'HANGS').length,
        lost: outcomes.filter(({ value }) => value !== undefined && !stored.has(value.key)).length,
        acknowledged: outcomes.filter(({ value }) => value !== undefined).length,
      }
    })
    expect(seen).toEqual({ hangs: 0, lost: 0, acknowledged: 50 })
  })

  test('of one of two openings in a page leaves the other, which shares its worker', async () => {
    const page = await openPage(suite.browser.context, suite.server)
    const seen = await page.evaluate(async () => {
      const one = openMemory({ name: 'shared', embedder: 'hash' })
      const two = openMemory({ name: 'shared', embedder: 'hash', scope: { user: 'alice' } })
      await one.set({ key: 'a', value: 'by one' })
      await two.set({ key: 'b', value: 'by two' })
      const workers = startedWorkers.length
      await one.close()
      const refused = await attempt(() => one.get('a'))
      await two.set({ key: 'c', value: 'after' })
      return [workers, refused.code, (await two.get('a'))?.value, (await two.get('c'))?.value]
    })
    expect(seen).toEqual([1, 'CLOSED', 'by one', 'after'])
    await page.evaluate(() => openMemory({ name: 'shared', embedder: 'hash' }).close())
    expect(page.workers()).toHaveLength(1)
  })

  test('before the store is open neither hangs nor breaks the next opening', async () => {
    const page = await openPage(suite.browser.context, suite.server)
    const seen = await page.evaluate(async () => {
      const memory = openMemory({ name: 'hasty', embedder: 'hash' })
      const write = attempt(() => memory.set({ key: 'a', value: 1 }))
      const closed = await attempt(() => memory.close())
      const again = openMemory({ name: 'hasty', embedder: 'hash' })
      return [closed.code, (await write).code, (await again.set({ key: 'b', value: 2 })).key]
    })
    expect(seen[0]).toBeUndefined()
    expect([undefined, 'CLOSED']).toContain(seen[1])
    expect(seen[2]).toBe('b')
  })
})
