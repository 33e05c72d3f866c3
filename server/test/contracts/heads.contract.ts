import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { WireRow } from '../../../src/schema/sync-wire.js'
import { openHeadIndex } from '../../store/heads.js'
import { rowsAt } from '../../store/pages.js'
import type { Db } from '../../store/steps.js'
import { openTestAccount, parsed, type TestAccount } from '../support/account.js'
import { commitment, idOf, newDevice, rowOf, rowsOf } from '../support/rows.js'

const LANE: Readonly<Record<string, string>> = {
  set: 'life',
  tomb: 'life',
  restore: 'life',
  guard: 'guard',
  review: 'review',
}

/** What stands, said as simply as it can be. */
const headsOf = (rows: readonly WireRow[]): string[] =>
  rows
    .filter((row) => {
      if (['erase', 'redact', 'policy'].includes(row.kind)) return true
      const lane = LANE[row.kind]
      return lane !== undefined && !rows.some((other) => LANE[other.kind] === lane && other.parents.includes(idOf(row)))
    })
    .map(idOf)

const history = fc
  .array(
    fc.record({
      kind: fc.constantFrom('set', 'tomb', 'restore', 'guard', 'review', 'verdict', 'policy', 'later-kind'),
      on: fc.array(fc.nat(30), { maxLength: 3 }),
    }),
    { maxLength: 30 },
  )
  .map((steps) => {
    const dev = newDevice()
    return steps.map(({ kind, on }, i) =>
      rowOf({
        dev,
        dseq: i + 1,
        kind,
        kc: commitment('key'),
        parents: [...new Set(on.filter((n) => n < i).map((n) => `${dev}.${n + 1}`))],
      }),
    )
  })

/** What a new device gets first, on every store. */
export const runHeadsContract = (name: string, open: () => Promise<Db>): void => {
  describe(`heads on ${name}`, () => {
    let db: Db
    beforeAll(async () => {
      db = await open()
      return () => db.close()
    })

    const read = async (account: TestAccount, index = openHeadIndex(db), limit = 1_000) => {
      const rows: WireRow[] = []
      let at: number | null = null
      let before: number | null = null
      for (let more = true; more; ) {
        const standing = await account.standing()
        const page = await index.page(standing, { at, before, limit, maxBytes: 1_048_576 })
        const found = await db.read(() => rowsAt(db, standing, page.places, { limit, namespaces: null }))
        rows.push(...parsed(found).map(({ row }) => row))
        at = page.at
        before = page.before
        more = page.more
      }
      return rows
    }

    test('are what no other row of the lane was written on top of, in whatever order they came', async () => {
      await fc.assert(
        fc.asyncProperty(
          history,
          fc.infiniteStream(fc.nat()),
          fc.integer({ min: 1, max: 7 }),
          async (rows, chance, limit) => {
            const account = await openTestAccount(db)
            const shuffled = rows
              .map((row) => ({ row, at: chance.next().value }))
              .sort((a, b) => a.at - b.at)
              .map(({ row }) => row)
            const index = openHeadIndex(db)
            // Asked in between, the index is kept up from where it was.
            await account.push(shuffled.slice(0, shuffled.length / 2))
            await read(account, index)
            await account.push(shuffled)
            const found = (await read(account, index, limit)).map(idOf)
            expect(found.toSorted()).toEqual(headsOf(rows).toSorted())
            expect(new Set(found).size).toBe(found.length)
          },
        ),
        { numRuns: 40 },
      )
    })

    test('come newest first, with where and with which sum they were made', async () => {
      const account = await openTestAccount(db)
      const rows = rowsOf(5, (i) => ({ kc: commitment(`key ${i}`) }))
      await account.push(rows)
      const index = openHeadIndex(db)
      const standing = await account.standing()
      const page = await index.page(standing, { at: null, before: null, limit: 2, maxBytes: 1_048_576 })
      expect(page).toEqual({ at: 5, atDigest: standing.digest.toString('hex'), places: [5, 4], before: 4, more: true })
      await account.push(rowsOf(1))
      const next = await index.page(await account.standing(), { at: 5, before: 4, limit: 9, maxBytes: 1_048_576 })
      expect(next).toMatchObject({ at: 5, atDigest: page.atDigest, places: [3, 2, 1], more: false })
    })

    test('are none of what was erased', async () => {
      const account = await openTestAccount(db)
      const key = commitment('a key')
      const index = openHeadIndex(db)
      await account.push(rowsOf(2, (i) => ({ kc: i === 0 ? key : commitment('other') })))
      expect(await read(account, index)).toHaveLength(2)
      const erase = rowOf({ dev: newDevice(), kind: 'erase', kc: key, kepoch: 1, body: null })
      await account.push([erase])
      expect((await read(account, index)).map(({ kind, kc }) => [kind, kc])).toEqual([
        ['erase', key],
        ['set', commitment('other')],
      ])
    })

    test('fit into pages that hold no more bytes than they may', async () => {
      const account = await openTestAccount(db)
      await account.push(rowsOf(3, () => ({ body: 'x'.repeat(1_000) })))
      const standing = await account.standing()
      const asked = { at: null, before: null, limit: 10 }
      expect((await openHeadIndex(db).page(standing, { ...asked, maxBytes: 3_000 })).places).toEqual([3, 2])
      expect((await openHeadIndex(db).page(standing, { ...asked, maxBytes: 1 })).places).toEqual([3])
    })
  })
}
