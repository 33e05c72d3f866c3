import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import type { CallName } from '../../src/protocol/calls.js'
import type { Outcome } from '../../src/protocol/wire.js'
import type { ListResult, MemoryRow, SearchResult } from '../../src/schema/records.js'
import type { ScopePatch } from '../../src/schema/scope.js'
import { createLiveRegistry, type LiveDelta } from '../../worker/live/registry.js'
import { failureOf } from '../../worker/outcome.js'
import { ALICE, open } from '../support/engine-calls.js'

const LONG = process.env['LONG'] === '1'

/** Live queries on an engine, with what each of them has shown. */
const openLive = async () => {
  const memory = await open()
  const running = new Set<Promise<unknown>>()
  const call = async (name: CallName, input: unknown, scope: ScopePatch): Promise<Outcome<unknown>> => {
    const work = memory.call(name, input, scope).then(
      (value) => ({ ok: true as const, value }),
      (error: unknown) => ({ ok: false as const, failure: failureOf(error) }),
    )
    running.add(work)
    const outcome = await work
    running.delete(work)
    return outcome
  }
  const deltas = new Map<string, LiveDelta[]>()
  const live = createLiveRegistry({
    now: memory.system.now,
    call,
    push: (id, outcome) => {
      if (!outcome.ok) throw new Error(outcome.failure.message)
      deltas.set(id, [...(deltas.get(id) ?? []), outcome.value])
    },
  })
  return {
    ...memory,
    live,
    deltas: (id: string) => deltas.get(id) ?? [],
    /** Tells what has changed since it was told last. */
    tell: () => live.changed(memory.events.splice(0)),
    /** Waits until nothing is being looked at. */
    quiet: async () => void (await Promise.all(running)),
  }
}

/** What somebody has who keeps the first rows and follows what came after. */
const followed = (deltas: readonly LiveDelta[]): ReadonlyMap<string, string> => {
  const rows = new Map<string, string>()
  for (const { added, changed, removed } of deltas) {
    for (const row of [...added, ...changed]) rows.set(row.id, row.version)
    for (const id of removed) rows.delete(id)
  }
  return rows
}

const versions = (rows: readonly MemoryRow[]) => rows.map(({ id, version }) => [id, version])

const STATEMENTS = [
  'The kettle is blue.',
  'The kettle is red.',
  'Ada likes tea.',
  'Ada does not like tea.',
  'The tea is green.',
]
const anyWrite = fc.record({
  act: fc.constantFrom('set', 'set', 'set', 'delete', 'restore', 'pin', 'reject'),
  key: fc.constantFrom('a', 'b', 'c', 'd'),
  value: fc.constantFrom(...STATEMENTS),
})

const TARGETS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  key: { key: 'a' },
  list: { limit: 10 },
  search: { query: 'Which tea is in the kettle?' },
}

test('what a live query shows, and what following its changes gives, is what a fresh read answers', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyWrite, { minLength: 1, maxLength: 8 }), async (writes) => {
      const memory = await openLive()
      for (const [id, target] of Object.entries(TARGETS)) memory.live.open(id, ALICE, target)
      for (const [i, { act, key, value }] of writes.entries()) {
        const input = {
          set: { key, value },
          pin: { key, value },
          reject: { key, reason: 'x' },
          delete: { key },
          restore: { key },
        }[act]
        await memory.call(`memory.${act}`, input, ALICE).catch(() => undefined)
        memory.tell()
        // At times they look before the next write, at times after several.
        if (i % 3 === 2) await memory.quiet()
      }
      await memory.settled()
      memory.tell()
      const row = await memory.get('a')
      const { rows } = await memory.call<ListResult>('memory.list', TARGETS['list'], ALICE)
      const { hits } = await memory.call<SearchResult>('memory.search', TARGETS['search'], ALICE)
      await vi.waitFor(() => {
        for (const [id, fresh] of Object.entries({ key: row === null ? [] : [row], list: rows, search: hits })) {
          const deltas = memory.deltas(id)
          expect(versions(deltas.at(-1)?.rows ?? [])).toEqual(versions(fresh))
          expect(followed(deltas)).toEqual(new Map(fresh.map(({ id: of, version }) => [of, version])))
        }
      }, 5_000)
    }),
    { numRuns: LONG ? 300 : 12 },
  )
})

afterEach(() => {
  vi.useRealTimers()
})

test('what leaves service by itself is told of, once it has', async () => {
  const memory = await openLive()
  await memory.set({ key: 'a', value: 'The kettle is blue.', ttlSeconds: 1 })
  memory.live.open('list', ALICE, { limit: 10 })
  await vi.waitFor(() => expect(memory.deltas('list').map(({ rows }) => rows.length)).toEqual([1]), 3_000)
  memory.system.advance(1_000)
  await vi.waitFor(() => expect(memory.deltas('list').map(({ rows }) => rows.length)).toEqual([1, 0]), 3_000)
})
