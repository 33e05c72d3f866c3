import { describe, expect, test } from 'vitest'
import { MemoryError } from '../../src/protocol/errors.js'
import { fromWire, type Outcome, toWire, unwrap, type WorkerFacade } from '../../src/protocol/wire.js'
import { outcomeOf } from '../../worker/outcome.js'

/** A facade whose calls do what they are told, seen through real ports. */
const wired = (call: () => Promise<Outcome<unknown>>) => {
  const { port1, port2 } = new MessageChannel()
  const nothing = (): void => undefined
  const facade: WorkerFacade = {
    call,
    cancel: nothing,
    openHandle: nothing,
    openLive: nothing,
    closeLive: nothing,
    stepDown: nothing,
    close: async () => ({ ok: true, value: null }),
  }
  toWire(facade, port2)
  const close = (): void => {
    port1.close()
    port2.close()
  }
  return { remote: fromWire(port1), close }
}

const meta = { id: 'a', handle: 0 }

describe('the wire', () => {
  test('carries values as they are', async () => {
    const { remote, close } = wired(async () => ({ ok: true, value: { rows: [1, 'two', null] } }))
    expect(unwrap(await remote.call('memory.list', {}, meta))).toEqual({ rows: [1, 'two', null] })
    close()
  })

  test('carries an error with its code, status and details', async () => {
    const { remote, close } = wired(() =>
      outcomeOf(() => {
        throw new MemoryError('PRECONDITION_FAILED', 'It changed.', { key: 'a/b', currentSha256: null })
      }),
    )
    const outcome = await remote.call('memory.set', {}, meta)
    expect(() => unwrap(outcome)).toThrowError(
      expect.objectContaining({ code: 'PRECONDITION_FAILED', status: 409, details: { key: 'a/b', currentSha256: null } }),
    )
    close()
  })

  test('flattens what is no error of ours and keeps its cause in the worker', async () => {
    const logged: unknown[] = []
    const { error } = console
    console.error = (...words: unknown[]) => void logged.push(...words)
    const { remote, close } = wired(() =>
      outcomeOf(() => {
        throw new TypeError('a secret inside')
      }),
    )
    const outcome = await remote.call('memory.get', {}, meta)
    console.error = error
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'INTERNAL', details: { reference: expect.any(String) } } })
    expect(JSON.stringify(outcome)).not.toContain('secret')
    expect(logged).toContainEqual(new TypeError('a secret inside'))
    close()
  })
})
