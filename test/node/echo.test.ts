import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ECHO_MS, MOST_SERVED, watermarksOf } from '../../src/domain/echo.js'
import type { Learned } from '../../src/schema/learning.js'
import type { ScopePatch } from '../../src/schema/scope.js'
import type { Engine } from '../../worker/operations/context.js'
import { echoRefusal, noteServed, wasServed } from '../../worker/operations/echo/served.js'
import { noteServedHashes } from '../../worker/store/served.js'
import { sql } from '../../worker/store/sql.js'
import { openStore } from '../../worker/store/store.js'
import { createTestSystem, openTestDb } from '../support/engine.js'
import { ALICE, DAY, MALLORY, open, refusal } from '../support/engine-calls.js'

const SAID = 'The ferry to the island leaves at nine in the morning.'

const openServing = async () => {
  const system = createTestSystem()
  const store = openStore(await openTestDb(), system, null)
  const engine = { store, inOrder: (work: () => Promise<unknown>) => work() } as unknown as Engine
  const contextOf = (scope: ScopePatch) => ({
    scope,
    acceptedAt: system.now(),
    forwarded: null,
    signal: new AbortController().signal,
  })
  return {
    store,
    system,
    serve: (texts: readonly string[], scope: ScopePatch = ALICE) => noteServed(engine, contextOf(scope), texts),
    served: (text: string, scope: ScopePatch = ALICE) => wasServed(engine, contextOf(scope), text),
    refusal: (sourceClass: 'extracted' | 'observed' | 'asserted' | 'imported') =>
      echoRefusal(engine, contextOf(ALICE), { sourceClass, value: SAID }),
    rows: () => store.db.get<{ n: number }>(sql`select count(*) as n from served_sentences`)?.n,
  }
}

describe('what was handed out', () => {
  test('is known again, sentence by sentence, whatever its case, punctuation and citations', async () => {
    const memory = await openServing()
    await memory.serve([`${SAID} Bring a coat, since it is windy out there.`])
    expect(memory.served('the ferry to the island leaves at nine in the morning')).toBe(true)
    expect(
      memory.served(
        'Bring a coat since it is WINDY out there [2]. The ferry to the island leaves at nine in the morning! [1]',
      ),
    ).toBe(true)
    expect(memory.served(`${SAID} It is painted blue and white all over.`)).toBe(false)
    expect(memory.served('The ferry to the island leaves at ten in the morning.')).toBe(false)
    expect(memory.served('')).toBe(false)
    expect(memory.rows()).toBe(2)
  })

  test('is what nobody says by chance', async () => {
    const memory = await openServing()
    await memory.serve(['Yes, thanks.', 'Monday!', '\u597d\u7684'])
    expect(memory.rows()).toBe(0)
    await memory.serve(['\u53bb\u5c9b\u4e0a\u7684\u6e21\u8f6e\u65e9\u4e0a\u4e5d\u70b9\u51fa\u53d1\u3002'])
    expect(memory.served('\u53bb\u5c9b\u4e0a\u7684\u6e21\u8f6e\u65e9\u4e0a\u4e5d\u70b9\u51fa\u53d1')).toBe(true)
  })

  test('belongs to the person it was told, in any session and by any agent', async () => {
    const memory = await openServing()
    await memory.serve([SAID], { ...ALICE, session: 's', agent: 'a' })
    expect(memory.served(SAID, ALICE)).toBe(true)
    expect(memory.served(SAID, { ...ALICE, session: 't', agent: 'b' })).toBe(true)
    for (const other of [MALLORY, {}, { user: null }, { ...ALICE, namespace: 'n' }])
      expect(memory.served(SAID, other)).toBe(false)
    const everyone = 'The office is closed on the first of May.'
    await memory.serve([everyone], {})
    expect(memory.served(everyone, MALLORY)).toBe(true)
    await memory.serve(['This is read across all of the users.'], { user: '*' })
    await memory.serve(['This is read by nobody at all here.'], { user: '' })
    expect(memory.rows()).toBe(2)
  })

  test('is forgotten after 30 days, and what is too much before', async () => {
    const memory = await openServing()
    await memory.serve([SAID])
    memory.system.advance(29 * DAY)
    expect(memory.served(SAID)).toBe(true)
    memory.system.advance(2 * DAY)
    expect(memory.served(SAID)).toBe(false)
    await memory.serve(['Another sentence that takes its place in the store.'])
    expect(memory.rows()).toBe(1)
    const { db } = memory.store
    for (let i = 0; i < 4; i++)
      noteServedHashes(
        db,
        9,
        Array.from({ length: 10 }, (_, n) => i * 10 + n),
        { nowMs: i, since: i - ECHO_MS, most: 25 },
      )
    expect(db.all(sql`select min(hash) as least, count(*) as n from served_sentences where identity = 9`)).toEqual([
      { least: 10, n: 25 },
    ])
    expect(MOST_SERVED).toBeGreaterThan(1_000)
  })

  test('keeps from being learned, and from nothing else', async () => {
    const memory = await openServing()
    await memory.serve([SAID])
    for (const heard of ['extracted', 'observed'] as const)
      expect(memory.refusal(heard)).toMatchObject({ code: 'FORBIDDEN', details: { reason: 'echo' } })
    for (const said of ['asserted', 'imported'] as const) expect(memory.refusal(said)).toBeNull()
  })

  test('is kept as numbers alone, other ones in every store', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        const marks = watermarksOf(text, 'key')
        for (const mark of marks) expect(Number.isSafeInteger(mark)).toBe(true)
        expect(watermarksOf(text.toUpperCase().toLowerCase(), 'key')).toEqual(watermarksOf(text.toLowerCase(), 'key'))
      }),
    )
    expect(watermarksOf(SAID, 'a')).not.toEqual(watermarksOf(SAID, 'b'))
  })
})

test('a block for a prompt notes what it tells, but not what was said to the model', async () => {
  const memory = await open()
  await memory.set({ key: 'ferry', value: SAID })
  await memory.set({ key: 'turn', value: 'Which ferry shall I take to the island?', type: 'episodic' })
  await memory.call('context.pack', { query: 'ferry' }, ALICE)
  await memory.settled()
  expect(memory.db.get(sql`select count(*) as n from served_sentences`)).toEqual({ n: 1 })
})

test('what an app tells of memories is heard again as an echo while it is believed, and its own words always', async () => {
  const memory = await open()
  const learn = (text: string) =>
    memory.call<Learned>('memory.setFromMessages', { messages: [{ text, at: '2026-05-13T12:00:00Z' }] }, ALICE)
  const home = 'I live in a small house in Porto.'
  await learn(home)
  expect(await memory.call('context.told', { texts: [home, 'Yes.'] }, ALICE)).toMatchObject({ noted: 1 })
  expect((await learn(home)).refused).toMatchObject([{ why: 'echo' }])
  await memory.remove('user/home')
  expect((await learn(home)).written).toMatchObject([{ key: 'user/home' }])

  const style = 'My favourite answers are short and friendly ones.'
  await memory.call('context.told', { texts: [style], stored: false }, ALICE)
  expect((await learn(style)).refused).toMatchObject([{ why: 'echo' }])
  expect(
    (await memory.call<Learned>('memory.setFromMessages', { messages: [{ text: style }] }, MALLORY)).written,
  ).toHaveLength(1)
  await refusal(memory.call('context.told', { texts: [home] }, { user: '*' }), 'FORBIDDEN')
  await refusal(memory.call('context.told', { texts: [home] }, { user: '' }), 'INVALID_ARGUMENT')
})

test('an answer notes what it tells, a search does not', async () => {
  const memory = await open()
  await memory.set({ key: 'ferry', value: SAID })
  const rows = () => memory.db.get<{ n: number }>(sql`select count(*) as n from served_sentences`)?.n
  await memory.found('When does the ferry leave?')
  await memory.settled()
  expect(rows()).toBe(0)
  await memory.call('memory.ask', { question: 'When does the ferry leave?' }, ALICE)
  await memory.settled()
  expect(rows()).toBe(1)
})
