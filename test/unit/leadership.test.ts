import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RETRY_MS, seekLeadership } from '../../worker/tabs/leadership.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A lock that one holder has at a time, first come first served. */
const createLocks = (): LockManager => {
  let last: Promise<unknown> = Promise.resolve()
  const request = (_: string, options: LockOptions, hold: () => Promise<unknown>): Promise<unknown> => {
    const granted = last.then(() => {
      options.signal?.throwIfAborted()
      return hold()
    })
    last = granted.catch(() => undefined)
    return granted
  }
  return { request, query: async () => ({ held: [], pending: [] }) } as unknown as LockManager
}

const done = () => Promise.resolve()
const unexpected = (): void => expect.unreachable()
const settle = () => vi.advanceTimersByTimeAsync(0)

test('the first leads, and the next when the first leaves', async () => {
  const locks = createLocks()
  const led: string[] = []
  const first = seekLeadership(locks, 'store', async () => void led.push('first'), unexpected)
  seekLeadership(locks, 'store', async () => void led.push('second'), unexpected)
  await settle()
  expect(led).toEqual(['first'])
  await first.leave(done)
  await settle()
  expect(led).toEqual(['first', 'second'])
})

test('who steps down queues behind the one that waits', async () => {
  const locks = createLocks()
  const led: string[] = []
  const first = seekLeadership(locks, 'store', async () => void led.push('first'), unexpected)
  const second = seekLeadership(locks, 'store', async () => void led.push('second'), unexpected)
  await settle()
  await first.stepDown(done)
  await settle()
  await second.leave(done)
  await settle()
  expect(led).toEqual(['first', 'second', 'first'])
})

test('who could not lead says so, lets another try, and tries again after a pause', async () => {
  const locks = createLocks()
  const failures: unknown[] = []
  let broken = true
  const led: string[] = []
  const lead = async (): Promise<void> => {
    if (broken) throw new Error('busy')
    led.push('first')
  }
  seekLeadership(locks, 'store', lead, (error) => void failures.push(error))
  const second = seekLeadership(locks, 'store', async () => void led.push('second'), unexpected)
  await settle()
  expect([failures.length, led]).toEqual([1, ['second']])
  broken = false
  await second.leave(done)
  await vi.advanceTimersByTimeAsync(RETRY_MS)
  expect([failures.length, led]).toEqual([1, ['second', 'first']])
})

test('who has left does not come back', async () => {
  const locks = createLocks()
  const lead = vi.fn(async () => {
    throw new Error('busy')
  })
  const leadership = seekLeadership(locks, 'store', lead, () => undefined)
  await settle()
  await leadership.leave(done)
  await vi.advanceTimersByTimeAsync(10 * RETRY_MS)
  expect(lead).toHaveBeenCalledTimes(1)
})
