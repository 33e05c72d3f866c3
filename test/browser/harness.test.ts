import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { importInPage, type LaunchedBrowser, type LaunchOptions, launchBrowser } from '../support/chromium.js'
import { startServer, type TestServer } from '../support/server.js'

let server: TestServer
const open: LaunchedBrowser[] = []

const launch = async (options?: LaunchOptions) => {
  const browser = await launchBrowser(options)
  open.push(browser)
  return browser
}

const openBlank = async (browser: LaunchedBrowser) => {
  const page = await browser.context.newPage()
  await page.goto(`${server.origin}/pages/blank.html`)
  return page
}

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
afterEach(async () => {
  server.setOverrides(() => undefined)
  for (const browser of open.splice(0)) await browser.close()
})

test('a page loads without a word on the console, and its fresh profile is gone after closing', async () => {
  const browser = await launch()
  const page = await openBlank(browser)
  expect(await page.title()).toBe('Blank')
  expect(browser.errors).toEqual([])
  expect(existsSync(browser.userDataDir)).toBe(true)
  await browser.close()
  expect(existsSync(browser.userDataDir)).toBe(false)
})

test('console errors and uncaught errors are collected, from pages and from workers', async () => {
  const browser = await launch()
  const page = await openBlank(browser)
  server.setOverrides((path) =>
    path === '/pages/failing.js' ? { body: 'console.error("worker says no"); throw Error("worker fell")' } : undefined,
  )
  await page.evaluate(() => {
    console.error('page says no')
    setTimeout(() => {
      throw new Error('page fell')
    })
    new Worker('/pages/failing.js')
  })
  for (const text of ['page says no', 'page fell', 'worker says no', 'worker fell'])
    await expect.poll(() => browser.errors.join('\n')).toContain(text)
})

test('a killed browser keeps what was on disk and starts again on the same profile', async () => {
  const userDataDir = await mkdtemp(join(tmpdir(), 'palimpsest-profile-'))
  const first = await launch({ userDataDir })
  const page = await openBlank(first)
  await page.evaluate(async () => {
    const root = await navigator.storage.getDirectory()
    const file = await (await root.getFileHandle('kept.txt', { create: true })).createWritable()
    await file.write('kept')
    await file.close()
  })
  await first.kill()
  expect(() => process.kill(first.pid, 0)).toThrow('ESRCH')

  const second = await launch({ userDataDir })
  const again = await openBlank(second)
  const kept = await again.evaluate(async () => {
    const root = await navigator.storage.getDirectory()
    return (await (await root.getFileHandle('kept.txt')).getFile()).text()
  })
  expect(kept).toBe('kept')
  await second.close()
  expect(existsSync(userDataDir)).toBe(true)
  await rm(userDataDir, { recursive: true, force: true })
})

test('the server answers with overrides, refuses to leave its folders and is not cross-origin isolated', async () => {
  server.setOverrides((path) => {
    if (path === '/pages/module.js') return { body: 'export const answer = 42' }
    if (path === '/pages/blank.html') return { headers: { 'Content-Security-Policy': "img-src 'none'" } }
    return path === '/pages/gone.html' ? { status: 410 } : undefined
  })
  const browser = await launch()
  const page = await openBlank(browser)
  await importInPage(page, '/pages/module.js', 'served')
  expect(await page.evaluate('[served.answer, crossOriginIsolated]')).toEqual([42, false])

  const ask = (path: string) => fetch(server.origin + path)
  const blank = await ask('/pages/blank.html')
  expect([blank.status, blank.headers.get('content-security-policy')]).toEqual([200, "img-src 'none'"])
  expect(await blank.text()).toContain('<title>Blank</title>')
  expect((await ask('/pages/gone.html')).status).toBe(410)
  expect((await ask('/pages/missing.html')).status).toBe(404)
  expect((await ask('/pages/%2e%2e%2fharness.test.ts')).status).toBe(404)
  expect(server.requests).toContain('/pages/missing.html')
})
