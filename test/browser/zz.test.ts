import { test } from 'vitest'
import { launchBrowser } from '../support/chromium.js'
import { startServer } from '../support/server.js'
import { bundleStorageWorker, STORAGE_MOUNTS, startStorageWorker } from '../support/storage-page.js'

test('quota', async () => {
  const server = await startServer({ mounts: STORAGE_MOUNTS, overrides: await bundleStorageWorker() })
  const browser = await launchBrowser()
  const page = await browser.context.newPage()
  await page.goto(`${server.origin}/pages/blank.html`)
  const session = await browser.context.newCDPSession(page)
  const usage = () => page.evaluate(async () => JSON.stringify(await navigator.storage.estimate()))
  const limit = async (quotaSize?: number) => { await session.send('Storage.overrideQuotaForOrigin', { origin: server.origin, ...(quotaSize && { quotaSize }) }) }
  for (const backend of ['opfs', 'idb']) {
    const worker = await startStorageWorker(page)
    await worker.call('open', backend, 'q')
    await worker.call('script', 'create table t (id integer primary key, v text) strict')
    await worker.call('durable')
    console.log(backend, await usage())
    await limit(12_000_000)
    let t = Date.now()
    console.log(await worker.call('insertUntilFull', 200_000), Date.now() - t, await usage())
    for (const n of [1, 3, 5, 10, 10, 10]) {
      t = Date.now()
      console.log('delete', n, JSON.stringify(await worker.outcome('run', `delete from t where id in (select id from t limit ${n})`)), JSON.stringify(await worker.outcome('durable')), Date.now() - t, await usage())
    }
    t = Date.now()
    console.log('vacuum', JSON.stringify(await worker.outcome('script', `vacuum`)), JSON.stringify(await worker.outcome('durable')), Date.now() - t, await usage())
    console.log('insert', JSON.stringify(await worker.outcome('run', `insert into t (v) values ('x')`)), JSON.stringify(await worker.outcome('durable')), Date.now() - t, await usage())
    console.log(await worker.call('insertUntilFull', 200_000), Date.now() - t, await usage())
    await worker.call('close').catch(console.log)
    await worker.terminate()
    const estimate = await page.evaluate(async () => (await navigator.storage.estimate()).usage)
    console.log('closed', await usage())
    await limit(estimate)
    const next = await startStorageWorker(page)
    console.log('reopen full', JSON.stringify(await next.outcome('open', backend, 'q')), await usage())
    for (const n of [1, 3, 5, 10, 10, 10]) {
      t = Date.now()
      console.log('delete', n, JSON.stringify(await next.outcome('run', `delete from t where id in (select id from t limit ${n})`)), JSON.stringify(await next.outcome('durable')), Date.now() - t, await usage())
    }
    await next.call('close').catch(console.log)
    await next.terminate()
    await limit()
  }
  await browser.close()
  await server.close()
}, 240_000)
