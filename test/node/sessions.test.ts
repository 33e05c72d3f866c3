import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { digestOf } from '../../src/domain/neighbours/digest.js'
import type { BriefRow, DigestRow, FoundSessions } from '../../src/schema/neighbours/sessions.js'
import { ALICE, open, refusal } from '../support/engine-calls.js'

const said = (text: string, speaker: string | null = null) => ({ speaker, text })

describe('a digest', () => {
  test('tells what a session comes back to, once, and in its order', () => {
    const turns = [
      said('Hi! How are you?', 'Bot'),
      said('The ferry to Bergen leaves at nine. It rains.', 'Ana'),
      said('So the ferry it is. Shall I book the ferry to Bergen?', 'Bot'),
      said('The ferry to Bergen leaves at nine.', 'Ana'),
      said('Bring the blue tent for the campsite.', 'Ana'),
    ]
    expect(digestOf(turns, 2).split('\n')).toEqual([
      'Ana: The ferry to Bergen leaves at nine.',
      'Ana: Bring the blue tent for the campsite.',
    ])
  })

  test('is made of what was said alone, and is the same for the same turns', () => {
    const turn = fc.record({
      speaker: fc.constantFrom(null, 'Ana', 'Bot'),
      text: fc.lorem({ mode: 'sentences', maxCount: 3 }),
    })
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 8 }), fc.integer({ min: 1, max: 6 }), (turns, sentences) => {
        const digest = digestOf(turns, sentences)
        expect(digestOf(turns, sentences)).toBe(digest)
        const lines = digest === '' ? [] : digest.split('\n')
        expect(lines.length).toBeLessThanOrEqual(sentences)
        for (const line of lines) {
          const text = line.replace(/^(?:Ana|Bot): /, '')
          expect(turns.some((one) => one.text.includes(text))).toBe(true)
        }
      }),
    )
  })
})

describe('sessions', () => {
  test('have a brief that is replaced and kept in history', async () => {
    const { call, history } = await open()
    const write = (brief: unknown) => call<BriefRow>('sessions.setBrief', { session: 'monday', brief }, ALICE)
    const { key, contentSha256 } = await write({ next: 'Ask for the date' })
    await write({ next: 'Book' })
    expect(await call('sessions.brief', { session: 'monday' }, ALICE)).toMatchObject({
      session: 'monday',
      brief: { next: 'Book' },
    })
    expect(await history(key)).toHaveLength(2)
    const late = call('sessions.setBrief', { session: 'monday', brief: 1, ifMatchSha256: contentSha256 }, ALICE)
    await refusal(late, 'PRECONDITION_FAILED')
    expect(await call('sessions.brief', { session: 'tuesday' }, ALICE)).toBeNull()
  })

  test('are digested from their turns and found by it, not in searches for memories', async () => {
    const { call, found, settled } = await open()
    const turns = [
      { id: '1', session: 'monday', speaker: 'Ana', text: 'We fly to Oslo in May. The hotel is by the harbour.' },
      { id: '2', session: 'tuesday', speaker: 'Ana', text: 'The boiler needs a new valve.' },
    ]
    await call('conversations.append', { turns }, ALICE)
    const first = await call<DigestRow>('sessions.digest', { session: 'monday' }, ALICE)
    expect(first.text).toBe('Ana: We fly to Oslo in May.\nAna: The hotel is by the harbour.')
    expect((await call<DigestRow>('sessions.digest', { session: 'monday' }, ALICE)).version).toBe(first.version)
    await call('sessions.digest', { session: 'tuesday' }, ALICE)
    await settled()
    const { hits } = await call<FoundSessions>('sessions.find', { query: 'hotel in Oslo' }, ALICE)
    expect(hits[0]).toMatchObject({ session: 'monday', text: first.text })
    expect(await found('hotel in Oslo')).toEqual([])
    await refusal(call('sessions.digest', { session: 'sunday' }, ALICE), 'NOT_FOUND')
  })
})
