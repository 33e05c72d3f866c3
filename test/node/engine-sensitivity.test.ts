import { describe, expect, test } from 'vitest'
import { MALLORY, moody, open } from '../support/engine-calls.js'

const SECRET = 'The Wi-Fi password is Blue-Heron-42.'

describe('what looks like a secret', () => {
  test('is of high sensitivity, and reaches neither embedder nor search nor lists', async () => {
    const embedder = moody(0)
    const memory = await open({ embedder })
    const written = await memory.set({ key: 'home/wifi', value: SECRET })
    expect(written).toMatchObject({ chunksWritten: 0, degraded: [] })
    expect(written.advisories.join()).toContain('looks like a secret')
    expect(await memory.get('home/wifi')).toMatchObject({ value: SECRET, sensitivity: 'high' })
    await memory.settled()
    expect(embedder.asked.some((text) => text.includes('Heron'))).toBe(false)
    expect(await memory.found('wifi password')).toEqual([])
    expect(await memory.keys()).toEqual([])
    expect(await memory.get('home/wifi', MALLORY)).toBeNull()
  })

  test('is found in bulk writes and updates as well', async () => {
    const embedder = moody(0)
    const memory = await open({ embedder })
    await memory.bulk([
      { key: 'a', value: 'My PIN is 4711.' },
      { key: 'b', value: 'Harmless words.' },
    ])
    await memory.update({ key: 'b', value: 'Her card is 4111 1111 1111 1111.' })
    expect(await memory.get('a')).toMatchObject({ sensitivity: 'high' })
    expect(await memory.get('b')).toMatchObject({ sensitivity: 'high' })
    expect(await memory.found('harmless card pin')).toEqual([])
    expect(embedder.asked.join()).not.toMatch(/4711|4111/)
  })

  test('is told from the key where the value is bare', async () => {
    const memory = await open()
    await memory.set({ key: 'wifi/password', value: 'hunter2' })
    expect(await memory.get('wifi/password')).toMatchObject({ sensitivity: 'high' })
  })

  test('is what its writer says it is', async () => {
    const memory = await open()
    await memory.set({ key: 'a', value: 'The test password is example1.', sensitivity: 'none' })
    expect(await memory.get('a')).toMatchObject({ sensitivity: 'none' })
    // Said again, it stays so.
    expect(await memory.set({ key: 'a', value: 'The test password is example1.' })).toMatchObject({ noop: true })
    await memory.set({ key: 'a', value: 'The test password is example1.', tags: ['x'] })
    expect(await memory.get('a')).toMatchObject({ sensitivity: 'none', tags: ['x'] })
    expect(await memory.found('test password')).toEqual(['a'])
    await memory.set({ key: 'a', value: 'The test password is example2.' })
    expect(await memory.get('a')).toMatchObject({ sensitivity: 'high' })
  })

  test('stays high when the next value looks harmless', async () => {
    const memory = await open()
    await memory.set({ key: 'a', value: SECRET })
    await memory.set({ key: 'a', value: 'It was written on the fridge.' })
    expect(await memory.get('a')).toMatchObject({ sensitivity: 'high' })
    await memory.update({ key: 'a', sensitivity: 'none' })
    await memory.settled()
    expect(await memory.found('fridge')).toEqual(['a'])
  })
})

test('ways to reach somebody are of medium sensitivity and are found', async () => {
  const memory = await open()
  await memory.set({ key: 'a', value: 'Write to ana.silva@example.com for invoices.' })
  expect(await memory.get('a')).toMatchObject({ sensitivity: 'medium' })
  expect(await memory.found('invoices')).toEqual(['a'])
})

test('ordinary numbers are not sensitive', async () => {
  const memory = await open()
  await memory.set({ key: 'a', value: 'Order 4111111111111111 ships on 2026-03-01 from port 5432.' })
  expect(await memory.get('a')).toMatchObject({ sensitivity: 'none' })
})
