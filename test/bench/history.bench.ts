import { readFileSync } from 'node:fs'
import { test } from 'vitest'
import { stateBody } from '../../src/domain/body.js'
import { memoryId } from '../../src/domain/memory-id.js'
import type { ScopePatch } from '../../src/schema/scope.js'
import { createStaticEmbedder } from '../../worker/adapters/static-embedder.js'
import { openStore } from '../../worker/store/store.js'
import { type Head, insertVersion } from '../../worker/store/versions.js'
import { createTestMemory, createTestSystem, openTestDb } from '../support/engine.js'

/*
 * npm run bench:history. Reads of an earlier time and histories, in a store of MEMORIES memories with ten versions each, on the real SQLite in
 * memory. Every memory is told once in the first tenth of the time, once in the second, and so on, so that at any instant but the last most of
 * them say something that no index holds. SIZE names another number of memories.
 */

const MEMORIES = Number(process.env['SIZE'] ?? 100_000)
const VERSIONS = 10
const ROUNDS = 15

const TABLE = readFileSync(new URL('../../model/static-256.bin', import.meta.url))
const SCOPE: ScopePatch = { user: 'ada' }
const START = Date.UTC(2026, 0, 1)
const DAY = 86_400_000

const WORDS = 'amber bridge cedar delta ember forest garnet harbor island jasmine kernel lantern meadow nectar orchid'.split(
  ' ',
)
const say = (memory: number, version: number): string => {
  const word = (n: number): string => WORDS[(memory * 7 + version * 3 + n * 5) % WORDS.length] ?? ''
  return `Parcel ${memory} went by ${word(0)} ${word(1)} to ${word(2)} on round ${version}.`
}

test('reads of an earlier time', { timeout: 3_600_000 }, async () => {
  const db = await openTestDb()
  const system = createTestSystem(START)
  const store = openStore(db, system, null)
  const scope = { org: 'local', namespace: 'default', user: 'ada' }
  const began = performance.now()
  const heads: (Head | null)[] = Array.from({ length: MEMORIES }, () => null)
  for (let version = 0; version < VERSIONS; version++)
    for (let from = 0; from < MEMORIES; from += 5_000)
      store.write(() => {
        for (let i = from; i < Math.min(MEMORIES, from + 5_000); i++) {
          const nowMs = START + version * DAY + i
          const parent = heads[i] ?? null
          const { body } = stateBody(
            parent?.body ?? null,
            { value: say(i, version), ...(i % 50 === 0 && { validAt: nowMs - DAY }) },
            { key: `parcel/${i}`, actor: 'process:bench', run: null, nowMs },
          )
          heads[i] = insertVersion(
            store,
            {
              memory: parent?.memory ?? ++store.counters.memory,
              memoryId: parent?.memoryId ?? memoryId(nowMs, system.randomBytes(16)),
              identity: store.book.take(scope),
              scope,
              kind: 'set',
              human: false,
              parent,
              body,
            },
            nowMs,
          )
        }
      })
  const filled = (performance.now() - began) / 1000
  const later = createTestSystem(START + (VERSIONS + 1) * DAY, 2)
  const embedder = createStaticEmbedder({ url: '/table', fetch: async () => new Response(TABLE) })
  const { call } = await createTestMemory({ db, system: later, embedder })
  const rows: string[] = []
  const measure = async (what: string, work: (round: number) => Promise<unknown>, rounds = ROUNDS): Promise<void> => {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      const start = performance.now()
      await work(round)
      times.push(performance.now() - start)
    }
    times.sort((a, b) => a - b)
    const at = (share: number): string => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(2)
    rows.push(`| ${what} | ${at(0.5)} | ${at(0.95)} |`)
  }
  const asOf = (round: number): string => new Date(START + (round % VERSIONS) * DAY + DAY / 2).toISOString()
  const key = (round: number): string => `parcel/${(round * 7919) % MEMORIES}`
  await measure('get, now', (round) => call('memory.get', { key: key(round) }, SCOPE), 500)
  await measure('get, as of', (round) => call('memory.get', { key: key(round), asOf: asOf(round) }, SCOPE), 500)
  const known = { asOfBasis: 'knowledge_time' }
  await measure('get, as known', (i) => call('memory.get', { key: key(i), asOf: asOf(i), ...known }, SCOPE), 500)
  await measure('history of a key', (round) => call('memory.history', { key: key(round) }, SCOPE), 500)
  await measure('list of 100, now', () => call('memory.list', {}, SCOPE))
  await measure('list of 100, as of', (round) => call('memory.list', { asOf: asOf(round) }, SCOPE))
  await measure('list of 100, as known', (round) => call('memory.list', { asOf: asOf(round), ...known }, SCOPE))
  await measure('search, as of', (i) => call('memory.search', { query: 'parcel to the harbor', asOf: asOf(i) }, SCOPE), 5)
  console.log(
    [
      `${MEMORIES} memories with ${VERSIONS} versions each, filled in ${filled.toFixed(0)} s; every fiftieth gives dates of its own.`,
      '| read | p50 ms | p95 ms |',
      '| --- | --- | --- |',
      ...rows,
    ].join('\n'),
  )
})
