import { test } from 'vitest'
import { launchBrowser } from '../support/chromium.js'
import { startServer } from '../support/server.js'
import { bundleStorageWorker, STORAGE_MOUNTS, startStorageWorker } from '../support/storage-page.js'

test('measure', async () => {
  const server = await startServer({ mounts: STORAGE_MOUNTS, overrides: await bundleStorageWorker() })
  const browser = await launchBrowser()
  const page = await browser.context.newPage()
  await page.goto(`${server.origin}/pages/blank.html`)
  const worker = await startStorageWorker(page)
  const t = Date.now()
  console.log(await worker.call('ready'), Date.now() - t)
  console.log('open', await worker.call('open', 'opfs', 'big'))
  const f = Date.now()
  await worker.call('fillBig', 100_000)
  console.log('fill', Date.now() - f, await worker.call('all', 'pragma page_count'))
  console.log('checks warm', JSON.stringify(await worker.call('checkTimes', true)))
  console.log('close', await worker.call('close'))
  for (let i = 0; i < 3; i++) {
    const next = await startStorageWorker(page)
    await next.call('ready')
    console.log('reopen', await next.call('open', 'opfs', 'big'))
    console.log('clean', JSON.stringify(await next.call('checkTimes', true)))
    console.log('unclean', JSON.stringify(await next.call('checkTimes', false)))
    console.log('close', await next.call('close'))
    await next.terminate()
  }
  console.log(browser.errors)
  await browser.close()
  await server.close()
}, 240_000)
