import { IDBFactory } from 'fake-indexeddb'
import 'fake-indexeddb/auto'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createIdbKeys } from '../../worker/adapters/idb-keys.js'
import { createRing } from '../../worker/sync/key-ring.js'
import { keyKeeperContract } from '../contracts/key-keeper.contract.js'
import { KEY, TOOLS } from '../support/sync/sealed.js'

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory()
})
// Files share their globals.
afterAll(() => {
  globalThis.indexedDB = new IDBFactory()
})

describe('keys in IndexedDB', () => {
  test.each(keyKeeperContract)('$name', ({ run }) => run(() => createIdbKeys('keys')))

  test('are not there where the browser keeps nothing, and nobody fails for that', async () => {
    globalThis.indexedDB = {
      open: () => {
        throw new DOMException('refused', 'SecurityError')
      },
    } as never
    const keeper = createIdbKeys('keys')
    expect(await keeper.keep('account', (await createRing(KEY, TOOLS)).keys)).toBe(false)
    expect(await keeper.read('account')).toBeNull()
    await keeper.forget('account')
  })
})
