import type { ScopePatch } from '../../src/schema/scope.js'
import type { TestMemory } from './engine.js'

/** One neighbouring store, as far as what holds for all of them goes. */
export interface NeighbourStore {
  readonly name: string
  /** Writes something that holds a word. */
  readonly write: (call: TestMemory['call'], word: string, scope: ScopePatch) => Promise<unknown>
  /** Whether it goes into archives; usually so. */
  readonly isKept?: boolean
  /** Everything that a handle can read of it. */
  readonly read: (call: TestMemory['call'], word: string, scope: ScopePatch) => Promise<readonly unknown[]>
}

/** A handle that may not write cannot ask for a lease either. */
const ALL: ScopePatch = { user: 'nobody' }

/** A collection that nobody here has declared. */
const refused = (error: unknown): unknown => (error as { code?: unknown }).code

/** Every one of them: what holds for one is to hold for all. */
export const NEIGHBOUR_STORES: readonly NeighbourStore[] = [
  {
    name: 'conversations',
    write: (call, word, scope) =>
      call(
        'conversations.append',
        { turns: [{ id: '1', session: 'monday', speaker: 'Ana', text: `It is ${word}.` }] },
        scope,
      ),
    read: async (call, word, scope) => [
      await call('conversations.list', {}, scope),
      await call('conversations.list', { session: 'monday' }, scope),
      await call('conversations.recall', { query: `is it ${word}?` }, scope),
    ],
  },
  {
    name: 'profile',
    write: (call, word, scope) => call('profile.set', { label: 'stone', value: `It is ${word}.` }, scope),
    read: async (call, _, scope) => [
      await call('profile.get', { label: 'stone' }, scope),
      await call('profile.list', {}, scope),
    ],
  },
  {
    name: 'records',
    write: async (call, word, scope) => {
      await call('records.define', { collection: 'stones', fields: { found: { type: 'text' } } }, scope)
      await call('records.put', { collection: 'stones', record: '1', fields: { found: `It is ${word}.` } }, scope)
    },
    read: async (call, _, scope) => [
      await call('records.get', { collection: 'stones', record: '1' }, scope),
      await call('records.list', { collection: 'stones' }, scope).catch(refused),
    ],
  },
  {
    name: 'knowledge',
    write: (call, word, scope) =>
      call('knowledge.upsert', { document: 'stones', content: `# Stones\n\n## Found\n\nIt is ${word}.` }, scope),
    read: async (call, word, scope) => [
      await call('knowledge.get', { source: 'stones#found' }, scope),
      await call('memory.search', { query: word }, scope),
    ],
  },
  {
    name: 'briefs',
    write: (call, word, scope) => call('sessions.setBrief', { session: 'dig', brief: { find: `It is ${word}.` } }, scope),
    read: async (call, _, scope) => [
      await call('sessions.brief', { session: 'dig' }, scope),
      await call('sessions.briefs', {}, scope),
    ],
  },
  {
    name: 'digests',
    write: async (call, word, scope) => {
      await call('conversations.append', { turns: [{ id: '1', session: 'dig', text: `It is ${word}.` }] }, scope)
      await call('sessions.digest', { session: 'dig' }, scope)
    },
    read: async (call, word, scope) => [
      await call('sessions.digests', {}, scope),
      await call('sessions.find', { query: word }, scope),
    ],
  },
  {
    name: 'working',
    write: (call, word, scope) => call('working.set', { name: 'plan', value: { find: `It is ${word}.` } }, scope),
    read: async (call, _, scope) => [
      await call('working.get', { name: 'plan' }, scope),
      await call('working.list', {}, scope),
    ],
  },
  {
    name: 'leases',
    isKept: false,
    write: (call, word, scope) => call('working.acquire', { lease: 'dig', holder: `It is ${word}.` }, scope),
    read: async (call, _, scope) => [
      await call('working.acquire', { lease: 'dig' }, scope.user === '' || scope.user === '*' ? ALL : scope),
    ],
  },
]
