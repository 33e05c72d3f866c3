// @ts-check
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findChromium } from './support/find-chromium.mjs'
import { findPostgres } from './support/find-postgres.mjs'

// What `npm test` runs, from a fresh clone on: every step is carried out, whatever failed before it, and the last line counts.

/**
 * What a step found. Steps that only prepare count nothing when they succeed.
 *
 * @typedef {{ passed: number, failed: number, note?: string }} Count
 */

/** @typedef {{ success: boolean, testResults: TestFile[] }} Report */
/** @typedef {{ name: string, status: string, assertionResults: { status: string }[] }} TestFile */

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const REPORTS = '.cache/test-reports'
const NEEDS_BUILD = ['browser', 'package']

/** @type {Count} */
const PREPARED = { passed: 0, failed: 0 }
/** @type {(Count & { name: string, seconds: number })[]} */
const steps = []
/** Test files that have been heard of: with a test that ran or chose not to, or with a failure. @type {Set<string>} */
const ran = new Set()

/** @type {(command: string, ...args: string[]) => Promise<boolean>} */
const succeeds = (command, ...args) =>
  new Promise((settle) => {
    const child = spawn(command, args, { stdio: 'inherit', shell: process.platform === 'win32' })
    child.on('error', (error) => {
      console.error(String(error))
      settle(false)
    })
    child.on('exit', (code) => settle(code === 0))
  })

/** @type {(command: string, ...args: string[]) => Promise<void>} */
const must = async (command, ...args) => {
  if (!(await succeeds(command, ...args))) throw new Error(`${[command, ...args].join(' ')} failed`)
}

/** @type {(name: string, work: () => Promise<Count>) => Promise<boolean>} */
const step = async (name, work) => {
  console.log(`\n=== ${name}`)
  const start = performance.now()
  const count = await work().catch((error) => {
    console.error(error instanceof Error ? error.message : error)
    return { passed: 0, failed: 1 }
  })
  steps.push({ name, ...count, seconds: (performance.now() - start) / 1000 })
  return count.failed === 0
}

/** A tool whose exit code is its verdict. @type {(...args: string[]) => Promise<Count>} */
const check = async (...args) =>
  (await succeeds('npm', 'run', ...args)) ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }

/** @type {(folder: string, name: string, wanted: string) => boolean} */
const isInstalled = (folder, name, wanted) => {
  const manifest = join(folder, 'node_modules', name, 'package.json')
  if (!existsSync(manifest)) return false
  if (wanted.startsWith('file:')) return true
  // An alias names its version last: npm:other-package@1.2.3.
  return JSON.parse(readFileSync(manifest, 'utf8')).version === wanted.slice(wanted.lastIndexOf('@') + 1)
}

/** What a package.json asks for, from its lock file, unless it is there. @type {(folder: string) => Promise<Count>} */
const install = async (folder) => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  /** @type {[string, string][]} */
  const wanted = Object.entries({ ...dependencies, ...devDependencies })
  // Its warnings and errors are wanted here, also where the run itself was asked to be silent.
  if (!wanted.every(([name, version]) => isInstalled(folder, name, version)))
    await must('npm', '--prefix', folder, 'ci', '--loglevel=warn')
  return PREPARED
}

/** @type {(name: string) => Promise<void>} */
const debianPackage = async (name) => {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return
  // Nobody is there to answer questions.
  process.env.DEBIAN_FRONTEND = 'noninteractive'
  if (await succeeds('apt-get', 'update')) await succeeds('apt-get', 'install', '-y', name)
}

const playwrightDownload = async () => {
  await succeeds('npx', 'playwright-core', 'install', 'chromium')
}

const chromium = async () => {
  let found = await findChromium()
  for (const tryInstalling of [() => debianPackage('chromium'), playwrightDownload]) {
    if (found !== null) break
    await tryInstalling()
    found = await findChromium()
  }
  if (found === null) throw new Error('No Chromium could be found or installed: set CHROMIUM_BIN.')
  console.log(found)
  // Spares every test file the search.
  process.env.CHROMIUM_BIN = found
  return PREPARED
}

/** The tests of the server start one of their own; a service that Debian starts with its package is left alone. */
const postgres = async () => {
  if (findPostgres() === null) await debianPackage('postgresql')
  const found = findPostgres()
  if (found === null) throw new Error('No PostgreSQL could be found or installed: set POSTGRES_BIN.')
  console.log(found)
  return PREPARED
}

const build = async () => {
  // Whatever goes wrong, nothing is tested against the build before.
  rmSync('dist', { recursive: true, force: true })
  await must('npm', 'run', 'build')
  return PREPARED
}

/** @type {(name: string, command: string, ...args: string[]) => Promise<Count>} */
const vitest = async (name, command, ...args) => {
  const file = resolve(REPORTS, `${name}.json`)
  rmSync(file, { force: true })
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const exitedWell = await succeeds(command, ...args, ...reporters)
  if (!existsSync(file)) throw new Error(`The tests of ${name} ended without a report.`)
  const count = countTests(JSON.parse(readFileSync(file, 'utf8')))
  // An error outside of any test, or a runner that crashed.
  return exitedWell || count.failed > 0 ? count : { ...count, failed: 1 }
}

/** @type {(project: string) => Promise<Count>} */
const projectTests = (project) => vitest(project, 'npx', 'vitest', 'run', '--project', project, '--passWithNoTests')

/** @type {(report: Report) => Count} */
const countTests = ({ testResults }) => {
  const statuses = testResults.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status))
  const failed = statuses.filter((status) => status === 'failed').length
  // Failed before its first test, or after its last.
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  ).length
  const passed = statuses.filter((status) => status === 'passed').length
  const skipped = statuses.length - passed - failed
  for (const { name, status, assertionResults } of testResults)
    if (status === 'failed' || assertionResults.length > 0) ran.add(relative('.', name))
  return { passed, failed: failed + brokenFiles, ...(skipped > 0 && { note: `${skipped} skipped` }) }
}

/** A test file that no project picks up, or without a test in it, would never fail. @type {(built: boolean) => Promise<Count>} */
const forgotten = async (built) => {
  const notRun = built ? [] : NEEDS_BUILD.map((project) => join('test', project))
  const files = ['test', 'server/test']
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
    .filter((name) => name.endsWith('.test.ts'))
    .filter((path) => !ran.has(path) && !notRun.some((folder) => path.startsWith(folder)))
  for (const path of files) console.error(`${path} ran no test`)
  if (!built) console.error(`Not run without a build: ${NEEDS_BUILD.join(', ')}`)
  const nothingRan = steps.every(({ passed }) => passed === 0)
  return { passed: 0, failed: files.length + (nothingRan ? 1 : 0) }
}

await step('install', () => install('.'))
await step('chromium', chromium)
const built = await step('build', build)
await step('lint', () => check('lint'))
await step('types', () => check('types'))
for (const project of ['node', ...(built ? NEEDS_BUILD : [])]) await step(`tests: ${project}`, () => projectTests(project))
await step('postgresql', postgres)
await step('server install', () => install('server'))
await step('server types', () => check('types', '--prefix', 'server'))
await step('server tests', () => vitest('server', 'npm', 'test', '--prefix', 'server', '--'))
await step('every test file ran', () => forgotten(built))

/** @type {(key: 'passed' | 'failed') => number} */
const total = (key) => steps.reduce((sum, count) => sum + count[key], 0)

console.log('\n=== summary')
for (const { name, passed, failed, seconds, note } of steps) {
  const verdict = failed > 0 ? `${failed} failed` : passed > 0 ? `${passed} passed` : 'ok'
  console.log(`${name.padEnd(22)}${seconds.toFixed(1).padStart(7)} s   ${[verdict, note].filter(Boolean).join(', ')}`)
}
process.exitCode = total('failed') > 0 ? 1 : 0
console.log(`\n${total('passed')} passed, ${total('failed')} failed`)
