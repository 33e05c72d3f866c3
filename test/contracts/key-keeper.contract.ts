import type { KeyKeeper } from '../../worker/adapters/idb-keys.js'
import { fromUtf8, toUtf8 } from '../../worker/sync/bytes.js'
import { createRing, type RingTools, type SyncKeys } from '../../worker/sync/key-ring.js'
import { openRow, sealRow } from '../../worker/sync/row-cipher.js'

/** Makes a keeper over what a keeper of the same name has kept. */
export type OpenKeeper = () => KeyKeeper

interface Case {
  readonly name: string
  readonly run: (open: OpenKeeper) => Promise<void>
}

const TOOLS: RingTools = { argon2id: () => Promise.reject(new Error('nobody asked for Argon2id')) }

const newKeys = async (): Promise<SyncKeys> =>
  (await createRing({ key: crypto.getRandomValues(new Uint8Array(32)) }, TOOLS)).keys

const must = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(`not so: ${what}`)
}

const HEADER = {
  dev: '00000000000000aa',
  dseq: 1,
  ver: '1',
  kind: 'set',
  nc: 'namespace-namespace',
  kc: null,
  kepoch: 0,
  parents: [],
  human: 0,
  target: null,
} as const

/** What every keeper of keys does, wherever it keeps them. Runs in workers: it asserts for itself. */
export const keyKeeperContract: readonly Case[] = [
  {
    name: 'gives back keys that open what was sealed before, and that nobody can read',
    run: async (open) => {
      const keys = await newKeys()
      const sealed = await sealRow(keys, { ...HEADER, parents: [] }, toUtf8('secret'))
      must('row' in sealed, 'the row is sealed')
      must(await open().keep('account', keys), 'the keys are kept')
      const kept = await open().read('account')
      must(kept !== null && kept.gen === keys.gen && kept.next === null, 'they are there after another opening')
      const row = await openRow(kept, (sealed as { row: never }).row)
      must('text' in row && fromUtf8(row.text) === 'secret', 'they open the row')
      for (const key of [kept?.index, kept?.mac, ...(kept?.wraps.values() ?? [])] as CryptoKey[]) {
        must(!key.extractable, 'a kept key cannot be read')
        must(
          await crypto.subtle.exportKey('raw', key).then(
            () => false,
            () => true,
          ),
          'nor exported',
        )
      }
    },
  },
  {
    name: 'keeps accounts apart, replaces and forgets',
    run: async (open) => {
      const keeper = open()
      must((await keeper.read('one')) === null, 'nothing is there at first')
      await keeper.keep('one', await newKeys())
      await keeper.keep('two', { ...(await newKeys()), gen: 2 })
      await keeper.keep('one', { ...(await newKeys()), gen: 3 })
      must((await keeper.read('one'))?.gen === 3 && (await keeper.read('two'))?.gen === 2, 'each has its own')
      await keeper.forget('one')
      must((await open().read('one')) === null && (await open().read('two')) !== null, 'one is forgotten')
    },
  },
]
