import { createHandle } from '../../src/client/handle.js'
import type { Memory } from '../../src/protocol/api.js'
import { MemoryError } from '../../src/protocol/errors.js'
import { type CallMeta, fromWire, type Outcome, type PushMessage, toWire, unwrap } from '../../src/protocol/wire.js'
import { createHashEmbedder } from '../../worker/adapters/hash-embedder.js'
import { createEngine } from '../../worker/engine.js'
import type { Embedder } from '../../worker/ports.js'
import { createSession } from '../../worker/session.js'
import { createSoloRouter } from '../../worker/tabs/solo.js'
import { createTestSystem, openTestDb } from './engine.js'
import { testLanguage } from './lexicon.js'
import { createScannerHere } from './scanner-here.js'

/** The whole library in one thread: the page's handles, the wire, the worker's session and the engine, joined by real ports. */
export const openLinkedMemory = async (embedder: Embedder = createHashEmbedder()): Promise<Memory> => {
  const db = await openTestDb()
  const system = createTestSystem(Date.now())
  const lives = new Map<string, (outcome: Outcome<unknown>) => void>()
  const { port1, port2 } = new MessageChannel()
  let changed: (changes: Parameters<typeof session.live.changed>[0]) => void = () => undefined
  const router = createSoloRouter(
    async (publish) =>
      createEngine({
        db,
        facts: { backend: 'memory', durable: 'no', reason: 'A test.', recovery: null, lastExportAt: null },
        embedders: { wanted: embedder, builtIns: [], auto: false },
        scanner: createScannerHere(),
        system,
        loadLanguage: testLanguage,
        pairJudge: null,
        resolveAfterMs: 250,
        loadFinder: () => import('../../worker/search/main.js'),
        loadTalkReading: () => import('../../worker/extract/main.js'),
        loadSeldom: () => import('../../worker/seldom/main.js'),
        deviceIdOutside: null,
        publish,
        progress: () => undefined,
      }),
    (changes) => changed(changes),
  )
  const push = (message: PushMessage): void => {
    if (message.type === 'live') lives.get(message.id)?.(structuredClone(message.outcome))
  }
  const session = createSession({ router, system, rootScope: {}, push })
  changed = session.live.changed
  toWire(session.facade, port2)
  const facade = fromWire(port1)
  let handles = 0
  let calls = 0
  let closing: Promise<void> | null = null
  return createHandle(
    {
      link: {
        opened: router.opened,
        onLost: () => () => undefined,
        call: async (name, input, handle, signal) => {
          if (signal?.aborted === true) throw new MemoryError('ABORTED', 'Before it began.', {})
          const meta: CallMeta = { id: `call-${++calls}`, handle }
          signal?.addEventListener('abort', () => void facade.cancel(meta.id))
          return unwrap((await facade.call(name, input, meta)) as Outcome<unknown>)
        },
        openHandle: (parent, patch) => {
          void facade.openHandle(++handles, parent, patch)
          return handles
        },
        openLive: (handle, target, receive) => {
          const id = `live-${++calls}`
          lives.set(id, receive)
          void facade.openLive(id, handle, target)
          return () => {
            lives.delete(id)
            void facade.closeLive(id)
          }
        },
        onEvent: () => () => undefined,
        close: async () => undefined,
      },
      onFirstWrite: () => undefined,
      isClosed: () => closing !== null,
      handles: new Map(),
      lives: new Set(),
      close: () => {
        closing ??= (facade.close() as Promise<unknown>).then(() => {
          port1.close()
          port2.close()
        })
        return closing
      },
    },
    0,
    {},
  )
}
