import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createStaticEmbedder } from '../../worker/adapters/static-embedder.js'
import { ALICE, MALLORY, open } from '../support/engine-calls.js'

const TABLE = readFileSync(new URL('../../model/static-256.bin', import.meta.url))

/** Memories judged with the embedder that ships. */
const openStatic = () => open({ embedder: createStaticEmbedder({ url: '/table', fetch: async () => new Response(TABLE) }) })

/** Writes statements one after the other, each under a key of its own, and answers with the verdicts. */
const write = async (memory: Awaited<ReturnType<typeof openStatic>>, ...statements: readonly string[]) => {
  const verdicts: string[] = []
  for (const [i, value] of statements.entries()) verdicts.push((await memory.set({ key: `s/${i}`, value })).verdict)
  return verdicts
}

describe('reported by users of other systems', () => {
  test('O1: the opposite of a taste is a conflict; both stay, and point to each other', async () => {
    const memory = await openStatic()
    const first = await memory.set({ key: 'a', value: 'Priya loves grapefruit juice.' })
    const second = await memory.set({ key: 'b', value: 'Priya hates grapefruit juice.' })
    expect(second).toMatchObject({ verdict: 'conflict', status: 'conflicted', peers: [{ key: 'a' }] })
    expect(await memory.get('a')).toMatchObject({ status: 'conflicted', conflictWith: [second.id] })
    expect(await memory.get('b')).toMatchObject({ status: 'conflicted', conflictWith: [first.id] })
    expect(await memory.found('grapefruit')).toEqual(['a', 'b'])
  })

  test('O2: another value of what there is one of refines, also when one letter differs', async () => {
    const memory = await openStatic()
    await memory.set({ key: 'a', value: 'The invoice contact is Tomas Reyl.' })
    const second = await memory.set({ key: 'b', value: 'The invoice contact is Tomas Royle.' })
    expect(second).toMatchObject({
      verdict: 'refines',
      peers: [{ key: 'a' }],
      explanation: { rule: 'another_value', because: expect.stringContaining('royle') },
      next: expect.stringContaining('a no longer holds'),
    })
  })

  test('O3: the same sentence again only counts', async () => {
    const memory = await openStatic()
    const key = 'keys/spare'
    const value = 'The spare key is in the blue tin.'
    const verdicts = []
    for (let i = 0; i < 3; i++) verdicts.push((await memory.set({ key, value })).verdict)
    expect(verdicts).toEqual(['clear', 'merge', 'merge'])
    expect(await memory.get(key)).toMatchObject({ value, reinforcementCount: 3, status: 'active' })
  })

  test.each([
    ['I live in Delhi.', 'I moved to Berlin.'],
    ['I live in Delhi.', 'I live in Rome.'],
    ['I live in Delhi.', 'I am living in Delhi.'],
    ['Ada works at Loom.', 'Ada works at Loom since May.'],
  ])(
    'under a key made from the statement, "%s" gives way to "%s", and no memory stands against itself',
    async (first, second) => {
      const memory = await openStatic()
      const { key, id } = await memory.set({ value: first })
      expect(await memory.set({ value: second })).toMatchObject({ key, id, verdict: 'clear', status: 'active', peers: [] })
      expect(await memory.get(key)).toMatchObject({ value: second, status: 'active', conflictWith: [], duplicateOf: null })
    },
  )

  test('O4: what is said of another is neither a correction nor a repeat', async () => {
    const memory = await openStatic()
    expect(await write(memory, 'My favourite composer is Fauré.', "My sister's favourite composer is Satie.")).toEqual([
      'clear',
      'clear',
    ])
    expect(await memory.get('s/0')).toMatchObject({ status: 'active' })
  })

  test.each([
    ['Use the retry queue for webhooks.', 'Do not forget to configure the retry queue for webhooks.'],
    ['The notebook is in the kitchen.', 'The cookbook is in the kitchen.'],
    ['We visit the lake in May.', 'We cannot wait to visit the lake in May.'],
    ['The rope has a knot.', 'The rope has a tight knot at its end.'],
    ['Coffee from the corner shop is good.', 'Nothing beats coffee from the corner shop.'],
  ])('O5: a reminder is no correction: %s / %s', async (a, b) => {
    const memory = await openStatic()
    expect(['clear', 'duplicate']).toContain((await write(memory, a, b))[1])
    expect(await memory.get('s/0')).toMatchObject({ status: 'active', confidence: 1 })
  })

  test.each([
    [
      'The passport renewal appointment is on 14 March at 10:40.',
      'The passport renewal appointment is on 15 March at 10:40.',
    ],
    ['The deposit is £1,250.', 'The deposit is £1,520.'],
    ['The app runs on version v2.14.3.', 'The app runs on version v2.14.8.'],
    ['The daily dose is 5 mg.', 'The daily dose is 5 g.'],
    ['The final score was 27:10.', 'The final score was 26:30.'],
  ])('O6: one digit is another value: %s / %s', async (a, b) => {
    const memory = await openStatic()
    expect(['refines', 'conflict']).toContain((await write(memory, a, b))[1])
    expect((await memory.get('s/1'))?.value).toBe(b)
  })

  test.each([
    ['Ada has two dogs in the garden.', 'Ada has 2 dogs in the garden.'],
    ['He finished third in the race.', 'He finished 3rd in the race.'],
    ['The hall seats 1,000 people.', 'The hall seats 1000 people.'],
  ])('O6: one value in two spellings is one: %s / %s', async (a, b) => {
    expect(['merge', 'duplicate']).toContain((await write(await openStatic(), a, b))[1])
  })

  test('O7: a fact that mentions what another is about retires nothing', async () => {
    const memory = await openStatic()
    const facts = ['The lab uses Beaker.', 'Beaker uses a Postgres store.', 'The Postgres store is in Oslo.']
    expect(await write(memory, ...facts)).toEqual(['clear', 'clear', 'clear'])
    for (const i of [0, 1, 2]) expect(await memory.get(`s/${i}`)).toMatchObject({ status: 'active' })
  })

  test('O9: of near-equal rows one is served, the others point to it, and saying them again changes nothing', async () => {
    const memory = await openStatic()
    const reminders = [
      'The wifi password is on the fridge door.',
      'The wifi password is on the fridge door now.',
      'The wi-fi password is on the fridge door.',
    ]
    await write(memory, ...reminders)
    expect(await memory.keys()).toEqual(['s/0'])
    const [{ id } = { id: '' }] = [await memory.get('s/0')].filter((row) => row !== null)
    for (const key of ['s/1', 's/2']) expect((await memory.history(key))[0]).toMatchObject({ duplicateOf: id })
    await write(memory, ...reminders)
    expect(await memory.keys()).toEqual(['s/0'])
  })
})

describe('a longer statement', () => {
  const GREENHOUSE =
    'The greenhouse behind the school, which the parents built two years ago with the help of a carpenter from the village, is heated to 18 °C in winter so that the lemon trees survive.'
  const NOTES = [
    'The swimming pool opens at seven on weekdays.',
    'Bashir lent the tent to Wren for the weekend.',
    'A school needs a caretaker who can repair a roof.',
  ]

  test.each([
    [GREENHOUSE.replace('built', 'constructed'), 'duplicate'],
    [GREENHOUSE.replace('18', '12'), 'conflict'],
    [GREENHOUSE.replace('is heated', 'is not heated'), 'conflict'],
    [
      'The greenhouse behind the school is for sale, since the parents who built it with a carpenter from the village found no teacher who would look after the lemon trees.',
      'clear',
    ],
  ])('meets the one that it repeats or contradicts: %s', async (later, verdict) => {
    const memory = await openStatic()
    await write(memory, ...NOTES, GREENHOUSE)
    expect(await memory.set({ key: 'later', value: later })).toMatchObject({ verdict })
  })

  test('meets what somebody else has written only where it may be read', async () => {
    const memory = await openStatic()
    await memory.set({ key: 'greenhouse', value: GREENHOUSE }, MALLORY)
    expect(await memory.set({ key: 'later', value: GREENHOUSE.replace('18', '12') })).toMatchObject({ verdict: 'clear' })
  })

  test('is compared with a document by nothing but its words', async () => {
    const memory = await openStatic()
    const document = Array.from({ length: 6 }, () => GREENHOUSE).join(' ')
    expect(await write(memory, document, GREENHOUSE.replace('18', '12'), document.replace('18', '12'))).toEqual([
      'clear',
      'clear',
      'clear',
    ])
  })
})

describe('a conflict', () => {
  const LOVES = 'Priya loves grapefruit juice.'
  const HATES = 'Priya hates grapefruit juice.'

  test('ends when one side is corrected, or deleted', async () => {
    const memory = await openStatic()
    await write(memory, LOVES, HATES)
    await memory.set({ key: 's/1', value: 'Priya hates cold soup.' })
    expect(await memory.get('s/0')).toMatchObject({ status: 'active', conflictWith: [] })
    expect(await memory.get('s/1')).toMatchObject({ status: 'active', conflictWith: [] })
    await memory.set({ key: 's/1', value: HATES })
    expect(await memory.get('s/0')).toMatchObject({ status: 'conflicted' })
    await memory.remove('s/1')
    expect(await memory.get('s/0')).toMatchObject({ status: 'active', conflictWith: [] })
    expect(await memory.restore('s/1')).toMatchObject({ status: 'active' })
  })

  test.each([{ tags: ['home'] }, { ttlSeconds: 60 }, { confidence: 0.5 }])(
    'stays when more is said of the same value: %o',
    async (more) => {
      const memory = await openStatic()
      const first = await memory.set({ key: 'a', value: 'Priya loves grapefruit juice.' })
      const second = await memory.set({ key: 'b', value: 'Priya hates grapefruit juice.' })
      await memory.set({ key: 'a', value: 'Priya loves grapefruit juice.', ...more })
      expect(await memory.get('a')).toMatchObject({ status: 'conflicted', conflictWith: [second.id] })
      expect(await memory.get('b')).toMatchObject({ status: 'conflicted', conflictWith: [first.id] })
    },
  )

  test('ends when one side becomes a memory of another type', async () => {
    const memory = await openStatic()
    await memory.set({ key: 'a', value: 'Priya loves grapefruit juice.' })
    await memory.set({ key: 'b', value: 'Priya hates grapefruit juice.' })
    await memory.update({ key: 'a', type: 'quote' })
    for (const key of ['a', 'b']) expect(await memory.get(key)).toMatchObject({ status: 'active', conflictWith: [] })
  })

  test('of three ways is marked on all of them', async () => {
    const memory = await openStatic()
    await write(memory, 'The deposit is 500 euros.', 'The deposit is 600 euros.', 'The deposit is 700 euros.')
    const third = await memory.get('s/2')
    expect(third?.conflictWith).toHaveLength(2)
    for (const key of ['s/0', 's/1']) expect((await memory.get(key))?.conflictWith).toHaveLength(2)
  })

  test('is found by a dry run, which marks nothing', async () => {
    const memory = await openStatic()
    await write(memory, LOVES)
    expect(await memory.set({ key: 's/1', value: HATES, dryRun: true })).toMatchObject({ verdict: 'conflict', dryRun: true })
    expect(await memory.get('s/0')).toMatchObject({ status: 'active' })
    expect(await memory.get('s/1')).toBeNull()
  })

  test('never arises between two users, and a shared row is not marked by one of them', async () => {
    const memory = await openStatic()
    await memory.set({ key: 'a', value: LOVES }, MALLORY)
    expect(await memory.set({ key: 'a', value: HATES }, ALICE)).toMatchObject({ verdict: 'clear', peers: [] })
    await memory.set({ key: 'shared', value: 'The kitchen light works.' }, {})
    const own = await memory.set({ key: 'b', value: 'The kitchen light does not work.' }, ALICE)
    expect(own).toMatchObject({ verdict: 'conflict', status: 'conflicted' })
    expect(await memory.get('shared', {})).toMatchObject({ status: 'active', conflictWith: [] })
  })

  test('is told to live queries of both rows, by the change event', async () => {
    const memory = await openStatic()
    await write(memory, LOVES, HATES)
    expect(memory.events.map(({ key }) => key)).toEqual(['s/0', 's/1', 's/0'])
  })

  test('is found in bulk as well', async () => {
    const memory = await openStatic()
    const { results } = await memory.bulk([
      { key: 'a', value: LOVES },
      { key: 'b', value: HATES },
    ])
    expect(results).toMatchObject([{ verdict: 'clear' }, { verdict: 'conflict' }])
    expect(await memory.get('a')).toMatchObject({ status: 'conflicted' })
  })
})
