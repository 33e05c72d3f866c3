import { PROTOCOL_HEADER } from '../../src/schema/sync-wire.js'

/** Headers for a page of an origin that was named, none for any other. Tokens travel in a header, so there is no credentials mode. */
export const corsHeaders = (
  origins: ReadonlySet<string>,
  origin: string | undefined,
): readonly (readonly [string, string])[] => {
  // Which headers come depends on who asks, also for caches that meet the refusal first.
  const vary = ['vary', 'origin, accept-encoding'] as const
  if (origin === undefined || !origins.has(origin)) return [vary]
  return [
    vary,
    ['access-control-allow-origin', origin],
    ['access-control-expose-headers', `${PROTOCOL_HEADER}, retry-after`],
  ]
}

export const preflight = (origins: ReadonlySet<string>, origin: string | undefined): Response => {
  const headers = new Headers([...corsHeaders(origins, origin)].map(([name, value]) => [name, value] as [string, string]))
  if (headers.has('access-control-allow-origin')) {
    headers.set('access-control-allow-methods', 'GET, POST, PUT')
    headers.set('access-control-allow-headers', `authorization, content-type, content-encoding, ${PROTOCOL_HEADER}`)
    headers.set('access-control-max-age', '7200')
  }
  return new Response(null, { status: 204, headers })
}
