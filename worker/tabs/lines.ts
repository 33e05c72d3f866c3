import type { BrokerGrant, BrokerRequest, TabMessage } from './messages.js'

/**
 * How the workers of several tabs reach each other: a broadcast channel from the first moment on, and a direct port to a peer as soon
 * as the broker has introduced them.
 */
export interface Lines {
  readonly id: string
  /** To one worker, over its direct line where there is one. */
  readonly send: (to: string, message: TabMessage) => void
  readonly broadcast: (message: TabMessage) => void
  /** Tells the broker that this worker leads now: it introduces all the others. */
  readonly announceLead: () => void
  /** Forget the direct lines but the one to this peer: who was at their end no longer listens there. */
  readonly dropLines: (butTo?: string) => void
  readonly close: () => void
}

export const openLines = (
  store: string,
  id: string,
  broker: MessagePort | null,
  receive: (message: TabMessage) => void,
): Lines => {
  const channel = new BroadcastChannel(`palimpsest:${store}`)
  const direct = new Map<string, MessagePort>()
  const ask = (request: BrokerRequest): void => broker?.postMessage(request)

  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => receive(data)
  if (broker !== null) {
    broker.onmessage = ({ data, ports }: MessageEvent<BrokerGrant>) => {
      const [line] = ports
      if (line === undefined) return
      line.onmessage = (event: MessageEvent<TabMessage>) => receive(event.data)
      direct.set(data.peer, line)
    }
    ask({ type: 'join', store, id })
  }

  const dropLines = (butTo?: string): void => {
    for (const [peer, line] of direct) {
      if (peer === butTo) continue
      line.close()
      direct.delete(peer)
    }
  }

  return {
    id,
    send: (to, message) => (direct.get(to) ?? channel).postMessage(message),
    broadcast: (message) => channel.postMessage(message),
    announceLead: () => ask({ type: 'lead', store, id }),
    dropLines,
    close: () => {
      ask({ type: 'leave', store, id })
      dropLines()
      broker?.close()
      channel.close()
    },
  }
}
