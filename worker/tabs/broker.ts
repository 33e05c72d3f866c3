import type { BrokerGrant, BrokerRequest } from './messages.js'

interface Room {
  leader: string | null
  readonly ports: Map<string, MessagePort>
}

/**
 * Runs in a shared worker, where the browser has one, and only introduces: it gives each follower and its leader the two ends of a
 * channel. No call passes through it, and without it the tabs talk over a broadcast channel.
 */
export const createBroker = (): { readonly connect: (port: MessagePort) => void } => {
  const rooms = new Map<string, Room>()

  const roomOf = (store: string): Room => {
    const room = rooms.get(store) ?? { leader: null, ports: new Map<string, MessagePort>() }
    rooms.set(store, room)
    return room
  }

  const introduce = (room: Room, follower: string): void => {
    if (room.leader === null || room.leader === follower) return
    const leaderPort = room.ports.get(room.leader)
    const followerPort = room.ports.get(follower)
    if (leaderPort === undefined || followerPort === undefined) return
    const { port1, port2 } = new MessageChannel()
    leaderPort.postMessage({ type: 'line', peer: follower } satisfies BrokerGrant, [port1])
    followerPort.postMessage({ type: 'line', peer: room.leader } satisfies BrokerGrant, [port2])
  }

  const receive = (port: MessagePort, request: BrokerRequest): void => {
    const room = roomOf(request.store)
    if (request.type === 'leave') {
      room.ports.delete(request.id)
      if (room.leader === request.id) room.leader = null
      if (room.ports.size === 0) rooms.delete(request.store)
      return
    }
    room.ports.set(request.id, port)
    if (request.type === 'join') return introduce(room, request.id)
    room.leader = request.id
    for (const follower of room.ports.keys()) introduce(room, follower)
  }

  return {
    connect: (port) => {
      port.onmessage = ({ data }: MessageEvent<BrokerRequest>) => receive(port, data)
    },
  }
}
