import { test } from 'vitest'
import { launchBrowser } from '../support/chromium.js'
import { startServer } from '../support/server.js'
import { STORAGE_MOUNTS } from '../support/storage-page.js'

test('quota', async () => {
  const server = await startServer({ mounts: STORAGE_MOUNTS, overrides: (p) => p === '/pages/w.js' ? { body: `
onmessage = async ({data:[id, code]}) => { try { postMessage([id, await (0,eval)('(async()=>{'+code+'})()')]) } catch (e) { postMessage([id, 'ERR ' + e.name + ' ' + e.message]) } }
` } : undefined })
  const browser = await launchBrowser()
  const page = await browser.context.newPage()
  await page.goto(`${server.origin}/pages/blank.html`)
  const session = await browser.context.newCDPSession(page)
  const limit = async (quotaSize?: number) => { await session.send('Storage.overrideQuotaForOrigin', { origin: server.origin, ...(quotaSize && { quotaSize }) }) }
  await page.evaluate(`globalThis.w = new Worker('/pages/w.js'); globalThis.n = 0; globalThis.ask = (code) => new Promise((r) => { const id = ++n; const f = ({data}) => { if (data[0] === id) { w.removeEventListener('message', f); r(data[1]) } }; w.addEventListener('message', f); w.postMessage([id, code]) })`)
  const run = async (code: string) => console.log(code, '->', await page.evaluate(`ask(${JSON.stringify(code)})`), await page.evaluate('navigator.storage.estimate().then((e) => e.usage)'))
  await run(`globalThis.root = await navigator.storage.getDirectory(); globalThis.fa = await root.getFileHandle('a', {create:true}); globalThis.a = await fa.createSyncAccessHandle(); return a.getSize()`)
  await run(`globalThis.fr = await root.getFileHandle('r', {create:true}); globalThis.r = await fr.createSyncAccessHandle(); return r.truncate(2_000_000)`)
  await limit(2_200_000)
  await run(`a.truncate(500_000)`)
  await run(`r.truncate(0); a.truncate(500_000)`)
  await run(`r.close(); a.truncate(500_000); return a.getSize()`)
  for (let i = 0; i < 5; i++) {
  await run(`a.close(); globalThis.a = await fa.createSyncAccessHandle(); a.truncate(0); a.close(); globalThis.a = await fa.createSyncAccessHandle(); globalThis.r = await fr.createSyncAccessHandle(); return r.truncate(2_000_000)`)
  await run(`a.truncate(500_000)`)
  await run(`r.truncate(0); r.close(); a.truncate(500_000); return a.getSize()`)
  }
  await browser.close()
  await server.close()
}, 60_000)
