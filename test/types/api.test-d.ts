import { expectTypeOf, test } from 'vitest'
import { type Hit, type Memory, type MemoryError, type MemoryRow, openMemory, type WriteResult } from '../../src/index.js'

declare const memory: Memory

test('opening', () => {
  expectTypeOf(openMemory('chat')).resolves.toEqualTypeOf<Memory>()
  // Usable at once: calls wait for the store to open.
  expectTypeOf(openMemory('chat').get).returns.resolves.toEqualTypeOf<MemoryRow | null>()
  void openMemory({ name: 'chat', backend: 'idb', fallback: false, embedder: 'hash', scope: { user: 'alice' } })
  // @ts-expect-error a backend that does not exist
  void openMemory({ name: 'chat', backend: 'cloud' })
})

test('writing', () => {
  expectTypeOf(memory.set({ value: 'Alice lives in Berlin.' })).resolves.toEqualTypeOf<WriteResult>()
  void memory.set({ key: 'a/b', value: { any: ['json', 1, null] }, tags: ['x'], signal: new AbortController().signal })
  // @ts-expect-error a claim needs a value
  void memory.set({ key: 'a/b' })
  // @ts-expect-error functions are not data
  void memory.set({ value: () => 'no' })
  // @ts-expect-error a direct write is asserted; only a downgrade may be stated
  void memory.set({ value: 'x', sourceClass: 'asserted' })
  // @ts-expect-error update needs the key of what it corrects
  void memory.update({ value: 'Rome' })
})

test('scopes', () => {
  expectTypeOf(memory.scope({ user: null, session: 's1' })).toEqualTypeOf<Memory>()
  // @ts-expect-error ids are strings: String(id)
  void memory.scope({ user: 7 })
})

test('reading', () => {
  expectTypeOf(memory.search('where?')).resolves.toHaveProperty('hits').toEqualTypeOf<readonly Hit[]>()
  // @ts-expect-error a tier that does not exist
  void memory.get('a/b', { tiers: ['planet'] })
  void memory.live({ query: 'where?' }, ({ rows, error }) => {
    expectTypeOf(rows).toEqualTypeOf<readonly (MemoryRow | Hit)[]>()
    expectTypeOf(error).toEqualTypeOf<MemoryError | null>()
  })
})
