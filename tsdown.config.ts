import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { defineConfig, type Rolldown, type UserConfig } from 'tsdown'

const WASM = 'node_modules/@sqlite.org/sqlite-wasm/dist/sqlite3.wasm'

const TABLE = 'model/static-256.bin'

const sha256Of = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex')

/** Constants of the worker's build; its tests run with the same ones. */
export const workerConstants = {
  __WASM_SHA256__: JSON.stringify(sha256Of(WASM)),
  __TABLE_SHA256__: JSON.stringify(sha256Of(TABLE)),
}

/** Parts of sqlite-wasm that nothing here uses, each by words that only it has. 13 kB of the compressed script, were they left in. */
const UNUSED_PARTS = [
  'sqlite3.initWorker1API = function',
  'sqlite3.vtab = vtab',
  'sqlite3.config.disable?.vfs?.kvvfs',
  'sqlite3.config.disable?.vfs?.opfs && sqlite3.config.disable.vfs["opfs-vfs"]',
  'return installOpfsVfs()',
  'return installOpfsWlVfs()',
]

/** Functions and methods that nothing here calls either, by the beginning of their first line: functions of one's own in SQL, files loaded late, … */
const UNUSED_FUNCTIONS = [
  'capi.sqlite3_auto_extension = function',
  'capi.sqlite3_column_js = function',
  'capi.sqlite3_config = function',
  'async importDbChunked(name, callback)',
  'capi.sqlite3_js_db_export = function',
  'capi.sqlite3_js_posix_create_file = function',
  'capi.sqlite3_js_retry_busy = function',
  'capi.sqlite3_js_vfs_create_file = function',
  'capi.sqlite3_randomness = (',
  'capi.sqlite3_result_js = function',
  'capi.sqlite3_value_to_js = function',
  'capi.sqlite3_values_to_js = function',
  'createFunction: function',
  'importDb(name, bytes)',
  'createDataFile(',
  'createLazyFile(',
  'wasm.compileOptionUsed = function',
]

/** The same, of blocks that are known by what stands in them. */
const UNUSED_BLOCKS = ['capi.sqlite3_create_function_v2 = function', 'capi.sqlite3_create_collation_v2 = function']

/** Where the session extension is bound. Nothing records change sets; and what C exports is called as such, not through the module. */
const SESSIONS =
  'if (wasm.bigIntEnabled && !!wasm.exports.sqlite3changegroup_add && !!wasm.exports.sqlite3session_create && !!wasm.exports.sqlite3_preupdate_hook)'

/** The package sets itself up in a list of steps; those of the parts nobody uses are emptied. Fails when one is not found. */
const withoutUnusedParts = (): Rolldown.Plugin => ({
  name: 'without-unused-parts',
  transform: {
    filter: { id: /sqlite-wasm\/dist\/index\.mjs$/ },
    handler(code) {
      const step = 'sqlite3ApiBootstrap.initializers.push(function(sqlite3) {'
      const end = '\n\t\t});'
      const [before = '', ...steps] = code.split(step)
      const found = new Set<string>()
      const kept = steps.map((body) => {
        const part = UNUSED_PARTS.find((words) => body.slice(0, body.indexOf(end)).includes(words))
        if (part === undefined) return body
        found.add(part)
        return body.slice(body.indexOf(end))
      })
      let whole = [before, ...kept].join(step)
      for (const words of UNUSED_FUNCTIONS) {
        const [block] =
          new RegExp(String.raw`\n(\t+)${words.replace(/\W/g, '\\$&')}[^\n]*\{\n.*?\n\1\}[,;]?(?=\n)`, 's').exec(whole) ?? []
        if (block === undefined) continue
        found.add(words)
        whole = whole.replace(block, () => '')
      }
      whole = whole.replace(/\n(\t{3,4})\{\n.*?\n\1\}(?=\n)/gs, (block) => {
        const part = UNUSED_BLOCKS.find((words) => block.includes(words))
        if (part === undefined) return block
        found.add(part)
        return ''
      })
      if (found.size < UNUSED_PARTS.length + UNUSED_FUNCTIONS.length + UNUSED_BLOCKS.length || !whole.includes(SESSIONS))
        this.error('sqlite-wasm has changed: look over the list of its unused parts')
      return { code: whole.replace(SESSIONS, 'if (false)').replace(/^\t*Module\["_sqlite3.*;\n/gm, ''), map: null }
    },
  },
})

const LEFT_ALONE = '/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */'

/** Tells bundlers to leave the one import at run time alone: the minifier drops the comments that say so in the source. */
const withImportLeftAlone = (): Rolldown.Plugin => ({
  name: 'with-import-left-alone',
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'chunk') continue
      const [before = '', after, ...more] = file.code.split(/\bimport\((?=[\w$]+\))/)
      if (after === undefined || more.length > 0) this.error(`${file.fileName} does not have exactly one import at run time`)
      file.code = `${before}import(${LEFT_ALONE} ${after}`
    }
  },
})

/** Statements are written over several lines; where they run, one is enough. */
const withoutLineBreaksInSql = (): Rolldown.Plugin => ({
  name: 'without-line-breaks-in-sql',
  transform: {
    filter: { id: /worker\/(store|operations)\/.*\.ts$/ },
    handler: (code) => ({ code: code.replace(/sql`[^`]*`/g, (statement) => statement.replace(/\n\s+/g, ' ')), map: null }),
  },
})

const shared: UserConfig = {
  platform: 'browser',
  target: 'es2022',
  outDir: 'dist',
  failOnWarn: true,
  checks: { pluginTimings: false },
  // Sizes are checked, and printed, by the package tests.
  report: false,
}

/**
 * Runs without a bundler: what the page needs at run time is inside. Names are shortened and nothing else: a minifier that also writes
 * strings its own way makes template literals of the asset URLs, and bundlers look for plain strings.
 */
const index: UserConfig = {
  ...shared,
  name: 'index',
  entry: { index: 'src/index.ts', transformers: 'src/transformers/serve.ts', llm: 'src/llm/main.ts' },
  format: 'esm',
  dts: true,
  minify: { compress: false, mangle: true, codegen: { removeWhitespace: false } },
  outputOptions: { comments: { legal: true, annotation: true, jsdoc: false }, chunkFileNames: '[name].js' },
  deps: {
    // A dependency for the sake of its types: the declarations name zod, the code holds what it uses.
    alwaysBundle: (id, importer) => /^zod(\/|$)/.test(id) && !importer?.endsWith('.d.ts'),
    onlyBundle: ['comlink', 'zod', '@noble/hashes'],
  },
  copy: [WASM, TABLE],
}

/** An entry of its own, so that it shares no script with the page's first one, which stays a single file. */
const agent: UserConfig = {
  ...index,
  name: 'agent',
  entry: { agent: 'src/agent/main.ts' },
  // It names no asset, so that it may be made as small as it gets.
  minify: true,
  deps: { onlyBundle: [] },
  copy: [],
}

/**
 * One script, valid as classic and as module worker: bundlers differ in which of the two they make of it. What sqlite-wasm
 * asks of `import.meta` is answered by the script's address; its own workers are never started.
 */
const worker: UserConfig = {
  ...shared,
  name: 'worker',
  entry: { worker: 'worker/main.ts' },
  format: 'iife',
  dts: false,
  minify: true,
  tsconfig: 'worker/tsconfig.json',
  plugins: [withoutUnusedParts(), withoutLineBreaksInSql(), withImportLeftAlone()],
  define: { ...workerConstants, 'import.meta.url': 'self.location.href' },
  outputOptions: { entryFileNames: '[name].js', codeSplitting: false },
  deps: {
    alwaysBundle: /./,
    onlyBundle: ['@sqlite.org/sqlite-wasm', 'comlink', 'zod', 'idb', '@noble/hashes'],
  },
}

/** What judging asks of language: a module that the worker imports with the first write. */
const language: UserConfig = {
  ...shared,
  name: 'language',
  entry: { language: 'worker/language/main.ts' },
  format: 'esm',
  dts: false,
  minify: true,
  tsconfig: 'worker/tsconfig.json',
  outputOptions: { entryFileNames: '[name].js', codeSplitting: false },
  deps: { onlyBundle: [] },
}

/** What looks a database over, and reads a damaged one. */
const repair: UserConfig = { ...language, name: 'repair', entry: { repair: 'worker/repair/main.ts' } }

/** What answers the calls that few openings make, with what it needs of the worker's own parts once more. */
const seldom: UserConfig = {
  ...language,
  name: 'seldom',
  entry: { seldom: 'worker/seldom/main.ts' },
  plugins: [withoutLineBreaksInSql()],
  deps: { alwaysBundle: /./, onlyBundle: ['zod', '@noble/hashes', 'marked', 'parse5', 'entities'] },
}

/** What reads talks, with what it needs of words and dates. */
const extract: UserConfig = {
  ...language,
  name: 'extract',
  entry: { extract: 'worker/extract/main.ts' },
  deps: { alwaysBundle: /./, onlyBundle: ['compromise', 'chrono-node', 'efrt', 'grad-school', 'suffix-thumb'] },
}

/** What finds by all legs: a module that the worker imports with the first search. */
const search: UserConfig = {
  ...seldom,
  name: 'search',
  entry: { search: 'worker/search/main.ts' },
  deps: { alwaysBundle: /./, onlyBundle: ['chrono-node', '@noble/hashes', 'zod'] },
}

/** A script of the same shape. What it loads at run time, the library of models, is named by the app. */
const embedderWorker: UserConfig = {
  ...worker,
  name: 'embedder-worker',
  plugins: [],
  entry: { 'embedder-worker': 'worker/embedder/main.ts' },
  // The minifier drops the comments that tell bundlers to leave the import alone.
  minify: 'dce-only',
  outputOptions: { ...worker.outputOptions, comments: { legal: false, annotation: true, jsdoc: false } },
  deps: { onlyBundle: [] },
}

/** What regular expressions run in: ended when one of them takes too long, and not loaded where there are none. */
const patternWorker: UserConfig = {
  ...worker,
  name: 'pattern-worker',
  plugins: [],
  entry: { 'pattern-worker': 'worker/patterns/main.ts' },
  deps: { alwaysBundle: /./, onlyBundle: ['re2js'] },
}

export default defineConfig([index, agent, worker, language, repair, seldom, search, extract, embedderWorker, patternWorker])
