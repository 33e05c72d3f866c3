import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tokensOf } from '../../src/domain/asking/packing.js'
import type { CountQuestion, PackResult } from '../../src/schema/packing.js'
import { ALICE, type Fields, MALLORY, open, refusal } from '../support/engine-calls.js'

const openPacking = async () => {
  const memory = await open()
  return {
    ...memory,
    pack: (query: string, more: Fields = {}, scope = ALICE) =>
      memory.call<PackResult>('context.pack', { query, ...more }, scope),
  }
}

const filled = async () => {
  const memory = await openPacking()
  await memory.set({ key: 'user/diet', value: 'Alice eats no meat at dinner.' })
  await memory.set({ key: 'user/wine', value: 'Alice drinks red wine with dinner.' })
  await memory.set({ key: 'name', value: 'Alice Okafor', type: 'profile' })
  const turns = ['What shall we have for dinner?', 'Something quick.'].map((text, i) => ({
    id: `${i + 1}`,
    session: 't',
    text,
  }))
  await memory.call('conversations.append', { turns }, ALICE)
  await memory.set({ key: 'plan', value: 'Dinner is at seven.', type: 'decision' })
  return memory
}

const keysOf = ({ sections }: PackResult) =>
  Object.fromEntries(sections.map(({ name, memories }) => [name, memories.map(({ key }) => key)]))

test('a block has a section for each kind, each memory as quoted data under its key', async () => {
  const memory = await filled()
  const packed = await memory.pack('dinner')
  expect(keysOf(packed)).toEqual({
    working: [],
    profile: ['name'],
    facts: expect.arrayContaining(['user/diet', 'user/wine']),
    turns: ['~turns/t/2', '~turns/t/1'],
    knowledge: [],
    decisions: ['plan'],
  })
  expect(packed).toMatchObject({ leftOut: 0, unattested: 0, overBudget: false, tokenBudget: 1_000 })
  const lines = packed.text.split('\n')
  expect(lines[0]).toMatch(/^<memories [0-9a-f]{24}>$/)
  expect(lines.at(-1)).toBe((lines[0] as string).replace('<', '</'))
  expect(lines.filter((line) => !line.startsWith('|') && !line.includes(' · '))).toEqual([
    lines[0],
    '## Profile',
    '## Facts',
    '## Recent turns',
    '## Decisions',
    lines.at(-1),
  ])
  expect(packed.text).toContain('name · 2026-01-01 · asserted\n| Alice Okafor\n')
  // The newest turn is wanted most, and read last.
  expect(packed.text.indexOf('Something quick')).toBeGreaterThan(packed.text.indexOf('What shall we'))
  expect(packed.tokens).toBeGreaterThanOrEqual(tokensOf(packed.text))
})

test('working values are always in, and documents by what they say', async () => {
  const memory = await openPacking()
  await memory.call('working.set', { name: 'plan', value: 'Shop, then cook.'.repeat(20) }, ALICE)
  await memory.call(
    'knowledge.add',
    { document: 'book', content: '# Dinner\n\nDinner is best eaten early.', format: 'markdown' },
    ALICE,
  )
  const packed = await memory.pack('dinner', { tokenBudget: 50 })
  expect(keysOf(packed)).toMatchObject({ working: ['~working/plan'], knowledge: [] })
  expect(packed.overBudget).toBe(true)
  expect(keysOf(await memory.pack('dinner', { onlySections: ['knowledge'] }))).toEqual({
    knowledge: [expect.stringContaining('~knowledge/book/')],
  })
})

test('sections can be put in another order, narrowed and limited', async () => {
  const memory = await filled()
  const order = async (more: Fields) => {
    const { text } = await memory.pack('dinner', more)
    return text.split('\n').filter((line) => line.startsWith('##'))
  }
  expect(await order({ blockOrder: ['decisions', 'facts'] })).toEqual([
    '## Decisions',
    '## Facts',
    '## Profile',
    '## Recent turns',
  ])
  expect(await order({ onlySections: ['turns'] })).toEqual(['## Recent turns'])
  const packed = await memory.pack('dinner', { sectionBudgets: { turns: 25 } })
  expect(packed.sections.find(({ name }) => name === 'turns')).toMatchObject({
    memories: [{ key: '~turns/t/2' }],
    leftOut: 1,
  })
  expect(packed.text).toContain('\n(1 more did not fit)\n</memories')
})

test('what comes from a page waits until a person attests it, and what another user said is not there', async () => {
  const memory = await openPacking()
  await memory.set({ key: 'page', value: 'The dinner club meets on Fridays.', sourceClass: 'external' })
  await memory.set({ key: 'other', value: 'Mallory hates dinner.' }, MALLORY)
  expect(await memory.pack('dinner')).toMatchObject({ text: '', tokens: 0, unattested: 1 })
  await memory.call('memory.verify', { key: 'page' }, { ...ALICE, actor: 'human:ada' })
  const { text } = await memory.pack('dinner')
  expect(text).toContain('| The dinner club meets on Fridays.')
  expect(text).not.toContain('Mallory')
})

test('of a long value the sentences around what was found go in', async () => {
  const memory = await openPacking()
  const filler = Array.from({ length: 60 }, (_, i) => `Paragraph ${i} tells of the weather on day ${i}.`)
  const value = [...filler.slice(0, 30), 'The spare key lies under the blue pot.', ...filler.slice(30)].join(' ')
  await memory.set({ key: 'notes', value })
  const { text } = await memory.pack('Where is the spare key, under which pot?')
  expect(text).toContain('| The spare key lies under the blue pot.')
  expect(text.length).toBeLessThan(900)
})

test('the page may count tokens itself, and counts anew what has changed meanwhile', async () => {
  const memory = await filled()
  const ask = (more: Fields = {}) => memory.pack('dinner', { countTokens: true, tokenBudget: 60, ...more })
  const { countQuestion } = (await ask()) as unknown as CountQuestion
  const counts = countQuestion.texts.map(() => 9)
  const packed = await ask({ counted: { ...countQuestion.counted, counts } })
  // A frame of ten, and as much for each heading and each memory.
  expect(packed.tokens).toBe(60)
  expect(keysOf(packed)).toMatchObject({ profile: ['name'], decisions: [] })
  await memory.set({ key: 'user/diet', value: 'Alice eats fish at dinner.' })
  const again = (await ask({ counted: { ...countQuestion.counted, counts } })) as unknown as CountQuestion
  expect(again.countQuestion.counted.rounds).toBe(2)
  const given = { ...again.countQuestion.counted, counts: [], rounds: 3 }
  expect((await ask({ counted: given })).advisories).toEqual([expect.stringContaining('estimated')])
})

test('a block is never longer than its budget, as tokens are estimated', async () => {
  const memory = await filled()
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 50, max: 400 }), async (tokenBudget) => {
      const { text, tokens, sections, leftOut } = await memory.pack('dinner', { tokenBudget })
      expect(tokensOf(text)).toBeLessThanOrEqual(tokens)
      expect(tokens).toBeLessThanOrEqual(tokenBudget)
      expect(sections.reduce((sum, one) => sum + one.memories.length, 0) + leftOut).toBe(6)
    }),
    { numRuns: 20 },
  )
})

test.each([
  [{}, 'query'],
  [{ query: 'a', tokenBudget: 10 }, 'tokenBudget'],
  [{ query: 'a', onlySections: [] }, 'onlySections'],
  [{ query: 'a', blockOrder: ['facts', 'facts'] }, 'blockOrder'],
  [{ query: 'a', sectionBudgets: { facts: -1 } }, 'sectionBudgets.facts'],
  [{ query: 'a', sectionBudgets: { others: 1 } }, 'sectionBudgets.others'],
])('refuses %j', async (input, path) => {
  const memory = await openPacking()
  const { issues } = await refusal(memory.call('context.pack', input, ALICE), 'INVALID_ARGUMENT')
  expect(issues?.[0]?.path).toBe(path)
})
