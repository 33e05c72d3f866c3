import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import asc from 'assemblyscript/asc'
import type { JSHandle, Page } from 'playwright-core'
import { bundle } from '../../support/bundle.js'
import { PACKAGE_MOUNTS, startServer, type TestServer } from '../../support/server.js'
import { readSentences } from './sentences.js'
import type { Command, Contender } from './serve.js'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const installed = (path: string): string => here(`../../../node_modules/${path}`)

export const PEERS = ['orama', 'sqlite-vec', 'pglite'] as const
export type Name = 'ours' | 'exact' | (typeof PEERS)[number]

const compileProbe = async (): Promise<Uint8Array> => {
  let wasm: Uint8Array | undefined
  const { error } = await asc.main(['probe.ts', '--outFile=p.wasm', '--runtime=stub', '--enable=simd', '-O3'], {
    readFile: (name) => (name === 'probe.ts' ? readFileSync(here('probe.as'), 'utf8') : null),
    writeFile: (_, contents) => {
      if (typeof contents !== 'string') wasm = contents
    },
    listFiles: () => [],
  })
  if (error !== null || wasm === undefined) throw new Error('The probe did not compile.', { cause: error })
  return wasm
}

/** As published, its module runs before its last part is in place, and then does not let it in; and it asks for a name it forbids. */
const sqliteVec = (): string =>
  readFileSync(installed('sqlite-vec-wasm-demo/sqlite3.mjs'), 'utf8')
    .replace('\nrun();\n\n// end include: postamble.js', '\nqueueMicrotask(run);\n\n// end include: postamble.js')
    .replace('return !!Module.HEAPU64', 'return true')

/** The workers, what they load, and the texts. */
export const startContenderServer = async (): Promise<TestServer> => {
  const bodies = new Map<string, string | Uint8Array>([
    ['/sentences.json', JSON.stringify(readSentences())],
    ['/probe.wasm', await compileProbe()],
    ['/sqlite-vec/sqlite3.mjs', sqliteVec()],
  ])
  for (const name of ['ours', 'exact', ...PEERS])
    bodies.set(`/${name}-worker.js`, await bundle(`bench/search/${name}-worker.ts`))
  return startServer({
    mounts: {
      ...PACKAGE_MOUNTS,
      '/pglite/': installed('@electric-sql/pglite/dist'),
      '/pglite-pgvector/': installed('@electric-sql/pglite-pgvector/dist'),
      '/sqlite-vec/': dirname(installed(join('sqlite-vec-wasm-demo', 'sqlite3.wasm'))),
    },
    overrides: (path) => {
      const body = bodies.get(path)
      return body === undefined ? undefined : { body }
    },
  })
}

export interface Running extends Required<Contender> {
  readonly stop: () => Promise<void>
}

interface Asked {
  readonly ask: (command: Command, args: readonly unknown[]) => Promise<unknown>
  readonly terminate: () => void
}

/** Starts a contender in a worker of its own. */
export const startContender = async (page: Page, name: Name): Promise<Running> => {
  const handle: JSHandle<Asked> = await page.evaluateHandle((script) => {
    const worker = new Worker(script, { type: 'module' })
    let last = 0
    return {
      ask: (command: Command, args: readonly unknown[]) =>
        new Promise((resolve, reject) => {
          const id = ++last
          worker.addEventListener('error', ({ message }) => reject(new Error(message)))
          worker.addEventListener('message', ({ data: [answered, value, problem] }) => {
            if (answered === id) problem === null ? resolve(value) : reject(new Error(problem))
          })
          worker.postMessage([id, command, args])
        }),
      terminate: () => worker.terminate(),
    }
  }, `/${name}-worker.js`)
  const call =
    <C extends Command>(command: C) =>
    (...args: unknown[]) =>
      handle.evaluate((asked, [what, given]) => asked.ask(what, given), [command, args] as const) as never
  return {
    fill: call('fill'),
    ask: call('ask'),
    nearest: call('nearest'),
    facts: call('facts'),
    stop: () => handle.evaluate((asked) => asked.terminate()),
  }
}
