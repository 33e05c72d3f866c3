// @ts-check
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Debian keeps PostgreSQL's programs out of the path, in one folder to a version. */
const DEBIAN = '/usr/lib/postgresql'

/** The folder of PostgreSQL's programs, the newest there is, or null. @type {() => string | null} */
export const findPostgres = () => {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : []
  const places = [process.env.POSTGRES_BIN ?? '', ...versions.map((version) => join(DEBIAN, version, 'bin'))]
  const all = [...places, ...(process.env.PATH ?? '').split(':')]
  return all.find((place) => place !== '' && existsSync(join(place, 'initdb'))) ?? null
}
