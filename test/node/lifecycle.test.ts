import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MemoryError } from '../../src/protocol/errors.js'
import type { PairAnswer } from '../../src/protocol/judging.js'
import type { ListResult, MemoryRow, Status } from '../../src/schema/records.js'
import { createStaticEmbedder } from '../../worker/adapters/static-embedder.js'
import { sql } from '../../worker/store/sql.js'
import { ALICE, DAY, type Fields, open } from '../support/engine-calls.js'

const TABLE = readFileSync(new URL('../../model/static-256.bin', import.meta.url))
const RUNS = process.env.LONG === '1' ? 400 : 25

/** What may follow what, by the kind of the later version. What stays as it is may always be said again. */
const ALLOWED: Readonly<Record<string, Readonly<Partial<Record<Status | 'nothing', readonly Status[]>>>>> = {
  set: {
    nothing: ['active', 'conflicted', 'duplicate', 'proposed'],
    active: ['conflicted', 'duplicate', 'superseded', 'rejected'],
    conflicted: ['active', 'duplicate', 'superseded', 'rejected'],
    duplicate: ['active', 'conflicted', 'rejected'],
    proposed: ['active', 'conflicted', 'duplicate', 'rejected'],
  },
  tomb: { active: ['tombstoned'], conflicted: ['tombstoned'], duplicate: ['tombstoned'], proposed: ['tombstoned'] },
  restore: { superseded: ['active'], tombstoned: ['active'] },
}

const STATEMENTS = [
  'Priya loves grapefruit juice.',
  'Priya hates grapefruit juice.',
  'priya loves GRAPEFRUIT juice',
  'The invoice contact is Tomas Reyl.',
  'The invoice contact is Tomas Royle.',
  'The invoice contact is not Tomas Reyl.',
  'The deposit is 500 euros.',
  'The deposit is 600 euros.',
  'Reyl',
]
const KEYS = ['a', 'b', 'c', 'd']

type Step = readonly [name: string, input: Fields]

const key = fc.constantFrom(...KEYS)
const value = fc.constantFrom(...STATEMENTS)
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.constant('memory.set'), fc.record({ key, value }) as fc.Arbitrary<Fields>) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constant('memory.set'), fc.record({ key, value, onPinned: fc.constant('propose') })),
  },
  { weight: 2, arbitrary: fc.tuple(fc.constant('memory.set'), fc.record({ key, value, ttlSeconds: fc.constant(60) })) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('memory.update'), fc.record({ key, value })) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom('memory.delete', 'memory.unpin', 'memory.unlock'), fc.record({ key })) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('memory.restore'), fc.record({ key })) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('memory.pin'), fc.record({ key, value })) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('memory.reject'), fc.record({ key, reason: fc.constant('wrong') })) },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constant('memory.lock'),
      fc.record({ key, mode: fc.constantFrom('read_only', 'no_delete'), reason: fc.constant('kept') }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(
      fc.constant('conflicts.resolve'),
      fc.record({ action: fc.constantFrom('revise', 'allow', 'contract') }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constant('proposals.decide'), fc.record({ action: fc.constantFrom('accept', 'reject') })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constant('namespaces.register'),
      fc.record({ defaultConflictPolicy: fc.constantFrom('auto_reinforce', 'manual_review', 'newest_wins', 'append_only') }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constant('blacklist.add'),
      fc.record({
        pattern: fc.constantFrom('grapefruit', 'deposit'),
        patternType: fc.constant('substring'),
        sweep: fc.constant(true),
      }),
    ),
  },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom('settle', 'wait'), fc.constant({})) },
)

interface Kept {
  readonly memory: number
  readonly kind: string
  readonly body: string
}

test('whatever is called in whatever order, a memory only takes the steps there are', { timeout: 300_000 }, async () => {
  const embedder = createStaticEmbedder({ url: '/table', fetch: async () => new Response(TABLE) })
  await fc.assert(
    fc.asyncProperty(
      fc.array(steps, { minLength: 10, maxLength: 40 }),
      fc.infiniteStream(fc.constantFrom<PairAnswer['opinion']>('replaces', 'compatible', 'contradicts', 'unsure')),
      async (calls, answers) => {
        const memory = await open({
          embedder,
          pairJudge: { ask: async () => ({ opinion: answers.next().value, reason: 'so it seems' }) },
        })
        for (const step of calls) await take(memory, step)
        await memory.settled()
        const kept = memory.db.all<Kept>(sql`select memory, kind, body from versions order by row`)
        const statuses = new Map<number, Status>()
        for (const { memory: number, kind, body } of kept) {
          const before = statuses.get(number) ?? 'nothing'
          const after = (JSON.parse(body) as { status?: Status }).status ?? 'active'
          statuses.set(number, after)
          if (before !== after || kind !== 'set')
            expect(ALLOWED[kind]?.[before] ?? [], `${kind} of what is ${before}`).toContain(after)
        }
        await consistent(memory)
      },
    ),
    { numRuns: RUNS },
  )
})

const take = async (memory: Awaited<ReturnType<typeof open>>, [name, input]: Step): Promise<void> => {
  try {
    if (name === 'settle') return void (await memory.settled())
    if (name === 'wait') return memory.system.advance(DAY)
    const id = await idFor(memory, name)
    const scope = name === 'namespaces.register' ? {} : ALICE
    await memory.call(name as 'memory.set', id === null ? input : { ...input, id }, scope)
  } catch (error) {
    if (!(error instanceof MemoryError) || error.code === 'INTERNAL') throw error
  }
}

/** Of a conflict or a proposal that there is. */
const idFor = async (memory: Awaited<ReturnType<typeof open>>, name: string): Promise<string | null> => {
  if (name !== 'conflicts.resolve' && name !== 'proposals.decide') return null
  const wanted: Status = name === 'conflicts.resolve' ? 'conflicted' : 'proposed'
  const { rows } = await memory.call<ListResult>('memory.list', { includeProposed: true }, ALICE)
  return rows.find(({ status }) => status === wanted)?.id ?? '01KDVDNA00HT37Q95MD5VKCNMM'
}

/** What is marked names what it stands against, and both sides say so; what is no conflict names nothing. */
const consistent = async (memory: Awaited<ReturnType<typeof open>>): Promise<void> => {
  const { rows } = await memory.call<ListResult>('memory.list', { includeDuplicates: true }, ALICE)
  const byId = new Map(rows.map((row) => [row.id, row]))
  for (const row of rows) {
    if (row.status === 'conflicted') expect(row.conflictWith).not.toEqual([])
    if (row.status === 'active') expect(row.conflictWith).toEqual([])
    for (const id of row.status === 'conflicted' ? row.conflictWith : []) {
      const other: MemoryRow | null = byId.get(id) ?? (await memory.getById(id))
      // What expired is neither listed nor marked anew.
      if (other !== null && byId.has(id)) expect(other.conflictWith).toContain(row.id)
    }
    if (row.status === 'duplicate') expect(row.duplicateOf).not.toBe(row.id)
  }
}
