import { describe, expect, test } from 'vitest'
import type { ScopePatch } from '../../src/schema/scope.js'
import { openElsewhere } from '../support/archives.js'
import { createTestMemory } from '../support/engine.js'
import { ALICE } from '../support/engine-calls.js'
import { NEIGHBOUR_STORES } from '../support/neighbours.js'

const WORD = 'quartzite'
const OTHERS: readonly ScopePatch[] = [
  {},
  { user: 'mallory' },
  { user: null },
  { user: '' },
  { user: 'alice', namespace: 'other' },
  { user: 'mallory', session: 'monday' },
]

const said = (answer: unknown): string => JSON.stringify(answer ?? null)

describe.each(NEIGHBOUR_STORES)('$name', ({ write, read, isKept = true }) => {
  test('answers who wrote, and nobody else', async () => {
    const { call } = await createTestMemory()
    await write(call, WORD, ALICE)
    await call('memory.settled')
    for (const answer of await read(call, WORD, ALICE)) expect(said(answer)).toContain(WORD)
    for (const scope of OTHERS)
      for (const look of await Promise.allSettled([read(call, WORD, scope)])) expect(said(look)).not.toContain(`is ${WORD}`)
  })

  test('goes out with an export of its scope alone, and comes back, also beside others', async () => {
    const { call, export: exported } = await openElsewhere()
    await write(call, WORD, ALICE)
    const before = await read(call, WORD, ALICE)
    const archive = await exported({}, ALICE)
    const foreign = await exported({}, { user: 'mallory' })
    for (const isEmpty of [true, false]) {
      const there = await openElsewhere()
      if (!isEmpty) await there.call('profile.set', { label: 'tone', value: 'Plain.' }, ALICE)
      await there.import(foreign)
      for (const answer of await read(there.call, WORD, ALICE)) expect(said(answer)).not.toContain(`is ${WORD}`)
      await there.import(archive)
      const after = await read(there.call, WORD, ALICE)
      for (const [i, answer] of after.entries())
        expect(said(answer).includes(`is ${WORD}`)).toBe(isKept && said(before[i]).includes(`is ${WORD}`))
    }
  })

  test('a handle that may not write is refused and leaves nothing', async () => {
    const { call } = await createTestMemory()
    for (const [scope, code] of [
      [{ user: '' }, 'INVALID_ARGUMENT'],
      [{ user: '*' }, 'FORBIDDEN'],
    ] as const)
      await expect(write(call, WORD, scope)).rejects.toMatchObject({ code })
    for (const answer of await read(call, WORD, { user: '*' })) expect(said(answer)).not.toContain(`is ${WORD}`)
  })
})
