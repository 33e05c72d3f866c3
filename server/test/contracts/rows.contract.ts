import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { runningDigest } from '../../../src/domain/sync/row-digest.js'
import type { WireRow } from '../../../src/schema/sync-wire.js'
import { wireRow } from '../../../test/support/wire-rows.js'
import { digestAt } from '../../store/pages.js'
import type { Db } from '../../store/steps.js'
import { NOW_MS, openTestAccount, parsed } from '../support/account.js'
import { commitment, encryptedRows, hashOf, idOf, NAMESPACE, newDevice, rowOf, rowsOf } from '../support/rows.js'

const DAY_NS = 24n * 60n * 60n * 1_000_000_000n

const sumOf = (rows: readonly WireRow[]): string => {
  const digest = runningDigest()
  for (const row of rows) digest.add(hashOf(row))
  return digest.hex()
}

/** What every store does with rows that come in and go out. */
export const runRowsContract = (name: string, open: () => Promise<Db>): void => {
  describe(`rows on ${name}`, () => {
    let db: Db
    beforeAll(async () => {
      db = await open()
      return () => db.close()
    })

    test('get places without gaps, in the order in which they came, and are given back as they were', async () => {
      const account = await openTestAccount(db)
      const rows = [...rowsOf(3), ...encryptedRows(2, 50)]
      expect(await account.push(rows)).toEqual(rows.map((_, i) => ({ status: 'ok', seq: i + 1 })))
      expect(await account.rows()).toEqual(rows.map((row, i) => ({ seq: i + 1, row })))
      const { head, digest } = await account.standing()
      expect([head, digest.toString('hex')]).toEqual([5, sumOf(rows)])
    })

    test('of any content and unknown kind come back field by field, and their sum is that of their hashes', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(wireRow, { minLength: 1, maxLength: 30 }), async (given) => {
          const account = await openTestAccount(db)
          const results = await account.push(given, { nowMs: Date.UTC(2262, 0, 1) })
          const taken = given.filter((_, i) => results[i]?.status === 'ok')
          const back = (await account.rows()).map(({ row }) => row)
          expect(back.map(idOf)).toEqual(taken.map(idOf))
          expect(back.map(hashOf)).toEqual(taken.map(hashOf))
          // A redaction among them may have emptied it.
          for (const [i, row] of back.entries())
            expect({ ...row, body: null, slot: null, gen: 0 }).toEqual({ ...taken[i], body: null, slot: null, gen: 0 })
          expect((await account.standing()).digest.toString('hex')).toBe(sumOf(back))
        }),
        { numRuns: 40 },
      )
    })

    test('keep every digit of their version', async () => {
      const account = await openTestAccount(db)
      const versions = ['1796000000123456789', '9007199254740993', '1']
      await account.push(
        rowsOf(3, (i) => ({ ver: versions[i] ?? '' })),
        { nowMs: Date.UTC(2030, 0, 1) },
      )
      expect((await account.rows()).map(({ row }) => row.ver)).toEqual(versions)
    })

    test('that come again are known by their place, in the same batch and later', async () => {
      const account = await openTestAccount(db)
      const [row] = rowsOf(1)
      expect(await account.push([row, row])).toEqual([
        { status: 'ok', seq: 1 },
        { status: 'dup', seq: 1 },
      ])
      expect(await account.push([row])).toEqual([{ status: 'dup', seq: 1 }])
      expect(await account.rows()).toHaveLength(1)
    })

    test('with the id of another row are refused, in the same batch and later', async () => {
      const account = await openTestAccount(db)
      const row = rowOf()
      const other = { ...row, human: 1 }
      expect(await account.statuses([row, other])).toEqual(['ok', 'collision'])
      expect(await account.statuses([other, { ...rowOf({ body: 'another' }), ver: row.ver }])).toEqual([
        'collision',
        'collision',
      ])
      expect((await account.rows()).map((each) => each.row)).toEqual([row])
    })

    test('that cannot be are refused one by one, and hold up nobody', async () => {
      const account = await openTestAccount(db)
      const good = rowsOf(2)
      const bad = [null, 7, [], {}, { ...rowOf(), dev: 'x' }, { ...rowOf(), bh: '0'.repeat(64) }]
      const results = await account.push([good[0], ...bad, good[1]])
      expect(results.map(({ status }) => status)).toEqual(['ok', ...bad.map(() => 'invalid'), 'ok'])
      expect(results[6]).toEqual({ status: 'invalid', reason: 'bh' })
      expect(await account.statuses([rowOf({ dseq: 9, body: 'x'.repeat(262_145) })])).toEqual(['too_large'])
      expect(await account.statuses([rowOf({ dseq: 9, body: 'x'.repeat(262_144) })])).toEqual(['ok'])
    })

    test('of the day after tomorrow are refused, unless they are here already', async () => {
      const account = await openTestAccount(db)
      const limit = BigInt(NOW_MS) * 1_000_000n + DAY_NS
      const [early, late] = rowsOf(2, (i) => ({ ver: String(limit + BigInt(i)) })) as [WireRow, WireRow]
      expect(await account.statuses([early, late])).toEqual(['ok', 'skew'])
      expect(await account.statuses([early, late], { nowMs: NOW_MS + 1 })).toEqual(['dup', 'ok'])
      expect(await account.statuses([early, late], { nowMs: 0 })).toEqual(['dup', 'dup'])
    })

    test('find an account full at its quota, and what gives space back goes in all the same', async () => {
      const account = await openTestAccount(db, 20_000)
      const dev = newDevice()
      const rows = rowsOf(3, () => ({ body: 'x'.repeat(9_000) }), dev)
      expect(await account.statuses(rows)).toEqual(['ok', 'ok', 'quota'])
      const erase = rowOf({ dev, dseq: 4, kind: 'erase', kepoch: 1, body: null })
      const tomb = rowOf({ dev, dseq: 5, kind: 'tomb', kepoch: 1, body: 'gone' })
      expect(await account.statuses([erase, tomb])).toEqual(['ok', 'ok'])
      expect((await account.standing()).usedBytes).toBeLessThan(3_000)
      expect(await account.statuses(rowsOf(1, () => ({ body: 'x'.repeat(9_000), kepoch: 1 }), dev, 6))).toEqual(['ok'])
    })

    test('of other namespaces than those of a token are refused, and come sealed', async () => {
      const account = await openTestAccount(db)
      const [mine, other] = [commitment('mine'), commitment('other')]
      const rows = rowsOf(2, (i) => ({ nc: i === 0 ? mine : other, gen: 1, slot: 'AAAA' }))
      const results = await account.push(rows, { namespaces: [mine] })
      expect(results).toEqual([
        { status: 'ok', seq: 1 },
        { status: 'invalid', reason: 'namespace' },
      ])
      await account.push(rows)
      const [first, second] = await account.rows([mine])
      expect(first?.row).toEqual(rows[0])
      expect(second?.row).toEqual({ ...rows[1], body: null, slot: null })
      expect(sumOf([first?.row, second?.row] as WireRow[])).toBe((await account.standing()).digest.toString('hex'))
    })

    test('are read on from a cursor, page by page, each no larger than a page may be', async () => {
      const account = await openTestAccount(db)
      await account.push(rowsOf(8, () => ({ body: 'x'.repeat(250_000) })))
      const page = await account.after(0)
      expect([page.rows.length, page.last, page.more]).toEqual([4, 4, true])
      const rest = await account.after(page.last)
      expect([rest.rows.length, rest.last, rest.more]).toEqual([4, 8, false])
      expect(await account.after(8)).toEqual({ rows: [], last: 8, more: false })
      expect((await account.after(2, 3)).last).toBe(5)
    })

    test('are read backwards with the sum of what is left', async () => {
      const account = await openTestAccount(db)
      const rows = rowsOf(7)
      await account.push(rows)
      const seen: WireRow[] = []
      for (let before = 8, more = true; more; ) {
        const page = await account.before(before, 3)
        seen.push(...parsed(page.rows).map(({ row }) => row))
        before = page.last
        more = page.more
        expect(await db.read(() => digestAt(account.id, before - 1))).toBe(sumOf(rows.slice(0, before - 1)))
      }
      expect(seen).toEqual(rows.toReversed())
    })

    test('that a reader remembers otherwise make it begin anew', async () => {
      const account = await openTestAccount(db)
      const rows = rowsOf(3)
      await account.push(rows)
      const { epoch } = await account.standing()
      expect(await account.rebase(0)).toBeNull()
      expect(await account.rebase(2, sumOf(rows.slice(0, 2)), epoch)).toBeNull()
      expect(await account.rebase(2, sumOf(rows))).toBe('digest')
      expect(await account.rebase(4, sumOf(rows))).toBe('cursor')
      expect(await account.rebase(2, sumOf(rows.slice(0, 2)), 'another')).toBe('epoch')
    })

    test('of one account are in no other', async () => {
      const [one, other] = [await openTestAccount(db), await openTestAccount(db)]
      const rows = rowsOf(2)
      await one.push(rows)
      expect(await other.rows()).toEqual([])
      expect(await other.push(rows.toReversed())).toEqual([
        { status: 'ok', seq: 1 },
        { status: 'ok', seq: 2 },
      ])
      await other.push([rowOf({ dev: newDevice(), kind: 'erase', kc: null, kepoch: 9, body: null })])
      expect((await one.rows()).map(({ row }) => row)).toEqual(rows)
    })

    test('of many writers at once each get one place', async () => {
      const account = await openTestAccount(db)
      const writers = Array.from({ length: 16 }, () => rowsOf(20))
      const work = writers.flatMap((rows) => [rows.slice(0, 9), rows.slice(7, 15), rows.slice(12)])
      await Promise.all(work.map((rows) => account.push(rows)))
      const rows = await account.rows()
      expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 320 }, (_, i) => i + 1))
      expect(new Set(rows.map(({ row }) => idOf(row))).size).toBe(320)
      expect((await account.standing()).digest.toString('hex')).toBe(sumOf(writers.flat()))
    })

    test('tell of the devices that wrote them', async () => {
      const account = await openTestAccount(db)
      const dev = newDevice()
      await account.push([...rowsOf(3, () => ({}), dev), rowOf({ nc: NAMESPACE })])
      const devices = (await account.table('device')).map((row) => [row.dev, row.last_dseq])
      expect(devices).toContainEqual([dev, 3n])
      expect(devices).toContainEqual(['00000000000000aa', 1n])
    })
  })
}
