import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const { resolve } = createRequire(import.meta.url)

const packageFile = (name: string, path: string) => join(dirname(resolve(`${name}/package.json`)), path)

/** Tools of this repository, started as an app would start its own. */
export const TOOLS = {
  attw: packageFile('@arethetypeswrong/cli', 'dist/index.js'),
  tsc: packageFile('typescript', 'bin/tsc'),
  vite: packageFile('vite', 'bin/vite.js'),
}

export interface Consumer {
  readonly folder: string
  readonly packageFolder: string
  /** Runs Node there. Rejects, with what was printed, when it fails. */
  readonly node: (...args: readonly string[]) => Promise<string>
  readonly remove: () => Promise<void>
}

/** An app in a fresh folder with the packed package in its node_modules: what `npm install` would make of it. */
export const createConsumer = async (tarball: string, files: Readonly<Record<string, string>>): Promise<Consumer> => {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-app-'))
  const packageFolder = join(folder, 'node_modules/palimpsest')
  await mkdir(packageFolder, { recursive: true })
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', packageFolder])
  await symlink(packageFile('zod', '.'), join(folder, 'node_modules/zod'))
  for (const [name, text] of Object.entries({ 'package.json': '{ "private": true, "type": "module" }', ...files }))
    await writeFile(join(folder, name), text)
  return {
    folder,
    packageFolder,
    node: (...args) => runNode(folder, args),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

const runNode = async (cwd: string, args: readonly string[]): Promise<string> => {
  // The test runner's own mode must not become the app's.
  const { NODE_ENV: _, VITEST: __, ...env } = process.env
  const { stdout, stderr } = await run(process.execPath, args, { cwd, env }).catch(
    (error: { stdout: string; stderr: string }) => {
      throw new Error(`node ${args.join(' ')} failed\n${error.stdout}\n${error.stderr}`, { cause: error })
    },
  )
  return stdout + stderr
}
