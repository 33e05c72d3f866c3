import { expect, test } from 'vitest'
import type { CallName } from '../../src/protocol/calls.js'
import { isMemoryError, MemoryError } from '../../src/protocol/errors.js'
import type { SeldomCalls } from '../../worker/operations/seldom.js'
import { createTestMemory } from '../support/engine.js'
import { refusal } from '../support/engine-calls.js'

const load = (): Promise<SeldomCalls> => import('../../worker/seldom/main.js')

test('calls that come while the module is loaded keep their place', async () => {
  let arrive = (): void => undefined
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  const { call } = await createTestMemory({ loadSeldom: () => arrived.then(load) })
  await call('memory.set', { key: 'a', value: 'first' })
  const lock = call('memory.lock', { key: 'a', mode: 'read_only', reason: 'final' })
  const set = call('memory.set', { key: 'a', value: 'second' })
  const early = await Promise.race([set.catch(() => 'refused'), new Promise((resume) => setTimeout(resume, 20, 'waits'))])
  expect(early).toBe('waits')
  arrive()
  await lock
  await refusal(set, 'LOCKED')
  expect(await call('memory.get', { key: 'a' })).toMatchObject({ value: 'first', lockMode: 'read_only' })
})

test('a module that cannot be loaded fails its own calls only, and is tried again', async () => {
  let tries = 0
  const { call } = await createTestMemory({
    loadSeldom: () => (++tries === 1 ? Promise.reject(new TypeError('Failed to fetch')) : load()),
  })
  await call('memory.set', { key: 'a', value: 'first' })
  const history = call('memory.history', { key: 'a' })
  const get = call('memory.get', { key: 'a' })
  expect(await refusal(history, 'WORKER_FAILED')).toMatchObject({ cause: 'Failed to fetch' })
  expect(await get).toMatchObject({ value: 'first' })
  expect(await call('memory.history', { key: 'a' })).toHaveLength(1)
  expect(tries).toBe(2)
})

test('a call that does not exist is refused, whatever its name', async () => {
  const { call } = await createTestMemory()
  for (const name of ['memory.nothing', '__proto__', 'constructor', ''])
    await refusal(call(name as CallName, {}), 'INVALID_ARGUMENT')
})

test('an error is known by its class across scripts that have a class each', () => {
  class Other extends Error {
    readonly code = 'GONE'
    override readonly name = 'MemoryError'
  }
  expect(new Other()).toBeInstanceOf(MemoryError)
  expect(isMemoryError(new Other(), 'GONE')).toBe(true)
  for (const other of [new Error('x'), { name: 'MemoryError', code: 'GONE' }, null, 'MemoryError'])
    expect(other instanceof MemoryError).toBe(false)
})
