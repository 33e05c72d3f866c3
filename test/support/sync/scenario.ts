import fc from 'fast-check'
import type { RowContent } from '../../../src/domain/sync/sync-row.js'
import type { Core } from './core.js'
import { copyOf, createModelDevice, emptyKept, type ModelDevice } from './model-device.js'
import { createModelServer, type ModelRow, type ModelServer } from './model-server.js'
import { exchange, type Faults, NO_FAULTS } from './model-sync.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const BEGIN = Date.UTC(2026, 5, 1)

/** One step: what happens, on which device, and three numbers that choose the rest. */
export type Move = readonly [what: number, device: number, a: number, b: number, c: number]

export interface Scenario {
  /** By device, how far its clock is off at the start. */
  readonly clocks: readonly number[]
  readonly moves: readonly Move[]
}

const OFFSETS = [0, 0, 0, 3 * MINUTE, -2 * HOUR, 20 * HOUR, 30 * HOUR, -400 * DAY, 365 * DAY, 40 * DAY]
const KEYS = ['a', 'b', 'c']
const NC = 'n'
const WAITS = [1, 1_000, MINUTE, 10 * MINUTE, HOUR, 5 * HOUR, DAY, 8 * DAY]

export const scenarios = (maxMoves: number): fc.Arbitrary<Scenario> => {
  const byte = fc.nat(255)
  return fc.record({
    clocks: fc.array(fc.nat(OFFSETS.length - 1), { minLength: 2, maxLength: 8, size: 'max' }),
    moves: fc.array(fc.tuple(byte, byte, byte, byte, byte), { minLength: 5, maxLength: maxMoves, size: 'max' }),
  })
}

export interface World {
  readonly server: ModelServer
  readonly devices: ModelDevice[]
  /** Every write, as it was first made. */
  readonly written: Map<number, ModelRow>
  /** What devices with a right clock did wrong about time. */
  readonly contagion: string[]
  /** Tags whose text has to be gone: whoever erased or redacted it had it. */
  readonly removed: ReadonlySet<number>
  /** The server lost something. */
  readonly disturbed: boolean
  readonly settled: boolean
}

/** Plays a scenario, then lets every device exchange until nothing changes. */
export const play = (core: Core, { clocks, moves }: Scenario): World => {
  let now = BEGIN
  let newest = 0
  const newDev = (): string => (++newest).toString(16).padStart(16, '0')
  const server = createModelServer()
  const skews = clocks.map((pick) => OFFSETS[pick] as number)
  const honest = new Set<ModelDevice>()
  const devices = clocks.map((_, i) => {
    const device = createModelDevice(core, emptyKept(newDev()), newDev)
    if (skews[i] === 0) honest.add(device)
    return device
  })
  const written = new Map<number, ModelRow>()
  const contagion: string[] = []
  const removed = new Set<number>()
  // A profile is copied once, and not on a server that loses rows: what an id names is then beyond telling, as its loser may be gone.
  const copied = new Set<number>()
  let disturbed = false
  let serverSkew = 0
  const localNow = (i: number): number => now + (skews[i] as number)

  const write = (
    i: number,
    kind: string,
    key: string | null,
    more: Partial<ModelRow> & { readonly fresh?: boolean },
  ): void => {
    const device = devices[i] as ModelDevice
    const set = device.rows()
    const epochs = core.epochsOf(set)
    const place = { nc: NC, kc: key }
    const state =
      key === null
        ? null
        : core.stateOfKey(
            set.filter((row) => row.kc === key),
            epochs,
          )
    if (kind !== 'erase' && (core.erasedAt(epochs, place).blocked || state?.readOnly === true)) return
    const parents = state === null ? [] : [...state.heads.map(({ id }) => id), ...state.guard.heads].slice(0, 8)
    const epoch = core.erasedAt(epochs, place).epoch
    const kepoch = more.kepoch ?? epoch
    const tag = written.size
    const row = device.write(
      {
        kind,
        key: place,
        kepoch,
        // What is above the epoch that is known stands on nothing that is known.
        parents: kepoch > epoch ? [] : parents,
        human: more.human ?? false,
        target: more.target ?? null,
        content: more.content ?? null,
        poison: more.poison ?? false,
        tag,
      },
      localNow(i),
    )
    written.set(tag, row)
    for (const held of set) {
      const isErased = kind === 'erase' && (key === null || held.kc === key) && held.kind !== 'erase'
      // Of a copied profile the other one may have the text under an id that the redaction no longer names.
      if (isErased || (kind === 'redact' && held.id === row.target && copied.size === 0)) removed.add(held.tag)
    }
    // A parent from the future raises its key, which is as it should be.
    const bound = BigInt(now + 5 * MINUTE + 1) * 1_000_000n
    const above = row.parents.some((id) => (set.find((held) => held.id === id)?.ver ?? 0n) >= bound)
    if (honest.has(device) && device.kept.clock.offsetMs === 0 && !above && row.ver > bound)
      contagion.push(`${row.id} is of ${row.ver}, beyond ${bound}`)
  }

  const pick = <T>(from: readonly T[], n: number): T | undefined => (from.length === 0 ? undefined : from[n % from.length])
  const life = (n: number): RowContent => ({ of: 'life', sha256: `value ${n % 4}`, adds: 1 })

  const make = (i: number, [what, , a, b, c]: Move): void => {
    const device = devices[i] as ModelDevice
    const key = KEYS[a % KEYS.length] as string
    const human = b % 3 === 0
    const set = device.rows()
    const epochs = core.epochsOf(set)
    const values = set.filter(({ kind, kc }) => kind === 'set' && kc === key)
    switch (what % 16) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
        return write(i, 'set', key, { human, content: life(c), poison: b % 32 === 7 })
      case 5:
      case 6:
        return write(i, 'tomb', key, { human })
      case 7: {
        const { deleted } = core.stateOfKey(
          set.filter(({ kc }) => kc === key),
          epochs,
        )
        return deleted ? write(i, 'restore', key, { human, content: life(c) }) : undefined
      }
      case 8:
      case 9: {
        const lockMode = c % 4 === 0 ? 'read_only' : c % 4 === 1 ? 'no_delete' : null
        const lockUntil = c % 8 < 4 ? BigInt(localNow(i) + (WAITS[b % WAITS.length] as number)) * 1_000_000n : null
        return write(i, 'guard', key, { human, content: { of: 'guard', pinned: b % 4 !== 1, lockMode, lockUntil } })
      }
      case 10:
        if (c % 2 > 0) return
        return write(i, 'erase', key, {
          kepoch: core.nextKeyEpoch(
            epochs,
            { nc: NC, kc: key },
            set.filter(({ kc }) => kc === key),
          ),
          content: { of: 'erase', block: b % 8 === 0 },
        })
      case 11:
        if (c % 4 > 0) return
        return write(i, 'erase', null, {
          kepoch: core.nextNamespaceEpoch(epochs, NC, set),
          content: { of: 'erase', block: false },
        })
      case 12: {
        const target = pick(values, c)
        if (target === undefined) return
        return write(i, 'redact', key, { human, target: target.id, kepoch: core.redactionEpoch(epochs, target) })
      }
      case 13: {
        const all = set.filter(({ kind }) => kind === 'set')
        const [left, right] = [pick(all, b), pick(all, c)]
        if (left === undefined || right === undefined || left.id === right.id) return
        const verdict = (['conflict', 'clear', 'duplicate', 'refines'] as const)[a % 4] as 'clear'
        return write(i, 'verdict', null, { human, content: { of: 'verdict', pair: [left.id, right.id], verdict } })
      }
      case 14:
        return write(i, 'review', key, { human, content: { of: 'other' } })
      default:
        return write(i, c % 16 === 0 ? 'later-required' : c % 2 === 0 ? 'later' : 'policy', c % 2 === 0 ? key : null, {
          human,
          content: { of: 'other' },
        })
    }
  }

  const faultsOf = (a: number, b: number, c: number): Faults => ({
    pageSize: 1 + (a % 7),
    batchSize: 1 + (b % 5),
    pages: c % 4 === 0 ? 1 : c % 6 === 1 ? 0 : 20,
    batches: c % 5 === 0 ? 1 : 20,
    loseAck: a % 5 === 0,
    repeat: b % 4 === 0,
    reorder: b % 3 === 0,
    truncate: a % 4 === 0,
    ahead: c % 6 === 1,
  })
  const sync = (i: number, faults: Faults): boolean =>
    exchange(core, devices[i] as ModelDevice, server, { localNowMs: localNow(i), serverNowMs: now + serverSkew }, faults)

  for (const move of moves) {
    const [what, device, a, b, c] = move
    const i = device % devices.length
    now += WAITS[(a + b) % (c % 3 === 0 ? WAITS.length : 4)] as number
    if (what < 150) make(i, move)
    else if (what < 225) sync(i, faultsOf(a, b, c))
    else if (what < 238) {
      if (copied.size > 0) continue
      disturbed = true
      if (what < 235) server.setBack(a + b, c % 2 === 0)
      else server.wipe(c % 2 === 0)
    } else if (what < 244) {
      if (copied.has(i) || disturbed) continue
      copied.add(i).add(devices.length)
      devices.push(createModelDevice(core, copyOf((devices[i] as ModelDevice).kept), newDev))
      skews.push(skews[i] as number)
    } else if (what < 249) serverSkew = c % 2 === 0 ? 0 : -3 * DAY
    else {
      skews[i] = OFFSETS[a % OFFSETS.length] as number
      honest.delete(devices[i] as ModelDevice)
    }
  }

  serverSkew = 0
  let settled = false
  for (let round = 0; round < 40 && !settled; round++) {
    now += HOUR
    settled = devices.map((_, i) => sync(i, NO_FAULTS)).every((changed) => !changed)
  }
  return { server, devices, written, contagion, removed, disturbed, settled }
}
