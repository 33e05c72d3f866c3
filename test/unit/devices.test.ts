import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Db, System } from '../../worker/ports.js'
import {
  raiseTerm,
  readCounters,
  readMeta,
  rowOf,
  settleDevice,
  takeRowNumber,
  writeMeta,
} from '../../worker/store/devices.js'
import { migrate } from '../../worker/store/migrate.js'
import { sql } from '../../worker/store/sql.js'
import { createTestSystem, openTestDb } from '../support/engine.js'
import { openTestStore, plant, plantForStrangers, valueOf } from '../support/store.js'

const JANUARY = Date.UTC(2026, 0, 1)

const openDevices = async (): Promise<{ readonly db: Db; readonly system: System }> => {
  const db = await openTestDb()
  migrate(db)
  return { db, system: createTestSystem(JANUARY) }
}

describe('facts about the file', () => {
  test('are kept by name, the last one wins, of any type', async () => {
    const { db } = await openDevices()
    writeMeta(db, 'other', 'untouched')
    expect(readMeta(db, 'clean')).toBeNull()
    for (const value of [1, 'text', null, Uint8Array.of(7), 2n ** 60n]) {
      writeMeta(db, 'clean', value)
      expect(readMeta(db, 'clean')).toEqual(value)
    }
    expect(readMeta(db, 'other')).toBe('untouched')
  })

  test('the term rises with each opening', async () => {
    const { db } = await openDevices()
    expect([raiseTerm(db), raiseTerm(db), raiseTerm(db)]).toEqual([1, 2, 3])
    expect(readMeta(db, 'term')).toBe(3)
  })
})

describe('the device', () => {
  test('is made once and stays while the copy outside agrees', async () => {
    const { db, system } = await openDevices()
    const made = settleDevice(db, system, null)
    expect(made.deviceId).toMatch(/^[0-9a-f]{16}$/)
    expect(settleDevice(db, system, made.deviceId)).toEqual(made)
    expect(valueOf(db, sql`select count(*) from devices`)).toBe(1)
  })

  test.each([
    ['another', '0123456789abcdef'],
    ['no', null],
  ])('is a new one, counting from one, when %s copy stands outside', async (_, outside) => {
    const store = await openTestStore()
    plantForStrangers(store, {})
    const { db, system } = store
    const before = db.all(sql`select * from devices`)
    const renewed = settleDevice(db, system, outside)
    expect(renewed.dev).not.toBe(store.device.dev)
    expect(renewed.deviceId).not.toBe(store.device.deviceId)
    expect(readCounters(db, renewed).dseq).toBe(0)
    expect(db.all(sql`select * from devices where dev <> ${renewed.dev}`)).toEqual(before)
    expect(settleDevice(db, system, renewed.deviceId)).toEqual(renewed)
  })

  test('that is new goes on above every version of the old one', async () => {
    const store = await openTestStore()
    const last = plant(store, { nowMs: JANUARY + 3_600_000 })
    const { db, system } = store
    const renewed = settleDevice(db, system, null)
    const { ver, rowId } = takeRowNumber(db, renewed, readCounters(db, renewed), JANUARY, [])
    expect(ver > last.ver).toBe(true)
    expect(rowId).toBe(`${renewed.deviceId}.1`)
  })
})

describe('counters', () => {
  test('have no gaps, whatever was rolled back or rehearsed in between', async () => {
    const outcome = fc.constantFrom('commit', 'throw', 'rehearse', 'refuse')
    const store = await openTestStore()
    const fail = (): never => {
      throw new Error('rolled back')
    }
    fc.assert(
      fc.property(fc.array(outcome, { maxLength: 8 }), (outcomes) => {
        for (const wanted of outcomes) {
          const take = () => takeRowNumber(store.db, store.device, store.counters, JANUARY, [])
          if (wanted === 'commit') plant(store, {})
          if (wanted === 'rehearse') store.write(take, { rehearse: true })
          if (wanted === 'throw') expect(() => store.write(() => [take(), take(), fail()])).toThrow('rolled back')
          if (wanted === 'refuse') expect(() => store.write(fail)).toThrow('rolled back')
        }
        const numbers = store.db.all<{ dseq: number; row: number }>(sql`select row, dseq from versions order by row`)
        expect(numbers).toEqual(numbers.map((_, i) => ({ row: rowOf(store.device.dev, i + 1), dseq: i + 1 })))
        expect(readCounters(store.db, store.device)).toEqual(store.counters)
      }),
      { numRuns: 25 },
    )
  })

  test('rise when the clock is set back, and across openings', async () => {
    const store = await openTestStore()
    const first = plant(store, { nowMs: JANUARY })
    const second = plant(store, { nowMs: JANUARY - 86_400_000 })
    expect(second.ver > first.ver).toBe(true)
    const again = await openTestStore({ db: store.db, system: store.system, deviceIdOutside: store.device.deviceId })
    const third = plant(again, { nowMs: JANUARY - 2 * 86_400_000 })
    expect(third.ver > second.ver).toBe(true)
    expect([first.dseq, second.dseq, third.dseq]).toEqual([1, 2, 3])
  })

  test('never give a memory or passage number twice, also when what had it is gone', async () => {
    const store = await openTestStore()
    plantForStrangers(store, {})
    const last = plant(store, {})
    store.db.run(sql`delete from heads where memory = ${last.memory}`)
    const counters = readCounters(store.db, store.device)
    expect(counters.memory).toBe(last.memory)
    expect(counters.dseq).toBe(last.dseq)
    store.db.run(
      sql`insert into vector_blocks (embedder, first, last, passages, memories, identities, scales, codes)
        values (1, 1, 900, x'', x'', x'', x'', x'')`,
    )
    expect(readCounters(store.db, store.device).passage).toBe(900)
  })
})
