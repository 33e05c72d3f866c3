import { MemoryError } from '../protocol/errors.js'
import type { WorkerLink } from './worker-link.js'

/** A line to a worker that is started when the first thing is asked of it. To listen, or to narrow a scope, asks nothing. */
export const lazyLink = (start: () => WorkerLink): WorkerLink => {
  let link: WorkerLink | null = null
  let isClosed = false
  let handles = 0
  /** What was said before there was anybody to hear it, in order: numbers of handles come out the same. */
  const waiting: ((link: WorkerLink) => void)[] = []

  const started = (): WorkerLink => {
    if (link !== null) return link
    if (isClosed) throw new MemoryError('CLOSED', 'This store was closed. Open it again.', {})
    link = start()
    for (const say of waiting.splice(0)) say(link)
    return link
  }

  const listening = (listen: (link: WorkerLink) => () => void): (() => void) => {
    if (link !== null) return listen(link)
    let stop: () => void = () => undefined
    let isStopped = false
    waiting.push((started) => {
      if (!isStopped) stop = listen(started)
    })
    return () => {
      isStopped = true
      stop()
    }
  }

  return {
    get opened() {
      return Promise.resolve().then(() => started().opened)
    },
    onLost: (lost) => listening((link) => link.onLost(lost)),
    onEvent: (receive) => listening((link) => link.onEvent(receive)),
    call: async (...given) => started().call(...given),
    openHandle: (parent, patch) => {
      if (link !== null) return link.openHandle(parent, patch)
      waiting.push((started) => void started.openHandle(parent, patch))
      return ++handles
    },
    openLive: (...given) => started().openLive(...given),
    close: async () => {
      isClosed = true
      await link?.close()
    },
  }
}
