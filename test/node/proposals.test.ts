import { describe, expect, test } from 'vitest'
import type { DecideResult, ProposalsResult } from '../../src/schema/conflicts.js'
import { ALICE, DAY, type Fields, MALLORY, open, refusal } from '../support/engine-calls.js'
import { dump } from '../support/store.js'

const openWithCalls = async () => {
  const memory = await open()
  return {
    ...memory,
    proposals: (input: Fields = {}, scope = ALICE) =>
      memory.call<ProposalsResult>('proposals.list', input, scope).then(({ proposals }) => proposals),
    decide: (input: Fields, scope = ALICE) => memory.call<DecideResult>('proposals.decide', input, scope),
    reject: (key: string, more: Fields = {}, scope = ALICE) =>
      memory.call<DecideResult>('memory.reject', { key, reason: 'It was a joke.', ...more }, scope),
  }
}

/** A pinned memory, and a proposal that stands against it. */
const openWithProposal = async () => {
  const memory = await openWithCalls()
  const pinned = await memory.pin({ key: 'user/diet', value: 'Alice is vegan.' })
  const proposal = await memory.set({ key: 'user/diet', value: 'Alice eats fish.', onPinned: 'propose' })
  return { ...memory, pinned, proposal }
}

describe('a proposal', () => {
  test('is listed with what it stands against, for its own user', async () => {
    const { proposals, proposal, pinned, keys } = await openWithProposal()
    expect(await proposals()).toMatchObject([{ row: { id: proposal.id, status: 'proposed' }, against: [{ id: pinned.id }] }])
    expect(await proposals({}, MALLORY)).toEqual([])
    expect(await proposals({ keyPrefix: 'team/' })).toEqual([])
    expect(await keys()).toEqual(['user/diet'])
  })

  test('that is accepted while it is contradicted is in conflict, on both sides', async () => {
    const { decide, proposal, pinned, getById, found, proposals } = await openWithProposal()
    const decided = await decide({ id: proposal.id, action: 'accept', reason: 'She said so.' })
    expect(decided).toMatchObject({ id: proposal.id, key: 'user/diet~2', status: 'conflicted', dryRun: false })
    expect(await getById(proposal.id)).toMatchObject({
      status: 'conflicted',
      statusReason: 'She said so.',
      conflictWith: [pinned.id],
    })
    expect(await getById(pinned.id)).toMatchObject({ status: 'conflicted', pinned: true, conflictWith: [proposal.id] })
    expect(await found('fish')).toEqual(['user/diet~2'])
    expect(await proposals()).toEqual([])
  })

  test('that is accepted once nothing stands against it is believed', async () => {
    const { decide, proposal, remove, getById, found } = await openWithProposal()
    await remove('user/diet')
    expect(await decide({ id: proposal.id, action: 'accept' })).toMatchObject({ status: 'active' })
    expect(await getById(proposal.id)).toMatchObject({ status: 'active', conflictWith: [], statusReason: null })
    expect(await found('fish')).toEqual(['user/diet~2'])
  })

  test('that is rejected is not found any more and stays in history with the reason', async () => {
    const { decide, proposal, pinned, getById, found, history } = await openWithProposal()
    await decide({ id: proposal.id, action: 'reject', reason: 'Not true.' })
    expect(await getById(proposal.id)).toMatchObject({ status: 'rejected', statusReason: 'Not true.', conflictWith: [] })
    expect(await getById(pinned.id)).toMatchObject({ status: 'active' })
    expect(await found('fish', { includeProposed: true })).toEqual([])
    expect((await history('user/diet~2')).map(({ status }) => status)).toEqual(['rejected', 'proposed'])
  })

  test('is decided about once, by its own scope', async () => {
    const { decide, proposal, set } = await openWithProposal()
    await refusal(decide({ id: proposal.id, action: 'accept' }, MALLORY), 'NOT_FOUND')
    await refusal(decide({ id: proposal.id, action: 'accept' }, { user: 'alice', session: 's' }), 'FORBIDDEN')
    const active = await set({ key: 'a', value: 'x' })
    await refusal(decide({ id: active.id, action: 'accept' }), 'NOT_FOUND')
    const first = await decide({ id: proposal.id, action: 'accept', idempotencyKey: 'once' })
    expect(await decide({ id: proposal.id, action: 'accept', idempotencyKey: 'once' })).toEqual(first)
    await refusal(decide({ id: proposal.id, action: 'reject' }), 'NOT_FOUND')
  })

  test('a rehearsal changes nothing', async () => {
    const { decide, proposal, db } = await openWithProposal()
    const before = dump(db)
    expect(await decide({ id: proposal.id, action: 'accept', dryRun: true })).toMatchObject({
      status: 'conflicted',
      dryRun: true,
    })
    expect(await decide({ id: proposal.id, action: 'reject', dryRun: true })).toMatchObject({
      status: 'rejected',
      dryRun: true,
    })
    expect(dump(db)).toEqual(before)
  })
})

describe('a memory that is marked as wrong', () => {
  test('is served no more, keeps its history, and leaves its key free', async () => {
    const { set, reject, get, found, history, keys, events } = await openWithCalls()
    const first = await set({ key: 'user/pet', value: 'Alice has a dragon.' })
    expect(await reject('user/pet')).toMatchObject({ id: first.id, status: 'rejected' })
    expect(await get('user/pet')).toBeNull()
    expect(await found('dragon', { includeSuperseded: true, includeDuplicates: true })).toEqual([])
    expect(await keys()).toEqual([])
    expect((await history('user/pet'))[0]).toMatchObject({ status: 'rejected', statusReason: 'It was a joke.' })
    expect(events.at(-1)).toMatchObject({ id: first.id })
    const second = await set({ key: 'user/pet', value: 'Alice has a cat.' })
    expect(second.id).not.toBe(first.id)
    expect(second).toMatchObject({ status: 'active' })
  })

  test('lets the duplicates that it answered for speak again', async () => {
    const { set, reject, found } = await openWithCalls()
    await set({ key: 'a', value: 'Alice has a dragon.' }, { ...ALICE, run: 'r1' })
    expect(await set({ key: 'b', value: 'Alice has a dragon!' }, { ...ALICE, run: 'r2' })).toMatchObject({
      verdict: 'duplicate',
    })
    await reject('a')
    expect(await found('dragon')).toEqual(['b'])
  })

  test('has to be there, neither pinned nor locked', async () => {
    const { set, pin, lock, reject, system, db } = await openWithCalls()
    expect(await refusal(reject('nothing'), 'NOT_FOUND')).toEqual({ key: 'nothing' })
    await pin({ key: 'pinned', value: 'Alice is vegan.' })
    await refusal(reject('pinned'), 'PINNED_CONFLICT')
    await set({ key: 'locked', value: 'The code is on the fridge.' })
    await lock('locked', { mode: 'no_delete', reason: 'needed', ttlSeconds: 60 })
    await refusal(reject('locked'), 'LOCKED')
    await refusal(reject('pinned', {}, MALLORY), 'NOT_FOUND')
    system.advance(DAY)
    const before = dump(db)
    expect(await reject('locked', { dryRun: true })).toMatchObject({ status: 'rejected', dryRun: true })
    expect(dump(db)).toEqual(before)
    expect(await reject('locked')).toMatchObject({ status: 'rejected' })
  })

  test('needs a reason', async () => {
    const { call } = await openWithCalls()
    await refusal(call('memory.reject', { key: 'a' }), 'INVALID_ARGUMENT')
    await refusal(call('memory.reject', { key: 'a', reason: '' }), 'INVALID_ARGUMENT')
  })
})
