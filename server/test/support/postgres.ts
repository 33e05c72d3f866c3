import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

export interface RunningPostgres {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** The folder of PostgreSQL's programs: Debian keeps them out of the path, one folder to a version. */
const programs = (): string => {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const places = [process.env.POSTGRES_BIN, ...versions.map((version) => join(debian, version, 'bin'))]
  const found = [...places, ...(process.env.PATH ?? '').split(':')].find(
    (place) => place !== undefined && existsSync(join(place, 'initdb')),
  )
  if (found === undefined) throw new Error('PostgreSQL is not here: install postgresql, or set POSTGRES_BIN.')
  return found
}

const idOf = (flag: '-u' | '-g', user: string): number =>
  Number(spawnSync('id', [flag, user], { encoding: 'utf8' }).stdout.trim() || Number.NaN)

/** PostgreSQL refuses to run as root. */
const unprivileged = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {}
  const user = ['postgres', 'nobody'].find((name) => !Number.isNaN(idOf('-u', name)))
  if (user === undefined) throw new Error('There is no user to run PostgreSQL as.')
  return { uid: idOf('-u', user), gid: idOf('-g', user) }
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })

const answers = async (url: string, child: ChildProcess): Promise<void> => {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`PostgreSQL ended with ${child.exitCode} while it started.`)
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      await client.end()
      return
    } catch {
      await sleep(50)
    }
  }
}

/** A real PostgreSQL with the settings it comes with, in a folder of its own that goes with it. */
export const startPostgres = async (): Promise<RunningPostgres> => {
  const bin = programs()
  const as = unprivileged()
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-postgres-'))
  if (as.uid !== undefined && as.gid !== undefined) chownSync(folder, as.uid, as.gid)
  const data = join(folder, 'data')
  const initdb = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '-N'],
    {
      ...as,
      cwd: folder,
      encoding: 'utf8',
    },
  )
  if (initdb.status !== 0) throw new Error(`initdb failed: ${initdb.stderr}`)
  const port = await freePort()
  const child = spawn(
    join(bin, 'postgres'),
    ['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1'],
    {
      ...as,
      cwd: folder,
      stdio: 'ignore',
    },
  )
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  await answers(url, child)
  return {
    url,
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      // Ends open connections too.
      child.kill('SIGINT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
