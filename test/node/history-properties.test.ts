import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isMemoryError } from '../../src/protocol/errors.js'
import { sql } from '../../worker/store/sql.js'
import { ALICE, type Fields } from '../support/engine-calls.js'
import { openHistory } from '../support/history.js'

const RUNS = process.env.LONG === '1' ? 1_000 : 40

type Memory = Awaited<ReturnType<typeof openHistory>>
type Served = Awaited<ReturnType<Memory['served']>>

/** One call of a user, by name and input. */
type Op = { readonly name: Parameters<Memory['call']>[0]; readonly input: Fields }

const key = fc.constantFrom('a', 'b', 'c', 'd')
// Some say the same, some contradict each other, some revise, some stand beside each other.
const value = fc.constantFrom<unknown>(
  'Alice lives in Delhi.',
  'Alice lives in Berlin.',
  'The deposit is 500 euros.',
  'The deposit is not 500 euros.',
  'the deposit is 500 EUROS',
  'Priya loves grapefruit juice.',
  7,
  { plan: 'yearly' },
)
const tags = fc.subarray(['x', 'y'])
const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ key, value, tags }).map((input) => ({ name: 'memory.set' as const, input })) },
  { weight: 2, arbitrary: fc.record({ key, value }).map((input) => ({ name: 'memory.update' as const, input })) },
  { weight: 2, arbitrary: fc.record({ key, tags }).map((input) => ({ name: 'memory.update' as const, input })) },
  { weight: 3, arbitrary: key.map((key) => ({ name: 'memory.delete' as const, input: { key } })) },
  { weight: 2, arbitrary: key.map((key) => ({ name: 'memory.restore' as const, input: { key } })) },
  { weight: 1, arbitrary: key.map((key) => ({ name: 'memory.reject' as const, input: { key, reason: 'wrong' } })) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.record({ key, value }), { maxLength: 3 })
      .map((entries) => ({ name: 'memory.bulkSet' as const, input: { entries } })),
  },
)
const pinOp: fc.Arbitrary<Op> = fc.oneof(
  fc.record({ key, value }).map((input) => ({ name: 'memory.pin' as const, input })),
  key.map((key) => ({ name: 'memory.unpin' as const, input: { key } })),
  key.map((key) => ({ name: 'memory.lock' as const, input: { key, mode: 'read_only', reason: 'final' } })),
  key.map((key) => ({ name: 'memory.unlock' as const, input: { key } })),
)

/** The same words under another key are counted on a memory that is locked. */
const COUNTED_ON_A_LOCKED_ONE: Op[] = [
  { name: 'memory.set', input: { key: 'd', value: 'Alice lives in Delhi.', tags: [] } },
  { name: 'memory.lock', input: { key: 'd', mode: 'read_only', reason: 'final' } },
  { name: 'memory.set', input: { key: 'a', value: 'Alice lives in Delhi.', tags: [] } },
]

/** Makes a call; one that is refused did nothing. Answers whether it wrote. */
const run = async (memory: Memory, { name, input }: Op): Promise<boolean> => {
  const versions = count(memory)
  try {
    await memory.call(name, input, ALICE)
  } catch (error) {
    expect(isMemoryError(error, 'INTERNAL')).toBe(false)
  }
  return count(memory) > versions
}

const count = ({ db }: Memory): number => db.get<{ n: number }>(sql`select count(*) as n from versions`)?.n ?? 0

/** What every key answers with, beside the list. */
const reads = async (memory: Memory): Promise<{ readonly served: Served; readonly got: unknown }> => ({
  served: await memory.served(),
  got: await Promise.all(
    ['a', 'b', 'c', 'd'].map(async (name) => {
      const row = await memory.get(name)
      return row && { value: row.value, tags: row.tags, status: row.status, pinned: row.pinned, lockMode: row.lockMode }
    }),
  ),
})

/** Served rows at an instant, by a naive reading of all versions that were there. */
const servedAt = ({ db }: Memory, at: number): Served => {
  const newest = new Map<number, Readonly<Record<string, unknown>>>()
  for (const { memory, body } of db.all<{ memory: number; body: string }>(
    sql`select memory, body from versions order by ver`,
  )) {
    const held = JSON.parse(body) as Readonly<Record<string, unknown>>
    if (Number(held['updatedAt']) <= at) newest.set(memory, held)
  }
  const rows = [...newest.values()].flatMap(({ key, value, tags = [], status = 'active' }) =>
    ['active', 'conflicted', 'duplicate'].includes(String(status)) ? [[String(key), { value, tags, status }] as const] : [],
  )
  return Object.fromEntries(rows.toSorted(([a], [b]) => (a < b ? -1 : 1))) as Served
}

test(
  'undoing the last write restores what was read before it, and undoing that what was read after',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 4, arbitrary: op }, pinOp), { minLength: 1, maxLength: 14 }),
        async (ops) => {
          const memory = await openHistory()
          for (const one of ops) {
            const before = await reads(memory)
            if (!(await run(memory, one))) continue
            const after = await reads(memory)
            expect((await memory.undo({ lastN: 1 })).counts.keep).toBe(0)
            expect(await reads(memory)).toEqual(before)
            await memory.undo({ lastN: 1 })
            expect(await reads(memory)).toEqual(after)
          }
          expect(await memory.verify()).toMatchObject({ ok: true })
        },
      ),
      { numRuns: RUNS, examples: [[COUNTED_ON_A_LOCKED_ONE]] },
    )
  },
  RUNS * 4_000,
)

test(
  'a rollback serves what was served at that instant, whatever came between, and can be taken back',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(op, { minLength: 2, maxLength: 16 }), fc.nat(), fc.boolean(), async (ops, cut, resolves) => {
        const memory = await openHistory()
        const instants: number[] = []
        for (const one of ops) {
          instants.push(memory.system.now())
          await run(memory, one)
        }
        if (resolves) await memory.settled()
        const to = instants[cut % instants.length] ?? 0
        const expected = servedAt(memory, to)
        const before = await reads(memory)
        const { batch, counts } = await memory.rollback(to)
        expect(counts.keep).toBe(0)
        expect(await memory.served()).toEqual(expected)
        expect(await memory.verify()).toMatchObject({ ok: true })
        if (batch !== null) await memory.undo({ batch })
        expect(await reads(memory)).toEqual(before)
        expect(await memory.verify()).toMatchObject({ ok: true })
      }),
      { numRuns: RUNS },
    )
  },
  RUNS * 4_000,
)

test(
  'history verifies after any calls, redactions, undos and rollbacks among them, and what was scrubbed stays gone',
  async () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: op },
      { weight: 1, arbitrary: pinOp },
      { weight: 2, arbitrary: fc.record({ redact: fc.nat() }) },
      { weight: 1, arbitrary: fc.record({ undo: fc.integer({ min: 1, max: 4 }) }) },
      { weight: 1, arbitrary: fc.record({ back: fc.nat() }) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 20 }), async (steps) => {
        const memory = await openHistory()
        const instants: number[] = []
        const gone = new Set<string>()
        for (const one of steps) {
          instants.push(memory.system.now())
          if ('undo' in one) await memory.undo({ lastN: one.undo })
          else if ('back' in one) await memory.rollback(instants[one.back % instants.length] ?? 0)
          else if ('name' in one) await run(memory, one)
          else {
            const versions = memory.db.all<{ key: string; ver: bigint }>(
              sql`select h.key, v.ver from versions v join heads h on h.memory = v.memory order by v.row`,
            )
            const picked = versions[one.redact % Math.max(1, versions.length)]
            if (picked === undefined) continue
            const redacted = await memory.redact(picked.key, String(picked.ver)).catch((error: unknown) => {
              if (!isMemoryError(error, 'LOCKED')) throw error
              return { versions: [] }
            })
            for (const version of redacted.versions) gone.add(version)
          }
        }
        const held = memory.db.all<{ ver: bigint; body: string | null }>(sql`select ver, body from versions`)
        expect(held.filter(({ ver, body }) => gone.has(String(ver)) && body !== null)).toEqual([])
        expect(await memory.verify()).toMatchObject({ ok: true, redacted: held.filter(({ body }) => body === null).length })
        const doubles = memory.db.all(
          sql`select key from heads where status in ('active', 'conflicted', 'duplicate', 'proposed') group by identity, key having count(*) > 1`,
        )
        expect(doubles).toEqual([])
      }),
      { numRuns: RUNS },
    )
  },
  RUNS * 4_000,
)
