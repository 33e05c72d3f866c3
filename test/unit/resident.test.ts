import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HIDDEN_FROM_UNFILTERED } from '../../src/domain/memory-type.js'
import { SERVED } from '../../src/domain/version.js'
import { loadResident } from '../../worker/store/resident.js'
import { loadMatrix } from '../../worker/store/vectors.js'
import { axis, DIMS, openTestStore, plant, plantForStrangers } from '../support/store.js'

test('what is offered after loading is what was offered before', async () => {
  const store = await openTestStore()
  const heads = (['active', 'conflicted', 'duplicate', 'superseded', 'proposed', 'rejected', 'tombstoned'] as const).flatMap(
    (status) =>
      ['semantic', 'reflection', '~turn', '~section'].flatMap((type) => [
        ...plantForStrangers(store, { status, type }),
        plant(store, { key: `${status}/${type}`, status, type, vectors: [axis(1)] }),
      ]),
  )
  const loaded = loadResident(store.db)
  loaded.useMatrix(loadMatrix(store.db, store.embedder.number, DIMS))
  for (const { memory, body } of heads) {
    const offered = ['active', 'conflicted'].includes(body.status) && ['semantic', '~section'].includes(body.type)
    expect(store.resident.isOffered(memory)).toBe(offered)
    expect(loaded.isOffered(memory)).toBe(offered)
    for (const { isWeighed } of [store.resident, loaded]) expect(isWeighed(memory)).toBe(offered && body.type === 'semantic')
  }
  expect(loaded.matrix.size()).toBe(store.resident.matrix.size())
})

test('going back to a mark restores every offer since', async () => {
  const store = await openTestStore()
  const [stranger] = plantForStrangers(store, {})
  const offers = fc.array(fc.tuple(fc.integer({ min: 100, max: 105 }), fc.boolean(), fc.boolean()), { maxLength: 12 })
  fc.assert(
    fc.property(offers, offers, (before, undone) => {
      const resident = loadResident(store.db)
      for (const offer of before) resident.offer(...offer)
      const stands = () =>
        [100, 101, 102, 103, 104, 105].map((memory) => [resident.isOffered(memory), resident.isWeighed(memory)])
      const stood = stands()
      const mark = resident.mark()
      for (const offer of undone) resident.offer(...offer)
      resident.backTo(mark)
      expect(stands()).toEqual(stood)
      expect(resident.isOffered(stranger?.memory ?? 0)).toBe(true)
      const last = new Map(before.map(([memory, offered]) => [memory, offered]))
      for (const [memory, offered] of last) expect(resident.isOffered(memory)).toBe(offered)
    }),
  )
})

test('what the index of the withheld spells out is what the domain says', () => {
  expect([SERVED, HIDDEN_FROM_UNFILTERED]).toEqual([
    ['active', 'conflicted'],
    ['reflection', '~turn', '~digest'],
  ])
})
