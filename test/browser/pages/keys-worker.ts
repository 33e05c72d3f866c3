/*
 * Runs one case of the contract of key keepers. Message: its number; answer: what is wrong, or null.
 */

import { createIdbKeys } from '../../../worker/adapters/idb-keys.js'
import { keyKeeperContract } from '../../contracts/key-keeper.contract.js'

addEventListener('message', async ({ data: index }: MessageEvent<number>) => {
  try {
    await keyKeeperContract[index]?.run(() => createIdbKeys(`keys-${index}`))
    postMessage(null)
  } catch (error) {
    postMessage(String(error))
  }
})
