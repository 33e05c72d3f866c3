import { beforeAll, describe, expect, test } from 'vitest'
import type { RotationRequest } from '../../../src/schema/sync-account.js'
import type { WireRow } from '../../../src/schema/sync-wire.js'
import { dropOldSlots, OLD_SLOTS_MS, readSlots, rotate, storeSettings, storeSlots } from '../../store/keys.js'
import type { Db } from '../../store/steps.js'
import { NOW_MS, openTestAccount, type TestAccount } from '../support/account.js'
import { encryptedRows, idOf, newDevice, rowOf, rowsOf } from '../support/rows.js'

const slotOf = (gen: number, i: number): string => Buffer.from(`slot ${gen} ${i}`.padEnd(40)).toString('base64url')

/** What every store does with settings of an account and with wrapped keys. */
export const runKeysContract = (name: string, open: () => Promise<Db>): void => {
  describe(`keys on ${name}`, () => {
    let db: Db
    beforeAll(async () => {
      db = await open()
      return () => db.close()
    })

    const step = (account: TestAccount, request: RotationRequest, nowMs = NOW_MS) =>
      db.locked(account.id, () => rotate(account.id, request, nowMs))
    const caughtUp = async (account: TestAccount) => {
      const { head, digest } = await account.standing()
      return { head, digest: digest.toString('hex') }
    }
    const begin = async (account: TestAccount, gen: number) =>
      (await step(account, { step: 'begin', gen, ...(await caughtUp(account)) })).outcome
    const commit = async (account: TestAccount, gen: number, expected = 0, nowMs = NOW_MS) =>
      await step(account, { step: 'commit', gen, expected, settings: `of ${gen}`, ...(await caughtUp(account)) }, nowMs)
    const give = (account: TestAccount, gen: number, rows: readonly WireRow[]) =>
      db.locked(account.id, () =>
        storeSlots(
          db,
          account.id,
          gen,
          rows.map((row, i) => ({ id: idOf(row), slot: slotOf(gen, i) })),
        ),
      )
    const served = async (account: TestAccount) => (await account.rows()).map(({ row }) => [row.gen, row.slot])

    test('settings are replaced only by who has seen what stands', async () => {
      const account = await openTestAccount(db)
      const store = (expected: number, text: string) =>
        db.locked(account.id, () => storeSettings(account.id, expected, text))
      expect(await store(0, 'first')).toMatchObject({ stored: true, account: { settingsVersion: 1, settings: 'first' } })
      expect(await store(0, 'second')).toMatchObject({ stored: false, account: { settingsVersion: 1, settings: 'first' } })
      const both = await Promise.all([store(1, 'a'), store(1, 'b')])
      expect(both.filter(({ stored }) => stored)).toHaveLength(1)
    })

    test('a generation is served when it is complete, and not before', async () => {
      const account = await openTestAccount(db)
      const rows = encryptedRows(3, 20)
      const [plain] = rowsOf(1)
      await account.push([...rows, plain])
      const old = rows.map((row) => [1, row.slot])
      expect(await begin(account, 2)).toBe('done')
      expect(await give(account, 2, rows.slice(0, 2))).toMatchObject({ stored: 2, unknown: [], refused: false })
      expect(await served(account)).toEqual([...old, [0, null]])
      expect(await commit(account, 2)).toMatchObject({ outcome: 'missing', missing: [idOf(rows[2] as WireRow)] })
      await give(account, 2, rows)
      expect(await commit(account, 2)).toMatchObject({
        outcome: 'done',
        account: { gen: 2, pending: null, settings: 'of 2' },
      })
      expect(await served(account)).toEqual([...rows.map((_, i) => [2, slotOf(2, i)]), [0, null]])
    })

    test('a rotation that is cut at any step leaves what was served, and can be done again', async () => {
      const account = await openTestAccount(db)
      const rows = encryptedRows(2, 20)
      await account.push(rows)
      const old = await served(account)
      await begin(account, 2)
      await give(account, 2, rows.slice(0, 1))
      expect(await served(account)).toEqual(old)
      expect(await step(account, { step: 'abort', gen: 2 })).toMatchObject({
        outcome: 'done',
        account: { pending: null, gen: 1 },
      })
      expect(await account.table('keyslot')).toHaveLength(2)
      expect(await begin(account, 2)).toBe('done')
      expect(await begin(account, 2)).toBe('done')
      await give(account, 2, rows)
      expect((await commit(account, 2)).outcome).toBe('done')
      expect((await commit(account, 2, 1)).outcome).toBe('generation')
    })

    test('who does not know every row neither begins nor ends a rotation', async () => {
      const account = await openTestAccount(db)
      await account.push(encryptedRows(1, 20))
      const known = await caughtUp(account)
      const late = encryptedRows(1, 20)
      await account.push(late)
      expect((await step(account, { step: 'begin', gen: 2, ...known })).outcome).toBe('behind')
      expect((await step(account, { step: 'begin', gen: 2, ...known, head: 2 })).outcome).toBe('behind')
      expect(await begin(account, 3)).toBe('generation')
      expect(await begin(account, 2)).toBe('done')
      const behind = { step: 'commit', gen: 2, expected: 0, settings: '', ...known } as const
      expect((await step(account, behind)).outcome).toBe('behind')
      await db.locked(account.id, () => storeSettings(account.id, 0, 'of another device'))
      expect((await commit(account, 2)).outcome).toBe('settings')
    })

    test('slots are taken for generations that are there and rows that have keys', async () => {
      const account = await openTestAccount(db)
      const rows = encryptedRows(2, 20)
      const [plain] = rowsOf(1) as [WireRow]
      await account.push([...rows, plain])
      expect(await give(account, 2, rows)).toMatchObject({ refused: true, stored: 0 })
      await begin(account, 2)
      const stranger = rowOf({ dev: newDevice() })
      expect(await give(account, 2, [...rows, plain, stranger])).toMatchObject({
        stored: 2,
        unknown: [idOf(plain), idOf(stranger)],
      })
      await account.push([rowOf({ dev: newDevice(), kind: 'erase', kc: rows[0]?.kc ?? null, kepoch: 1, body: null })])
      expect(await give(account, 2, rows)).toMatchObject({ stored: 1, unknown: [idOf(rows[0] as WireRow)] })
      expect((await commit(account, 2)).outcome).toBe('done')
      expect((await served(account)).slice(0, 2)).toEqual([
        [1, null],
        [2, slotOf(2, 1)],
      ])
    })

    test('what is prepared can be read page by page before anybody depends on it', async () => {
      const account = await openTestAccount(db)
      const rows = encryptedRows(5, 20)
      await account.push(rows)
      await begin(account, 2)
      await give(account, 2, rows)
      const first = await db.read(() => readSlots(account.id, 2, 0, 3))
      const rest = await db.read(() => readSlots(account.id, 2, first.after, 3))
      expect([first.more, rest.more]).toEqual([true, false])
      expect([...first.slots, ...rest.slots].map(({ id, slot }) => [id, slot])).toEqual(
        rows.map((row, i) => [idOf(row), slotOf(2, i)]),
      )
    })

    test('rows of a device that missed the rotation keep the key they came with', async () => {
      const account = await openTestAccount(db)
      const rows = encryptedRows(1, 20)
      await account.push(rows)
      await begin(account, 2)
      await give(account, 2, rows)
      await commit(account, 2)
      const [late] = encryptedRows(1, 20) as [WireRow]
      await account.push([late])
      expect((await served(account)).at(-1)).toEqual([1, late.slot])
      expect(await give(account, 2, [late])).toMatchObject({ stored: 1 })
      expect((await served(account)).at(-1)).toEqual([2, slotOf(2, 0)])
    })

    test('old slots go a month after, where there are newer ones', async () => {
      const account = await openTestAccount(db)
      const rows = encryptedRows(2, 20)
      await account.push(rows)
      await begin(account, 2)
      await give(account, 2, rows)
      await commit(account, 2)
      await account.push(encryptedRows(1, 20))
      const drop = async (nowMs: number) => {
        await db.locked(account.id, () => dropOldSlots(account.id, nowMs))
        return (await account.table('keyslot')).map(({ seq, gen }) => `${seq}:${gen}`).sort()
      }
      expect(await drop(NOW_MS + OLD_SLOTS_MS - 1)).toEqual(['1:1', '1:2', '2:1', '2:2', '3:1'])
      expect(await drop(NOW_MS + OLD_SLOTS_MS)).toEqual(['1:2', '2:2', '3:1'])
    })
  })
}
