import { readdirSync, readFileSync } from 'node:fs'
import { join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'

const here = fileURLToPath(new URL('..', import.meta.url))

const sources = readdirSync(here, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !/(^|\/)(node_modules|dist)\//.test(path))
  .map((path) => ({ path, text: readFileSync(join(here, path), 'utf8') }))

/** Each outside package has one home, so that replacing it changes one place. */
const HOMES: Readonly<Record<string, RegExp>> = {
  'better-sqlite3': /^store\/sqlite\.ts$/,
  pg: /^store\/postgres\.ts$/,
  hono: /^http\//,
  '@hono/node-server': /^(serve|http\/app)\.ts$/,
  jose: /^http\/auth\.ts$/,
  'zod/mini': /^http\//,
}

const importsOf = ({ path, text }: { path: string; text: string }) =>
  ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => ({ path, target: fileName }))

test('the server takes schemas and pure modules of the library, and nothing else of it', () => {
  const taken = sources
    .filter(({ path }) => !/^(test|bench)\//.test(path))
    .flatMap(importsOf)
    .filter(({ target }) => target.startsWith('.'))
    .map(({ path, target }) => relative('.', normalize(join('server', path, '..', target))))
    .filter((path) => !path.startsWith('server/'))
  expect(taken.length).toBeGreaterThan(10)
  expect(taken.filter((path) => !/^src\/(schema|domain)\//.test(path))).toEqual([])
})

test('each outside package is imported in its one home', () => {
  const strangers = sources
    .filter(({ path }) => !/^(test|bench)\/|\.config\.ts$/.test(path))
    .flatMap(importsOf)
    .filter(({ target }) => !target.startsWith('.') && !target.startsWith('node:'))
    .filter(({ path, target }) => !HOMES[target]?.test(path))
  expect(strangers).toEqual([])
})

test('no file is longer than can be read in five minutes', () => {
  const long = sources.filter(({ path, text }) => !path.startsWith('test/') && text.split('\n').length > 251)
  expect(long.map(({ path }) => path)).toEqual([])
})
