import { expect } from 'vitest'
import { type ErrorCode, type ErrorDetails, MemoryError } from '../../src/protocol/errors.js'
import type { BlacklistAddResult, BlacklistRemoveResult, BlacklistRule, GuardResult } from '../../src/schema/guards.js'
import type { BulkResult, HistoryEntry, ListResult, MemoryRow, SearchResult, WriteResult } from '../../src/schema/records.js'
import type { ScopePatch } from '../../src/schema/scope.js'
import { createHashEmbedder } from '../../worker/adapters/hash-embedder.js'
import type { Embedder } from '../../worker/ports.js'
import { sql } from '../../worker/store/sql.js'
import { createTestMemory } from './engine.js'

export const DAY = 86_400_000
export const ALICE: ScopePatch = { user: 'alice' }
export const MALLORY: ScopePatch = { user: 'mallory' }

export type Fields = Readonly<Record<string, unknown>>

/** A memory with the calls of these tests, in Alice's scope unless another is given. */
export const open = async (options: Parameters<typeof createTestMemory>[0] = {}) => {
  const memory = await createTestMemory(options)
  return {
    ...memory,
    set: (input: Fields, scope = ALICE) => memory.call<WriteResult>('memory.set', input, scope),
    update: (input: Fields, scope = ALICE) => memory.call<WriteResult>('memory.update', input, scope),
    updateById: (input: Fields, scope = ALICE) => memory.call<WriteResult>('memory.updateById', input, scope),
    remove: (key: string, more: Fields = {}, scope = ALICE) => memory.call('memory.delete', { key, ...more }, scope),
    restore: (key: string, more: Fields = {}, scope = ALICE) =>
      memory.call<WriteResult>('memory.restore', { key, ...more }, scope),
    get: (key: string, scope = ALICE) => memory.call<MemoryRow | null>('memory.get', { key }, scope),
    getById: (id: string, scope = ALICE) => memory.call<MemoryRow | null>('memory.getById', { id }, scope),
    keys: async (filter: Fields = {}, scope = ALICE) =>
      (await memory.call<ListResult>('memory.list', filter, scope)).rows.map(({ key }) => key).toSorted(),
    found: async (query: string, options: Fields = {}, scope = ALICE) =>
      (await memory.call<SearchResult>('memory.search', { query, ...options }, scope)).hits.map(({ key }) => key).toSorted(),
    history: (key: string, scope = ALICE) => memory.call<readonly HistoryEntry[]>('memory.history', { key }, scope),
    bulk: (entries: readonly unknown[], more: Fields = {}, scope = ALICE) =>
      memory.call<BulkResult>('memory.bulkSet', { entries, ...more }, scope),
    pin: (input: Fields, scope = ALICE) => memory.call<WriteResult>('memory.pin', input, scope),
    unpin: (key: string, more: Fields = {}, scope = ALICE) =>
      memory.call<GuardResult>('memory.unpin', { key, ...more }, scope),
    lock: (key: string, more: Fields, scope = ALICE) => memory.call<GuardResult>('memory.lock', { key, ...more }, scope),
    unlock: (key: string, more: Fields = {}, scope = ALICE) =>
      memory.call<GuardResult>('memory.unlock', { key, ...more }, scope),
    forbid: (input: Fields, scope = ALICE) => memory.call<BlacklistAddResult>('blacklist.add', input, scope),
    rules: (scope = ALICE) => memory.call<readonly BlacklistRule[]>('blacklist.list', {}, scope),
    allow: (id: string, scope = ALICE) => memory.call<BlacklistRemoveResult>('blacklist.remove', { id }, scope),
    settled: () => memory.call('memory.settled'),
    audited: () => memory.db.all<Readonly<Record<string, unknown>>>(sql`select * from audit order by entry`),
  }
}

/** The details of the one error that a call must end with. */
export const refusal = async <Code extends ErrorCode>(work: Promise<unknown>, code: Code): Promise<ErrorDetails[Code]> => {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(MemoryError)
  expect(error).toMatchObject({ code })
  return (error as MemoryError).details as ErrorDetails[Code]
}

/** An embedder that fails as often as told, counting what it was asked. */
export const moody = (failures: number): Embedder & { fail: (times: number) => void; readonly asked: string[] } => {
  const inner = createHashEmbedder()
  const asked: string[] = []
  let left = failures
  return {
    ...inner,
    asked,
    fail: (times) => {
      left = times
    },
    embed: async (texts, options) => {
      asked.push(...texts)
      if (left-- > 0) throw new MemoryError('EMBEDDING_FAILED', 'down', { embedder: inner.id, cause: 'test' })
      return inner.embed(texts, options)
    },
  }
}
