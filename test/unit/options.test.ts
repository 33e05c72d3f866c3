import { expect, test } from 'vitest'
import { StoreName, WorkerOptions } from '../../src/schema/options.js'

const paths = (options: unknown) => WorkerOptions.safeParse(options).error?.issues.map(({ path }) => path.join('.'))

test('opening needs a name, the rest has defaults', () => {
  expect(WorkerOptions.parse({ name: 'notes' })).toEqual({
    name: 'notes',
    backend: 'opfs',
    fallback: true,
    embedder: 'static',
  })
  expect(paths({})).toEqual(['name'])
})

test.each(['notes', 'a.b-c_d', 'größe', '大小', '1'])('a store may be called %j', (name) => {
  expect(StoreName.safeParse(name).success).toBe(true)
})

test.each(['', 'a/b', 'a b', '🎉', 'a\0', 'x'.repeat(101), '\ud800', 7, null])('a store may not be called %j', (name) => {
  expect(StoreName.safeParse(name).success).toBe(false)
})

test.each([
  ['backend', { backend: 'disk' }],
  ['fallback', { fallback: 'no' }],
  ['scope.user', { scope: { user: 7 } }],
  ['embedder', { embedder: 'magic' }],
  ['embedder.dims', { embedder: { id: 'x', dims: 0 } }],
  ['embedder.id', { embedder: { id: '', dims: 8 } }],
  ['embedder', { embedder: { id: 'x', dims: 8, embed: 'code' } }],
])('a bad %s is refused: %j', (path, option) => {
  expect(paths({ name: 'notes', ...option })?.[0]).toBe(path)
})

test('an option that opening does not know is refused', () => {
  const { error } = WorkerOptions.safeParse({ name: 'notes', fallBack: false })
  expect(error?.issues).toMatchObject([{ code: 'unrecognized_keys', keys: ['fallBack'] }])
})

test('an embedder of the page is taken by its id and dims', () => {
  expect(WorkerOptions.parse({ name: 'n', embedder: { id: 'e@1', dims: 384 } }).embedder).toEqual({ id: 'e@1', dims: 384 })
})
