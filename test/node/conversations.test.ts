import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AppendResult, RecallResult, TurnsResult } from '../../src/schema/neighbours/conversations.js'
import type { ScopePatch } from '../../src/schema/scope.js'
import { ALICE, type Fields, open, refusal } from '../support/engine-calls.js'

const openTalk = async () => {
  const memory = await open()
  return {
    ...memory,
    append: (turns: readonly unknown[], more: Fields = {}, scope: ScopePatch = ALICE) =>
      memory.call<AppendResult>('conversations.append', { turns, ...more }, scope),
    turns: (filter: Fields = {}, scope: ScopePatch = ALICE) => memory.call<TurnsResult>('conversations.list', filter, scope),
    recall: (query: string, options: Fields = {}, scope: ScopePatch = ALICE) =>
      memory.call<RecallResult>('conversations.recall', { query, ...options }, scope),
  }
}

const turn = (id: string, text: string, more: Fields = {}) => ({ id, session: 'monday', text, ...more })

describe('appending', () => {
  test('answers turn by turn, in order, and keeps who said it when', async () => {
    const { append, turns } = await openTalk()
    const said = [
      turn('1', 'Where do you fly to?', { role: 'assistant', speaker: 'Bot' }),
      turn('2', 'To Oslo.', { role: 'user', speaker: 'Ana', at: '2026-03-01T09:00', timeZone: 'Europe/Berlin' }),
    ]
    const result = await append(said)
    expect(result).toMatchObject({ appended: 2, known: 0, turns: [{ turnId: '1', outcome: 'appended' }, { turnId: '2' }] })
    expect((await turns({ order: 'oldest' })).turns).toMatchObject([
      { turnId: '1', session: 'monday', role: 'assistant', speaker: 'Bot', text: 'Where do you fly to?', at: null },
      { turnId: '2', role: 'user', speaker: 'Ana', text: 'To Oslo.', at: Date.parse('2026-03-01T08:00Z') },
    ])
  })

  test('a turn is known by its id: sent again, it changes nothing', async () => {
    const { append, turns, audited } = await openTalk()
    await append([turn('1', 'Hello.')])
    const before = audited().length
    expect(await append([turn('1', 'Hello.')])).toMatchObject({ appended: 0, known: 1 })
    expect(audited()).toHaveLength(before)
    expect((await turns()).turns).toHaveLength(1)
  })

  test('another text under its id is a new version of it', async () => {
    const { append, history } = await openTalk()
    await append([turn('1', 'Helo.')])
    const { turns, revised } = await append([turn('1', 'Hello.')])
    expect(revised).toBe(1)
    expect((await history(turns[0]?.key ?? '')).map(({ value }) => value)).toEqual(['Hello.', 'Helo.'])
  })

  test('the same id in another session is another turn', async () => {
    const { append } = await openTalk()
    expect(await append([turn('1', 'Yes.'), { ...turn('1', 'Yes.'), session: 'tuesday' }])).toMatchObject({ appended: 2 })
  })

  test('turns in the same words are not merged, nor held against each other', async () => {
    const { append, turns, events } = await openTalk()
    await append(['1', '2', '3'].map((id) => turn(id, 'Yes, I live in Berlin.')))
    await append([turn('4', 'No, I live in Rome.')])
    expect((await turns()).turns).toHaveLength(4)
    expect(events).toHaveLength(4)
  })

  test('a turn without an id gets one; a repeat under an idempotency key gives the same', async () => {
    const { append, turns } = await openTalk()
    const given = [{ session: 'monday', text: 'Hi.' }]
    const first = await append(given, { idempotencyKey: 'k' })
    expect(await append(given, { idempotencyKey: 'k' })).toEqual(first)
    expect((await turns()).turns.map(({ turnId }) => turnId)).toEqual([first.turns[0]?.turnId])
  })

  test('a handle that is bound to a session need not name it, any other has to', async () => {
    const { append } = await openTalk()
    const bound = await append([{ text: 'Hi.' }], {}, { user: 'alice', session: 's1' })
    expect(bound.turns[0]?.session).toBe('s1')
    const { issues } = await refusal(append([turn('1', 'Hi.'), { text: 'Hi.' }]), 'INVALID_ARGUMENT')
    expect(issues[0]?.path).toBe('turns.1.session')
  })

  test('one bad turn and nothing is written', async () => {
    const { append, turns } = await openTalk()
    for (const bad of [turn('', 'x'), turn('2', ' '), turn('2', 'x', { at: 'then' }), turn('x'.repeat(201), 'x')])
      await refusal(append([turn('1', 'Hi.'), bad]), 'INVALID_ARGUMENT')
    const long = '/'.repeat(150)
    await refusal(append([turn('1', 'Hi.'), { id: long, session: long, text: 'x' }]), 'INVALID_ARGUMENT')
    expect((await turns()).turns).toEqual([])
  })

  test('what the blacklist forbids is refused alone, and what is secret is in no search and no list', async () => {
    const { append, turns, recall, forbid, settled } = await openTalk()
    await forbid({ pattern: 'falcon', patternType: 'substring' })
    const secret = 'The key is sk-proj-4f9aB7cD2eF1gH3iJ5kL6mN8oP0qR2sT4uV6wX8yZ0aB1cD3.'
    const result = await append([turn('1', 'Project Falcon it is.'), turn('2', 'Lunch at noon.'), turn('3', secret)])
    expect(result).toMatchObject({ appended: 2, refused: 1, turns: [{ outcome: 'refused', code: 'BLACKLISTED' }, {}, {}] })
    await settled()
    expect((await turns()).turns.map(({ turnId }) => turnId)).toEqual(['2'])
    expect((await recall('the key')).hits.map(({ turnId }) => turnId)).not.toContain('3')
  })

  test('a dry run says what would be and writes nothing', async () => {
    const { append, turns } = await openTalk()
    expect(await append([turn('1', 'Hi.')], { dryRun: true })).toMatchObject({ appended: 1 })
    expect((await turns()).turns).toEqual([])
  })

  test('appending twice, in any pieces, is appending once', async () => {
    const ids = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(fc.array(ids, { maxLength: 4 }), async (pieces) => {
        const { append, turns } = await openTalk()
        for (const piece of pieces) await append(piece.map((id) => turn(id, `Turn ${id}.`)))
        const unique = [...new Set(pieces.flat())]
        expect((await turns({ order: 'oldest' })).turns.map(({ turnId }) => turnId)).toEqual(unique)
      }),
      { numRuns: 12 },
    )
  })

  test('an abort between two batches tells how many were written', async () => {
    const { call, turns } = await openTalk()
    const abort = new AbortController()
    const many = Array.from({ length: 1_200 }, (_, i) => turn(`${i}`, `Turn ${i}.`))
    const work = call('conversations.append', { turns: many }, ALICE, { signal: abort.signal })
    setTimeout(() => abort.abort(), 0)
    expect(await refusal(work, 'ABORTED')).toEqual({ written: 500 })
    expect((await turns({ limit: 1000 })).turns).toHaveLength(500)
  })
})

describe('reading', () => {
  test('goes page by page, both ways, without a gap', async () => {
    const { append, turns } = await openTalk()
    await append(Array.from({ length: 7 }, (_, i) => turn(`${i}`, `Turn ${i}.`)))
    for (const order of ['newest', 'oldest'] as const) {
      const seen: string[] = []
      let cursor: string | null | undefined
      do {
        const page: TurnsResult = await turns({ limit: 3, order, ...(cursor == null ? {} : { cursor }) })
        seen.push(...page.turns.map(({ turnId }) => turnId))
        cursor = page.nextCursor
      } while (cursor !== null)
      const expected = ['0', '1', '2', '3', '4', '5', '6']
      expect(seen).toEqual(order === 'oldest' ? expected : expected.toReversed())
    }
    await refusal(turns({ cursor: 'x' }), 'INVALID_ARGUMENT')
  })

  test('turns are no memories of a list or of a search without filters', async () => {
    const { append, keys, found, settled, set } = await openTalk()
    await set({ key: 'user/city', value: 'Alice lives in Berlin.' })
    await append([turn('1', 'Yes, I live in Berlin.', { role: 'user' })])
    await settled()
    expect(await keys()).toEqual(['user/city'])
    expect(await keys({ keyPrefix: '~turns/' })).toEqual(['~turns/monday/1'])
    expect(await found('who lives in Berlin?')).toEqual(['user/city'])
    expect(await found('who lives in Berlin?', { minConfidence: 0.1 })).toEqual(['user/city'])
    expect(await found('who lives in Berlin?', { type: '~turn' })).toEqual(['~turns/monday/1'])
  })
})

describe('recalling', () => {
  const said = [
    turn('1', 'Good morning!', { speaker: 'Bot' }),
    turn('2', 'Which instrument do you practise these days?', { speaker: 'Bot' }),
    turn('3', 'The cello, mostly after work.', { speaker: 'Ana' }),
    turn('4', 'That is lovely.', { speaker: 'Bot' }),
    { ...turn('5', 'The weather is dull in Bergen.', { speaker: 'Ana' }), session: 'tuesday' },
  ]

  test('finds at once by words, and an answer beside its question', async () => {
    const { append, recall } = await openTalk()
    await append(said)
    const { hits, abstained } = await recall('which instrument does she practise?')
    expect(abstained).toBe(false)
    expect(hits[0]).toMatchObject({ turnId: '2', before: { turnId: '1' }, after: { turnId: '3' } })
    expect(hits.map(({ turnId }) => turnId)).toContain('3')
    const answer = hits.find(({ turnId }) => turnId === '3')
    expect(answer?.lent).toBeGreaterThan(0)
  })

  test('a speaker is found by name, and neighbours stay within their session', async () => {
    const { append, recall, settled } = await openTalk()
    await append(said)
    await settled()
    const { hits } = await recall('weather in Bergen')
    expect(hits[0]).toMatchObject({ turnId: '5', before: null, after: null })
    expect((await recall('Ana', { session: 'monday' })).hits[0]?.turnId).toBe('3')
  })

  test('says honestly when there is nothing', async () => {
    const { recall } = await openTalk()
    expect(await recall('anything?')).toMatchObject({ hits: [], abstained: true, abstainCode: 'nothing_stored' })
    expect(await recall(' ')).toMatchObject({ hits: [], abstainCode: 'empty_query' })
  })
})

// By the time that the processor spends on it, which does not depend on what else the machine does.
test('ten thousand turns are appended in a moment', async () => {
  const { append, turns } = await openTalk()
  const many = Array.from({ length: 10_000 }, (_, i) => turn(`${i}`, `Turn ${i}: we spoke of the plan for day ${i % 90}.`))
  const started = process.cpuUsage()
  expect((await append(many)).appended).toBe(10_000)
  const { user, system } = process.cpuUsage(started)
  expect((user + system) / 1000).toBeLessThan(15_000)
  expect((await turns({ limit: 50 })).turns).toHaveLength(50)
}, 120_000)
