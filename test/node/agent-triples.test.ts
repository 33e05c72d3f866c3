import { describe, expect, test } from 'vitest'
import type { AgentMemory } from '../../src/agent/main.js'
import { openAgent } from '../support/agent.js'

const objects = async (found: ReturnType<AgentMemory['facts']['query']>) => (await found).map(({ object }) => object)

describe('triples', () => {
  test('are found by any spelling of their predicate, at the time they held', async () => {
    const { facts } = (await openAgent()).agent
    const of = { user: 'ada', subject: 'Ada', singleValued: true }
    await facts.add({ ...of, predicate: 'livesIn', object: 'Berlin', validFrom: '2020-01-01T00:00:00Z' })
    await facts.add({ ...of, predicate: 'lives_in', object: 'Porto', validFrom: '2024-01-01T00:00:00Z' })
    // What is learned late about earlier ends nothing newer.
    await facts.add({ ...of, predicate: 'Lives In', object: 'Lyon', validFrom: '2022-01-01T00:00:00+02:00' })
    const at = (asOf: string | null) => objects(facts.query({ user: 'ada', subject: 'ada', predicate: 'LIVES-IN', asOf }))
    expect(await at('2019-06-01T00:00:00Z')).toEqual([])
    expect(await at('2020-06-01T00:00:00Z')).toEqual(['Berlin'])
    expect(await at('2023-06-01T00:00:00Z')).toEqual(['Lyon'])
    expect(await at(null)).toEqual(['Berlin', 'Lyon', 'Porto'])
    expect(await objects(facts.query({ user: 'ada' }))).toEqual(['Porto'])
    expect(await objects(facts.query({ user: 'bo', asOf: null }))).toEqual([])
    expect(await facts.query({ user: 'ada' })).toMatchObject([{ predicate: 'lives in', said: 'lives_in', single: true }])
  })

  test('with many objects stand side by side until one is closed, as it was known then', async () => {
    const { facts } = (await openAgent()).agent
    const add = (object: string) =>
      facts.add({ user: 'ada', subject: 'Ada', predicate: 'likes', object, validFrom: '2020-01-01T00:00:00Z' })
    const tea = await add('tea')
    await add('coffee')
    expect(await objects(facts.query({ user: 'ada' }))).toEqual(['tea', 'coffee'])
    const before = new Date().toISOString()
    await new Promise((resume) => setTimeout(resume, 5))
    expect(await facts.close(tea.id, { user: 'ada', at: '2025-01-01T00:00:00Z' })).toMatchObject({
      validUntil: Date.UTC(2025, 0, 1),
    })
    expect(await objects(facts.query({ user: 'ada' }))).toEqual(['coffee'])
    expect(await objects(facts.query({ user: 'ada', asOf: '2024-12-31T23:59:59Z' }))).toEqual(['tea', 'coffee'])
    expect(await objects(facts.query({ user: 'ada', recordedBy: before }))).toEqual(['tea', 'coffee'])
    expect(await objects(facts.query({ user: 'ada', recordedBy: '2001-01-01T00:00:00Z' }))).toEqual([])
    expect(await objects(facts.query({ user: 'ada', object: 'COFFEE' }))).toEqual(['coffee'])
    await expect(facts.close(tea.id, { user: 'bo' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(facts.close('nothing', { user: 'ada' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('take from the namespace whether a subject has one or many', async () => {
    const { agent, memory } = await openAgent()
    await memory.namespaces.register({ attributes: [{ attribute: 'team mascot', cardinality: 'one' }] })
    const add = (predicate: string, object: string, year: number) =>
      agent.facts.add({ user: 'ada', subject: 'Team', predicate, object, validFrom: `${year}-01-01T00:00:00Z` })
    await add('teamMascot', 'heron', 2020)
    await add('Team_Mascot', 'otter', 2021)
    await add('colour', 'blue', 2020)
    await add('colour', 'white', 2021)
    expect(await objects(agent.facts.query({ user: 'ada' }))).toEqual(['blue', 'otter', 'white'])
  })

  test('are refused where a part is missing, or times make no sense', async () => {
    const { facts } = (await openAgent()).agent
    const good = { user: 'ada', subject: 'Ada', predicate: 'likes', object: 'tea' }
    for (const wrong of [
      { user: '' },
      { user: '*' },
      { subject: ' ' },
      { predicate: '--' },
      { object: 7 },
      { validFrom: '2020' },
      { validFrom: 'yesterday' },
      { validFrom: '2020-01-01T00:00:00Z', validUntil: '2019-01-01T00:00:00Z' },
    ])
      await expect(facts.add({ ...good, ...wrong } as never), JSON.stringify(wrong)).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      })
    const { id } = await facts.add(good)
    await expect(facts.close(id, { user: 'ada', at: '2001-01-01T00:00:00Z' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
    await expect(facts.query({ user: 'ada', asOf: 'now' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
})
