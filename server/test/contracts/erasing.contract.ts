import { beforeAll, describe, expect, test } from 'vitest'
import type { WireRow } from '../../../src/schema/sync-wire.js'
import { readErasures } from '../../store/emptying.js'
import type { Db } from '../../store/steps.js'
import { openTestAccount } from '../support/account.js'
import { commitment, encryptedRows, hashOf, idOf, NAMESPACE, newDevice, rowOf, rowsOf } from '../support/rows.js'

const [KEY, OTHER_KEY] = [commitment('a key'), commitment('another')]

const eraseOf = (kc: string | null, kepoch: number, nc = NAMESPACE): WireRow =>
  rowOf({ dev: newDevice(), kind: 'erase', nc, kc, kepoch, body: null })

const redactOf = (target: string, nc = NAMESPACE): WireRow =>
  rowOf({ dev: newDevice(), kind: 'redact', target, nc, kc: null, body: null })

/** What every store does with rows by which others lose their content. */
export const runErasingContract = (name: string, open: () => Promise<Db>): void => {
  describe(`erasure and redaction on ${name}`, () => {
    let db: Db
    beforeAll(async () => {
      db = await open()
      return () => db.close()
    })

    const held = async (account: Awaited<ReturnType<typeof openTestAccount>>) =>
      (await account.rows()).map(({ row }) => row.body !== null)

    test('take body and key of all that is older, and leave hashes as they were', async () => {
      const account = await openTestAccount(db)
      const rows = encryptedRows(4, 80).map((row, i) => ({ ...row, kc: i < 3 ? KEY : OTHER_KEY, kepoch: i === 2 ? 1 : 0 }))
      await account.push(rows)
      const before = await account.standing()
      const erase = eraseOf(KEY, 1)
      expect(await account.statuses([erase])).toEqual(['ok'])
      const after = (await account.rows()).map(({ row }) => row)
      expect(after.slice(0, 4)).toEqual(rows.map((row, i) => (i < 2 ? { ...row, body: null, slot: null } : row)))
      expect(after.map(hashOf)).toEqual([...rows, erase].map(hashOf))
      expect((await account.table('keyslot')).map(({ seq }) => seq).sort()).toEqual([3n, 4n])
      expect((await account.standing()).usedBytes).toBe(before.usedBytes + 400 - 2 * 80)
      expect(await db.read(() => readErasures(account.id))).toEqual([{ nc: NAMESPACE, kc: KEY, kepoch: 1 }])
    })

    test('leave no byte of a body in the tables', async () => {
      const account = await openTestAccount(db)
      await account.push([rowOf({ body: 'a secret that is told to nobody', kc: KEY })])
      await account.push([eraseOf(KEY, 1)])
      const stored = JSON.stringify(await account.table('sync_row'), (_, value) =>
        typeof value === 'bigint'
          ? String(value)
          : value?.type === 'Buffer'
            ? Buffer.from(value.data).toString('latin1')
            : value,
      )
      expect(stored).toContain(KEY)
      expect(stored).not.toContain('secret')
    })

    test('refuse older rows from then on, whatever their clock, and take those that have seen the erasure', async () => {
      const account = await openTestAccount(db)
      await account.push([eraseOf(KEY, 2)])
      const rows = [0, 1, 2, 3].map((kepoch) => rowOf({ dev: newDevice(), kc: KEY, kepoch }))
      expect(await account.statuses(rows)).toEqual(['erased', 'erased', 'ok', 'ok'])
      expect(await account.statuses([rowOf({ dev: newDevice(), kc: OTHER_KEY })])).toEqual(['ok'])
    })

    test('hold for all of their batch, wherever they stand in it', async () => {
      const account = await openTestAccount(db)
      const [early, late] = [rowOf({ dev: newDevice(), kc: KEY }), rowOf({ dev: newDevice(), kc: KEY })]
      expect(await account.statuses([early, eraseOf(KEY, 1), late])).toEqual(['erased', 'ok', 'erased'])
    })

    test('of a whole namespace take every key in it and none beside it', async () => {
      const account = await openTestAccount(db)
      const elsewhere = commitment('elsewhere')
      const rows = [KEY, OTHER_KEY, null].map((kc) => rowOf({ dev: newDevice(), kc }))
      await account.push([...rows, rowOf({ dev: newDevice(), nc: elsewhere })])
      await account.push([eraseOf(null, 1)])
      expect(await held(account)).toEqual([false, false, false, true, false])
      expect(await account.statuses([rowOf({ dev: newDevice(), kc: OTHER_KEY })])).toEqual(['erased'])
    })

    test('of two devices at once are one, and a lower one changes nothing', async () => {
      const account = await openTestAccount(db)
      expect(await account.statuses([eraseOf(KEY, 3), eraseOf(KEY, 3), eraseOf(KEY, 1)])).toEqual(['ok', 'ok', 'ok'])
      expect(await account.statuses([rowOf({ kc: KEY, kepoch: 2 })])).toEqual(['erased'])
      expect((await account.table('erasure')).map(({ kepoch }) => kepoch)).toEqual([3n])
    })

    test('that are refused erase nothing', async () => {
      const account = await openTestAccount(db)
      const row = rowOf({ kc: KEY })
      const late = { ...eraseOf(KEY, 1), ver: '9000000000000000000' }
      const collides = { ...eraseOf(KEY, 1), dev: row.dev, dseq: row.dseq }
      expect(await account.statuses([row, late, collides])).toEqual(['ok', 'skew', 'collision'])
      expect(await account.push([eraseOf(KEY, 1)], { namespaces: [OTHER_KEY] })).toMatchObject([{ reason: 'namespace' }])
      expect(await held(account)).toEqual([true])
    })

    test('that follow a refused row of their id erase what came with them', async () => {
      const account = await openTestAccount(db)
      const [erase, row] = [eraseOf(KEY, 1), rowOf({ dev: newDevice(), kc: KEY })]
      const refused = { ...rowOf({ kc: KEY }), dev: erase.dev, dseq: erase.dseq, ver: '9000000000000000000' }
      expect(await account.statuses([row, refused, erase])).toEqual(['ok', 'skew', 'ok'])
      expect(await held(account)).toEqual([false, false])
      expect((await account.standing()).usedBytes).toBe(800)
      expect(await account.statuses([rowOf({ kc: KEY })])).toEqual(['erased'])
    })

    test('say of a row that is here that it is here, though its time is over', async () => {
      const account = await openTestAccount(db)
      const row = rowOf({ kc: KEY })
      await account.push([row])
      await account.push([eraseOf(KEY, 1)])
      expect(await account.push([row])).toEqual([{ status: 'dup', seq: 1 }])
      expect(await held(account)).toEqual([false, false])
    })

    test('of one row empty it when it is here, when it comes with it, and when it comes later', async () => {
      const account = await openTestAccount(db)
      const [here, before, behind, later] = rowsOf(4, () => ({ gen: 1, slot: 'AAAA' })) as [
        WireRow,
        WireRow,
        WireRow,
        WireRow,
      ]
      await account.push([here])
      await account.push([before, redactOf(idOf(here)), redactOf(idOf(before)), redactOf(idOf(behind)), behind])
      await account.push([redactOf(idOf(later))])
      await account.push([later])
      const targets = (await account.rows()).filter(({ row }) => row.kind === 'set')
      expect(targets.map(({ row }) => [row.body, row.slot])).toEqual(targets.map(() => [null, null]))
      expect(targets.map(({ row }) => hashOf(row))).toEqual([here, before, behind, later].map(hashOf))
      expect(await account.table('keyslot')).toEqual([])
      expect((await account.standing()).usedBytes).toBe(8 * 400)
    })

    test('of one row do not reach into another namespace, nor to what says that something goes', async () => {
      const account = await openTestAccount(db)
      const row = rowOf({ dev: newDevice() })
      const erase = { ...eraseOf(OTHER_KEY, 1), ...bodyOf('why') }
      await account.push([row, erase])
      await account.push([redactOf(idOf(row), commitment('elsewhere')), redactOf(idOf(erase))])
      expect((await held(account)).slice(0, 2)).toEqual([true, true])
    })

    test('leave kinds and fields that nobody here knows as empty as all others', async () => {
      const account = await openTestAccount(db)
      await account.push([rowOf({ kind: 'later-kind', kc: KEY, later: { deep: [1] } })])
      await account.push([eraseOf(KEY, 1)])
      const [found] = await account.rows()
      expect(found?.row).toMatchObject({ kind: 'later-kind', body: null, later: { deep: [1] } })
    })
  })
}

const bodyOf = (text: string): Pick<WireRow, 'body' | 'bh'> => {
  const { body, bh } = rowOf({ body: text })
  return { body, bh }
}
