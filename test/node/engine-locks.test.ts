import { describe, expect, test } from 'vitest'
import { ALICE, DAY, MALLORY, open, refusal } from '../support/engine-calls.js'

const DOCTOR = { ...ALICE, actor: 'human:doctor' }

const opened = async () => {
  const memory = await open()
  await memory.set({ key: 'user/dose', value: 'The dose is 5 mg a day.' })
  return memory
}

describe('a read_only lock', () => {
  test('says who locked, why and until when', async () => {
    const memory = await opened()
    const until = new Date(memory.system.now() + DAY).toISOString()
    const locked = await memory.lock('user/dose', { mode: 'read_only', reason: 'checked', until }, DOCTOR)
    const lock = { lockMode: 'read_only', lockReason: 'checked', lockBy: 'human:doctor', lockUntil: Date.parse(until) }
    expect(locked).toMatchObject({ ...lock, noop: false, key: 'user/dose' })
    expect(await memory.get('user/dose')).toMatchObject(lock)
    expect((await memory.audited()).at(-1)).toMatchObject({ action: 'memory.lock', actor: 'human:doctor', outcome: 'ok' })
  })

  test('refuses another value, another end and deletion, and lets the rest through', async () => {
    const memory = await opened()
    const { id } = await memory.lock('user/dose', { mode: 'read_only', reason: 'checked' })
    const details = { key: 'user/dose', until: null }
    const other = 'The dose is 10 mg a day.'
    expect(await refusal(memory.set({ key: 'user/dose', value: other }), 'LOCKED')).toEqual(details)
    expect(await refusal(memory.pin({ key: 'user/dose', value: other }), 'LOCKED')).toEqual(details)
    await refusal(memory.update({ key: 'user/dose', value: other }), 'LOCKED')
    await refusal(memory.updateById({ id, ttlSeconds: 5 }), 'LOCKED')
    await refusal(memory.update({ key: 'user/dose', validTo: '2030-01-01T00:00:00Z' }), 'LOCKED')
    expect(await refusal(memory.remove('user/dose'), 'LOCKED')).toEqual(details)
    await memory.update({ key: 'user/dose', tags: ['health'] })
    expect(await memory.set({ key: 'user/dose', value: 'The dose is 5 mg a day.' })).toMatchObject({ noop: true })
    expect(await memory.get('user/dose')).toMatchObject({
      tags: ['health'],
      lockMode: 'read_only',
      value: 'The dose is 5 mg a day.',
    })
    const outcomes = (await memory.audited()).map(({ outcome }) => outcome)
    expect(outcomes.filter((outcome) => outcome === 'LOCKED')).toHaveLength(6)
  })

  test('holds for the entries of a bulk write', async () => {
    const memory = await opened()
    await memory.lock('user/dose', { mode: 'read_only', reason: 'checked' })
    const { results } = await memory.bulk([{ key: 'user/dose', value: 'Other words entirely.' }])
    expect(results[0]).toMatchObject({ ok: false, code: 'LOCKED' })
  })

  test('lapses', async () => {
    const memory = await opened()
    await memory.lock('user/dose', { mode: 'read_only', reason: 'checked', ttlSeconds: 60 })
    await refusal(memory.remove('user/dose'), 'LOCKED')
    memory.system.advance(61_000)
    await memory.update({ key: 'user/dose', value: 'The dose is 10 mg a day.' })
    await memory.remove('user/dose')
    expect(await memory.get('user/dose')).toBeNull()
  })
})

describe('a no_delete lock', () => {
  test('allows edits and refuses deletion', async () => {
    const memory = await opened()
    await memory.lock('user/dose', { mode: 'no_delete', reason: 'needed' })
    await memory.set({ key: 'user/dose', value: 'The dose is 10 mg a day.' })
    await memory.update({ key: 'user/dose', ttlSeconds: DAY })
    await refusal(memory.remove('user/dose'), 'LOCKED')
    expect(await memory.get('user/dose')).toMatchObject({ lockMode: 'no_delete', value: 'The dose is 10 mg a day.' })
  })
})

describe('a lock is taken off', () => {
  test('by who made it', async () => {
    const memory = await opened()
    await memory.lock('user/dose', { mode: 'read_only', reason: 'checked' }, DOCTOR)
    expect(await memory.unlock('user/dose', {}, DOCTOR)).toMatchObject({ lockMode: null, lockBy: null, noop: false })
    expect(await memory.unlock('user/dose')).toMatchObject({ noop: true })
    await memory.remove('user/dose')
  })

  test('by another actor with force only', async () => {
    const memory = await opened()
    await memory.lock('user/dose', { mode: 'read_only', reason: 'checked' }, DOCTOR)
    expect(await refusal(memory.unlock('user/dose'), 'FORBIDDEN')).toEqual({ reason: 'other_actor' })
    expect(await refusal(memory.lock('user/dose', { mode: 'no_delete', reason: 'weaker' }), 'FORBIDDEN')).toEqual({
      reason: 'other_actor',
    })
    await memory.unlock('user/dose', { force: true })
    expect(await memory.get('user/dose')).toMatchObject({ lockMode: null, lockReason: null, lockUntil: null })
  })

  test('by anyone once it has lapsed', async () => {
    const memory = await opened()
    await memory.lock('user/dose', { mode: 'read_only', reason: 'checked', ttlSeconds: 1 }, DOCTOR)
    memory.system.advance(2_000)
    await memory.lock('user/dose', { mode: 'no_delete', reason: 'needed' })
    expect(await memory.get('user/dose')).toMatchObject({ lockMode: 'no_delete', lockBy: 'process:local' })
  })
})

test('locks are of one scope: another user is neither held by one nor can take it off', async () => {
  const memory = await opened()
  await memory.set({ key: 'user/dose', value: 'The dose is 1 mg a day.' }, MALLORY)
  await memory.lock('user/dose', { mode: 'read_only', reason: 'checked' })
  await memory.remove('user/dose', {}, MALLORY)
  await refusal(memory.unlock('user/dose', { force: true }, MALLORY), 'NOT_FOUND')
  await refusal(memory.lock('user/dose', { mode: 'no_delete', reason: 'x' }, { user: '' }), 'INVALID_ARGUMENT')
  expect(await memory.get('user/dose')).toMatchObject({ lockMode: 'read_only' })
})

test('an end that has passed, and a memory that is not there, are refused', async () => {
  const memory = await opened()
  const late = { mode: 'read_only', reason: 'x', until: '2020-01-01T00:00:00Z' }
  expect((await refusal(memory.lock('user/dose', late), 'INVALID_ARGUMENT')).issues[0]?.path).toBe('until')
  expect(await refusal(memory.lock('nothing', { mode: 'read_only', reason: 'x' }), 'NOT_FOUND')).toEqual({ key: 'nothing' })
  expect(await memory.lock('user/dose', { mode: 'read_only', reason: 'x', dryRun: true })).toMatchObject({ dryRun: true })
  expect(await memory.get('user/dose')).toMatchObject({ lockMode: null })
})

test('a repeated request locks once', async () => {
  const memory = await opened()
  const once = { mode: 'read_only', reason: 'x', idempotencyKey: 'k' }
  const first = await memory.lock('user/dose', once)
  expect(await memory.lock('user/dose', once)).toEqual(first)
  expect(await memory.history('user/dose')).toHaveLength(2)
})
