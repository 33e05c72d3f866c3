import { describe, expect, test } from 'vitest'
import { ConfigError, configOf } from '../config.js'

describe('the configuration', () => {
  test('needs nothing: an embedded file, this machine only, no page of any origin', () => {
    const config = configOf({}, '/somewhere/dist/')
    expect(config).toMatchObject({ host: '127.0.0.1', port: 8787, database: '/somewhere/data/palimpsest.sqlite', jwt: null })
    expect([...config.origins]).toEqual([])
  })

  test('takes exact origins, those of extensions too', () => {
    const origins = 'https://app.example, http://localhost:5173,chrome-extension://abcdefghijklmnop'
    expect([...configOf({ PALIMPSEST_ORIGINS: origins }).origins]).toEqual(origins.split(/, ?/))
  })

  test.each([
    { PALIMPSEST_ORIGINS: '*' },
    { PALIMPSEST_ORIGINS: 'null' },
    { PALIMPSEST_ORIGINS: 'https://*.example' },
    { PALIMPSEST_ORIGINS: 'https://app.example/' },
    { PORT: 'eighty' },
    { PORT: '70000' },
    { PALIMPSEST_QUOTA_BYTES: '1.5' },
    { PALIMPSEST_JWT_PUBLIC_KEY: 'x', PALIMPSEST_JWT_ALGORITHMS: 'HS256' },
    { PALIMPSEST_JWT_PUBLIC_KEY: 'x', PALIMPSEST_JWT_ALGORITHMS: 'none' },
    { PALIMPSEST_JWT_PUBLIC_KEY: 'x', PALIMPSEST_JWT_ALGORITHMS: 'ES256,EdDSA' },
    { PALIMPSEST_JWT_JWKS: 'https://a.example', PALIMPSEST_JWT_ALGORITHMS: ',' },
  ])('refuses %o', (env) => {
    expect(() => configOf(env)).toThrow(ConfigError)
  })
})
