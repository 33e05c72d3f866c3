import { fileURLToPath } from 'node:url'

export interface JwtConfig {
  /** Where the keys are: a JWKS address, or one public key in PEM. */
  readonly jwks: string | null
  readonly publicKey: string | null
  readonly algorithms: readonly string[]
  readonly issuer: string | null
  readonly audience: string | null
}

export interface Config {
  readonly host: string
  readonly port: number
  /** `postgres://…`, or the path of the embedded file. */
  readonly database: string
  readonly origins: ReadonlySet<string>
  readonly quotaBytes: number
  /** Requests a minute and account; twice as many may come at once. 0 sets no limit. */
  readonly pushesPerMinute: number
  readonly pullsPerMinute: number
  readonly metricsToken: string | null
  readonly jwt: JwtConfig | null
}

type Environment = Readonly<Record<string, string | undefined>>

/** Asymmetric only: with a shared secret whoever can check a token can make one. */
const ALGORITHMS = ['EdDSA', 'ES256', 'ES384', 'RS256', 'PS256']

export class ConfigError extends Error {}

export const isPostgres = (database: string): boolean => /^postgres(ql)?:\/\//.test(database)

/** Reads the environment, and refuses what would be unsafe or is not understood. */
export const configOf = (env: Environment, here = fileURLToPath(new URL('.', import.meta.url))): Config => ({
  host: env.HOST ?? '127.0.0.1',
  port: wholeNumber(env.PORT, 'PORT', 8787, 65_535),
  database: env.DATABASE_URL ?? `${here.replace(/dist\/$/, '')}data/palimpsest.sqlite`,
  origins: new Set(listOf(env.PALIMPSEST_ORIGINS).map(exactOrigin)),
  quotaBytes: wholeNumber(env.PALIMPSEST_QUOTA_BYTES, 'PALIMPSEST_QUOTA_BYTES', 1_073_741_824, Number.MAX_SAFE_INTEGER),
  pushesPerMinute: wholeNumber(env.PALIMPSEST_PUSHES_PER_MINUTE, 'PALIMPSEST_PUSHES_PER_MINUTE', 60, 1_000_000),
  pullsPerMinute: wholeNumber(env.PALIMPSEST_PULLS_PER_MINUTE, 'PALIMPSEST_PULLS_PER_MINUTE', 120, 1_000_000),
  metricsToken: env.PALIMPSEST_METRICS_TOKEN || null,
  jwt: jwtOf(env),
})

const listOf = (value: string | undefined): string[] =>
  (value ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

const wholeNumber = (value: string | undefined, name: string, fallback: number, max: number): number => {
  if (value === undefined || value === '') return fallback
  const number = Number(value)
  if (!Number.isInteger(number) || number < 0 || number > max)
    throw new ConfigError(`${name} is not a whole number up to ${max}.`)
  return number
}

/** `*` would let any page use a token it got hold of, and `null` is what every sandboxed page says of itself. */
const exactOrigin = (origin: string): string => {
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/*\s]+$/.test(origin)) return origin
  throw new ConfigError(`PALIMPSEST_ORIGINS names exact origins such as https://app.example, not ${JSON.stringify(origin)}.`)
}

const jwtOf = (env: Environment): JwtConfig | null => {
  const jwks = env.PALIMPSEST_JWT_JWKS || null
  const publicKey = env.PALIMPSEST_JWT_PUBLIC_KEY || null
  if (jwks === null && publicKey === null) return null
  const algorithms = listOf(env.PALIMPSEST_JWT_ALGORITHMS ?? 'EdDSA,ES256,RS256')
  const unknown = algorithms.find((name) => !ALGORITHMS.includes(name))
  if (unknown !== undefined || algorithms.length === 0)
    throw new ConfigError(`PALIMPSEST_JWT_ALGORITHMS may name ${ALGORITHMS.join(', ')}.`)
  if (publicKey !== null && algorithms.length > 1 && env.PALIMPSEST_JWT_ALGORITHMS !== undefined)
    throw new ConfigError('One public key has one algorithm: PALIMPSEST_JWT_ALGORITHMS must name it alone.')
  return {
    jwks,
    publicKey,
    algorithms: publicKey !== null && env.PALIMPSEST_JWT_ALGORITHMS === undefined ? ['EdDSA'] : algorithms,
    issuer: env.PALIMPSEST_JWT_ISSUER || null,
    audience: env.PALIMPSEST_JWT_AUDIENCE || null,
  }
}
