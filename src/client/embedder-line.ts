import type { EmbedderNews, EmbedderWish } from '../protocol/embedding.js'
import type { EmbedderHost } from './embedders.js'

/**
 * The page's end of the line on which the database worker asks for the app's embedder: starts it when it is wanted, and hands over
 * a port to it; ends it when it is not wanted any more; says when it is lost, after which it can be started anew. Returns what ends
 * line and embedder.
 */
export const openEmbedderLine = (host: EmbedderHost, line: MessagePort, startWorker: () => Worker): (() => void) => {
  let running: { readonly stop: () => void } | null = null

  const tell = (news: EmbedderNews, transfer: Transferable[] = []): void => line.postMessage(news, transfer)

  const stop = (): void => {
    running?.stop()
    running = null
  }

  const begin = (start: number): void => {
    // Whoever asks again has lost the port it had.
    stop()
    const { port1, port2 } = new MessageChannel()
    const started = { stop: () => port1.close() }
    running = started
    const lost = (cause: string): void => {
      if (running !== started) return
      stop()
      tell({ type: 'lost', start, cause })
    }
    try {
      started.stop = host.start(port1, lost, startWorker)
    } catch (error) {
      return lost(error instanceof Error ? error.message : String(error))
    }
    if (running === started) tell({ type: 'port', start, port: port2 }, [port2])
    else started.stop()
  }

  line.addEventListener('message', ({ data }: MessageEvent<EmbedderWish>) => {
    if (data.type === 'start') begin(data.start)
    else stop()
  })
  line.start()

  return () => {
    stop()
    line.close()
  }
}
