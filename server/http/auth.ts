import { createRemoteJWKSet, errors, importSPKI, type JWTPayload, jwtVerify } from 'jose'
import * as z from 'zod/mini'
import { Commitment } from '../../src/schema/sync-wire.js'
import type { JwtConfig } from '../config.js'
import type { Db } from '../store/steps.js'
import { findToken } from '../store/tokens.js'
import { refuse } from './refused.js'

/** Who a request speaks for. */
export interface Caller {
  readonly account: string
  /** Namespaces that it may read and write, or null for all. */
  readonly namespaces: ReadonlySet<string> | null
  readonly tokenId: string
  /** Whether the account is made when it is not there: who issues JWTs says who has one. */
  readonly mayCreate: boolean
}

export type Authenticate = (authorization: string | undefined) => Promise<Caller>

/** How an account may be called: what fits into a token and a log line. */
export const AccountName = z.string().check(z.regex(/^[A-Za-z0-9_.:@|-]{1,64}$/, 'is not the name of an account'))

const Claims = z.object({
  sub: z.string().check(z.minLength(1)),
  account: AccountName,
  namespaces: z.optional(z.array(Commitment).check(z.maxLength(1_000))),
})

const CHALLENGE = { 'www-authenticate': 'Bearer' }

export const openAuthenticate = async (db: Db, jwt: JwtConfig | null, nowMs: () => number): Promise<Authenticate> => {
  const verify = jwt === null ? null : await openVerify(jwt, nowMs)
  return async (authorization) => {
    const [, token] = /^Bearer ([^\s]{1,8192})$/i.exec(authorization ?? '') ?? []
    if (token === undefined) throw refuse(401, 'token', CHALLENGE)
    if (token.startsWith('plm.')) {
      const found = await db.read(() => findToken(token, nowMs()))
      if (found === null) throw refuse(401, 'token', CHALLENGE)
      const { account, namespaces, id } = found
      return { account, namespaces: namespaces && new Set(namespaces), tokenId: id, mayCreate: false }
    }
    if (verify === null) throw refuse(401, 'token', CHALLENGE)
    const claims = Claims.safeParse(await verify(token))
    if (!claims.success) throw refuse(403, 'claims')
    const { account, namespaces, sub } = claims.data
    return {
      account,
      namespaces: namespaces === undefined ? null : new Set(namespaces),
      tokenId: `sub:${sub}`,
      mayCreate: true,
    }
  }
}

const openVerify = async (jwt: JwtConfig, nowMs: () => number): Promise<(token: string) => Promise<JWTPayload>> => {
  const remote = jwt.jwks === null ? null : createRemoteJWKSet(new URL(jwt.jwks))
  const local = jwt.publicKey === null ? null : await importSPKI(jwt.publicKey, jwt.algorithms[0] ?? 'EdDSA')
  return async (token) => {
    const options = {
      algorithms: [...jwt.algorithms],
      requiredClaims: ['exp', 'sub'],
      currentDate: new Date(nowMs()),
      ...(jwt.issuer !== null && { issuer: jwt.issuer }),
      ...(jwt.audience !== null && { audience: jwt.audience }),
    }
    try {
      const { payload } =
        local === null ? await jwtVerify(token, remote ?? missing, options) : await jwtVerify(token, local, options)
      return payload
    } catch (error) {
      // Keys that cannot be fetched say nothing about the token: the client keeps it and tries again.
      const isVerdict = error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout)
      throw isVerdict ? refuse(401, 'token', CHALLENGE) : refuse(503, 'keys', { 'retry-after': '5' })
    }
  }
}

const missing = (): never => {
  throw new Error('There is a key, or there is an address of keys.')
}
