import { readAccount } from '../store/accounts.js'
import type { Asked, Parts } from './app.js'
import { refuse } from './refused.js'

/** Shorter than what proxies take for a dead connection. */
const HEARTBEAT_MS = 20_000
/** More tabs than anybody has; each takes a connection. */
const MAX_STREAMS = 64

/**
 * Lines that say where the account stands, each time it moved. With each heartbeat the token is asked again, so that a stream does not
 * outlive it.
 */
export const hintStream = async (c: Asked, { db, hints, authenticate, stopping }: Parts): Promise<Response> => {
  const { account: id } = c.get('caller')
  if (hints.countFor(id) >= MAX_STREAMS) throw refuse(429, 'streams', { 'retry-after': '60' })
  const authorization = c.req.header('authorization')
  const account = await db.read(() => readAccount(id))
  const encoder = new TextEncoder()
  let end = () => undefined as void
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const say = (line: string) => controller.enqueue(encoder.encode(`${line}\n`))
      const stop = hints.listen(id, ({ epoch, head }) => say(JSON.stringify({ epoch, head })))
      const heartbeat = setInterval(() => {
        authenticate(authorization).then(
          () => ended || say(''),
          () => close(),
        )
      }, HEARTBEAT_MS)
      let ended = false
      end = () => {
        ended = true
        clearInterval(heartbeat)
        stop()
        stopping.removeEventListener('abort', close)
      }
      const close = () => {
        if (ended) return
        end()
        controller.close()
      }
      stopping.addEventListener('abort', close)
      say(JSON.stringify({ epoch: account.epoch, head: account.head }))
      if (stopping.aborted) close()
    },
    cancel: () => end(),
  })
  return new Response(stream, { headers: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' } })
}
