import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const built = (name: string): string => fileURLToPath(new URL(`../../dist/${name}.js`, import.meta.url))

export interface ServerProcess {
  readonly url: string
  readonly child: ChildProcess
  /** What it wrote beside its log. */
  readonly errors: () => string
  /** Resolves when it is gone. */
  readonly end: (signal: 'SIGKILL' | 'SIGTERM') => Promise<number | null>
}

/** The built server as a process of its own, once it listens. */
export const startProcess = (env: Record<string, string>): Promise<ServerProcess> =>
  new Promise((resolve, reject) => {
    const unlimited = { PALIMPSEST_PUSHES_PER_MINUTE: '0', PALIMPSEST_PULLS_PER_MINUTE: '0' }
    const child = spawn(process.execPath, [built('main')], {
      env: { PATH: process.env.PATH, PORT: '0', ...unlimited, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let errors = ''
    let output = ''
    const ended = new Promise<number | null>((gone) => child.once('exit', (code) => gone(code)))
    child.stderr.on('data', (chunk) => {
      errors += String(chunk)
    })
    child.stdout.on('data', (chunk) => {
      output += String(chunk)
      const [, url] = /"url":"([^"]+)"/.exec(output) ?? []
      if (url !== undefined)
        resolve({
          url,
          child,
          errors: () => errors,
          end: (signal) => {
            child.kill(signal)
            return ended
          },
        })
    })
    void ended.then((code) => reject(new Error(`The server ended with ${code}: ${errors}`)))
  })

/** The console's commands. */
export const runTokens = (
  env: Record<string, string>,
  ...args: string[]
): Promise<{ code: number | null; out: string; err: string }> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [built('cli'), ...args], { env: { PATH: process.env.PATH, ...env } })
    let [out, err] = ['', '']
    child.stdout.on('data', (chunk) => {
      out += String(chunk)
    })
    child.stderr.on('data', (chunk) => {
      err += String(chunk)
    })
    child.once('close', (code) => resolve({ code, out: out.trim(), err: err.trim() }))
  })
