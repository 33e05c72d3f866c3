import type { WireRow } from '../../../src/schema/sync-wire.js'
import { toUtf8 } from '../../../worker/sync/bytes.js'
import type { RingTools, SyncKeys } from '../../../worker/sync/key-ring.js'
import { type ClearHeader, sealRow } from '../../../worker/sync/row-cipher.js'

export const KEY = { key: new Uint8Array(32).fill(7) }
export const OTHER_KEY = { key: new Uint8Array(32).fill(8) }

export const TOOLS: RingTools = { argon2id: () => Promise.reject(new Error('nobody asked for Argon2id')) }

export const header = (over: Partial<ClearHeader> = {}): ClearHeader => ({
  dev: '00000000000000aa',
  dseq: 1,
  ver: '1796000000123456789',
  kind: 'set',
  nc: 'namespace-namespace',
  kc: 'key-key-key-key-key',
  kepoch: 0,
  parents: [],
  human: 1,
  target: null,
  ...over,
})

export const sealedText = async (keys: SyncKeys | null, text: string, over: Partial<ClearHeader> = {}): Promise<WireRow> => {
  const sealed = await sealRow(keys, header(over), toUtf8(text))
  if ('refused' in sealed) throw new Error(sealed.refused)
  return sealed.row
}
