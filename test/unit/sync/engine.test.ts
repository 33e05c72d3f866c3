import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type SyncState, startSync } from '../../../worker/sync/engine.js'
import { createExchange } from '../../../worker/sync/exchange.js'
import type { SyncStore } from '../../../worker/sync/store-port.js'
import type { Failure, Transport } from '../../../worker/sync/transport.js'
import { core } from '../../support/sync/core.js'
import { createModelDevice, emptyKept } from '../../support/sync/model-device.js'
import { createModelServer } from '../../support/sync/model-server.js'
import { asText } from '../../support/sync/oracles.js'
import { type Mishap, storeOf, transportOf, WIRE } from '../../support/sync/wire-model.js'

const LONG = process.env['LONG'] === '1'
const NOW = Date.UTC(2026, 5, 1)
const NC = 'namespace-namespace'
const KC = ['key-key-key-key-one', 'key-key-key-key-two']

interface Act {
  readonly what: 'set' | 'tomb' | 'erase' | 'sync' | 'set_back' | 'wipe'
  readonly device: number
  readonly key: number
}

const acts = fc.array(
  fc.record<Act>({
    what: fc.constantFrom('set', 'set', 'set', 'tomb', 'erase', 'sync', 'sync', 'sync', 'set_back', 'wipe'),
    device: fc.nat(2),
    key: fc.nat(1),
  }),
  { maxLength: 40, size: 'max' },
)
const mishaps = fc.array(fc.constantFrom<Mishap>('none', 'none', 'lost', 'unanswered', 'short'), {
  minLength: 1,
  maxLength: 60,
  size: 'max',
})

/** Three devices with engines of their own on one server. */
const createWorld = (pageSize: number, clockOff: number) => {
  let now = NOW
  let newest = 0
  let left: Mishap[] = []
  const newDev = (): string => (++newest).toString(16).padStart(16, '0')
  const server = createModelServer(WIRE)
  const devices = [0, clockOff, 0].map((off) => {
    const device = createModelDevice(core, emptyKept(newDev(), WIRE), newDev, WIRE)
    const store = storeOf(core, device, () => now + off)
    const exchange = createExchange(
      store,
      transportOf(
        server,
        () => now,
        () => left.shift() ?? 'none',
        pageSize,
      ),
    )
    return { device, store, exchange, localNow: () => now + off }
  })
  let tags = 0
  const write = (i: number, what: 'set' | 'tomb' | 'erase', kc: string): number => {
    const { device, localNow } = devices[i] as (typeof devices)[0]
    const held = device.rows().filter((row) => row.kc === kc)
    const epochs = core.epochsOf(device.rows())
    const place = { nc: NC, kc }
    const tag = tags++
    const isErasure = what === 'erase'
    device.write(
      {
        kind: what,
        key: place,
        kepoch: isErasure ? core.nextKeyEpoch(epochs, place, held) : core.erasedAt(epochs, place).epoch,
        parents: isErasure
          ? []
          : core
              .stateOfKey(held, epochs)
              .heads.map(({ id }) => id)
              .slice(0, 8),
        human: false,
        target: null,
        content:
          what === 'set'
            ? { of: 'life', sha256: `value ${tag}`, adds: 1 }
            : isErasure
              ? { of: 'erase', block: false }
              : null,
        poison: false,
        tag,
      },
      localNow(),
    )
    now += 1_000
    return tag
  }
  const settle = async (): Promise<void> => {
    left = []
    for (let round = 0; round < 6; round++) for (const { exchange } of devices) expect(await exchange()).toBeNull()
  }
  return { server, devices, write, settle, spoil: (next: readonly Mishap[]) => void (left = [...next]) }
}

describe('exchanges', () => {
  test('bring devices to one state through lost requests, lost answers, short pages and a server that forgets', async () => {
    await fc.assert(
      fc.asyncProperty(
        acts,
        mishaps,
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom(0, 365 * 86_400_000, -400 * 86_400_000),
        async (todo, bad, pageSize, clockOff) => {
          const world = createWorld(pageSize, clockOff)
          world.spoil(bad)
          const sets = new Set<number>()
          for (const { what, device, key } of todo)
            if (what === 'sync') await world.devices[device]?.exchange()
            else if (what === 'set_back') world.server.setBack(device + key, key === 0)
            else if (what === 'wipe') world.server.wipe(key === 0)
            else {
              const tag = world.write(device, what, KC[key] as string)
              if (what === 'set') sets.add(tag)
            }
          await world.settle()
          const states = world.devices.map(({ device }) => asText(core.stateOf(device.rows())))
          expect(new Set(states).size).toBe(1)
          for (const { device } of world.devices) {
            expect(device.kept.cursor.digest).toBe(world.server.head().digest)
            expect(device.kept.quarantine.size).toBe(0)
            const epochs = core.epochsOf(device.rows())
            const erased = [...epochs.keys.values()].length
            const here = new Set(device.rows().map(({ tag }) => tag))
            if (erased === 0) for (const tag of sets) expect(here.has(tag), `write ${tag}`).toBe(true)
          }
        },
      ),
      { numRuns: LONG ? 5_000 : 300 },
    )
  })

  test('read the heads first, so that a new device knows what stands before it knows the past', async () => {
    const { devices, write } = createWorld(1, 0)
    for (let i = 0; i < 5; i++) write(0, 'set', KC[0] as string)
    expect(await devices[0]?.exchange()).toBeNull()
    const taken: string[][] = []
    const { store, device } = devices[1] as (typeof devices)[1]
    const watched: SyncStore = {
      ...store,
      take: (rows, cursor) => (
        taken.push(rows.map(({ dseq }) => `${dseq}${cursor === null ? '?' : ''}`)), store.take(rows, cursor)
      ),
    }
    const server = createModelServer(WIRE)
    server.push(devices[0]?.device.rows() ?? [], NOW + 10_000)
    expect(
      await createExchange(
        watched,
        transportOf(
          server,
          () => NOW,
          () => 'none',
          2,
        ),
      )(),
    ).toBeNull()
    expect(taken).toEqual([['5?'], ['1', '2'], ['3', '4'], ['5']])
    expect(device.rows()).toHaveLength(5)
  })

  test('end, whatever a server says again and again', async () => {
    const { devices, server, write } = createWorld(5, 0)
    write(0, 'set', KC[0] as string)
    const good = transportOf(
      server,
      () => NOW,
      () => 'none',
      5,
    )
    const broken: Failure = { why: 'unreachable', status: 200, retryAfterMs: null }
    const [{ store }] = devices as [(typeof devices)[0]]
    let epoch = 0
    const restless: Transport = {
      ...good,
      pull: async () => ({
        value: { epoch: `${++epoch}`, head: 0, digest: '0'.repeat(64), gen: 0, now: NOW, rebase: 'epoch' },
      }),
    }
    expect(await createExchange(store, restless)()).toEqual(broken)
    const page = {
      epoch: 'e1',
      head: 9,
      digest: '0'.repeat(64),
      gen: 0,
      now: NOW,
      rows: [],
      cursor: 0,
      cursorDigest: '0'.repeat(64),
    }
    expect(await createExchange(store, { ...good, pull: async () => ({ value: { ...page, more: true } }) })()).toEqual(
      broken,
    )
    expect(
      await createExchange(store, {
        ...good,
        pull: async () => ({ value: { ...page, cursor: 4, cursorDigest: '1'.repeat(64), more: false } }),
      })(),
    ).toEqual(broken)
  })

  test('put a row that is too large alone into quarantine, and send the rest', async () => {
    const { devices, server, write } = createWorld(5, 0)
    const good = transportOf(
      server,
      () => NOW,
      () => 'none',
      1,
    )
    const big = write(0, 'set', KC[0] as string)
    write(0, 'set', KC[1] as string)
    const [{ store, device }] = devices as [(typeof devices)[0]]
    const narrow: Transport = {
      ...good,
      push: async (dev, rows) =>
        (rows[0] as unknown as { tag: number }).tag === big
          ? { failure: { why: 'refused', status: 413, error: 'too_large' } }
          : good.push(dev, rows),
    }
    expect(await createExchange(store, narrow)()).toBeNull()
    expect([...device.kept.quarantine]).toEqual([device.rows()[0]?.id])
    expect(server.rows()).toHaveLength(1)
  })
})

describe('the loop', () => {
  /** An engine on a server that fails as told, whose waits end when the test says so. */
  const start = (failures: (Failure | null)[]) => {
    const { devices, server, write } = createWorld(5, 0)
    const [{ store }] = devices as [(typeof devices)[0]]
    const good = transportOf(
      server,
      () => NOW,
      () => 'none',
      5,
    )
    const waits: { readonly ms: number; readonly end: () => void }[] = []
    const states: SyncState[] = []
    let seen: (() => void)[] = []
    const engine = startSync({
      store,
      transport: {
        ...good,
        heads: async (request) => {
          const failure = failures.shift() ?? null
          return failure === null ? good.heads(request) : { failure }
        },
      },
      chance: () => 0.5,
      wait: (ms, signal) =>
        new Promise((resolve) => {
          if (signal.aborted) return resolve()
          signal.addEventListener('abort', () => resolve())
          waits.push({ ms, end: resolve })
        }),
      tell: (state) => {
        states.push(state)
        for (const look of seen) look()
      },
    })
    const until = (state: SyncState['state'], count = 1): Promise<SyncState> =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = states.filter((one) => one.state === state)[count - 1]
          if (found === undefined) return
          seen = seen.filter((one) => one !== look)
          // The wait that follows is asked for in the same turn.
          setTimeout(() => resolve(found))
        }
        seen.push(look)
        look()
      })
    return { engine, waits, states, until, write, server }
  }
  const away = (retryAfterMs: number | null = null): Failure => ({ why: 'unreachable', status: 503, retryAfterMs })

  test('exchanges at once, then when something was written', async () => {
    const { engine, until, write, server } = start([])
    expect(await until('idle')).toEqual({ state: 'idle', failure: null, caughtUp: true })
    write(0, 'set', KC[0] as string)
    engine.wake()
    await until('idle', 2)
    expect(server.rows()).toHaveLength(1)
    await engine.stop()
  })

  test('waits longer with every failure, as long as the server asks, and not at all once somebody asks', async () => {
    const { engine, waits, until } = start([away(), away(), away(9_000), away()])
    expect(await until('waiting')).toEqual({ state: 'waiting', failure: away(), caughtUp: false })
    engine.wake()
    expect(waits.map(({ ms }) => ms)).toEqual([500])
    waits[0]?.end()
    await until('waiting', 2)
    waits[1]?.end()
    await until('waiting', 3)
    expect(waits.map(({ ms }) => ms)).toEqual([500, 1_000, 11_000])
    expect(await engine.now()).toMatchObject({ state: 'waiting' })
    await until('waiting', 4)
    expect(waits[3]?.ms).toBe(500)
    expect(await engine.now()).toEqual({ state: 'idle', failure: null, caughtUp: true })
    await engine.stop()
  })

  test.each<Failure>([
    { why: 'needs_auth' },
    { why: 'forbidden' },
    { why: 'version', min: 2, max: 2 },
    { why: 'refused', status: 400, error: 'x' },
  ])('tries nothing again by itself after $why', async (failure) => {
    const { engine, waits, until, states } = start([failure])
    expect(await until('halted')).toEqual({ state: 'halted', failure, caughtUp: false })
    engine.wake()
    expect(waits.map(({ ms }) => ms)).toEqual([Number.POSITIVE_INFINITY])
    expect(states.filter(({ state }) => state === 'syncing')).toHaveLength(1)
    expect(await engine.now()).toMatchObject({ state: 'idle' })
    await engine.stop()
  })

  test('stops for good, and says so to who still asks', async () => {
    const { engine, until, states } = start([])
    await until('idle')
    await engine.stop()
    expect(states.at(-1)?.state).toBe('stopped')
    expect(await engine.now()).toMatchObject({ state: 'stopped' })
  })

  test('outlives a store that fails', async () => {
    const { devices, server } = createWorld(5, 0)
    const [{ store }] = devices as [(typeof devices)[0]]
    const full = new Error('QUOTA')
    let fails = true
    const told: SyncState[] = []
    const engine = startSync({
      store: { ...store, atHead: () => (fails ? Promise.reject(full) : store.atHead()) },
      transport: transportOf(
        server,
        () => NOW,
        () => 'none',
        5,
      ),
      chance: () => 0,
      wait: (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
      tell: (state) => told.push(state),
    })
    expect(await engine.now()).toMatchObject({ state: 'waiting', failure: { why: 'store', error: full } })
    fails = false
    expect(await engine.now()).toMatchObject({ state: 'idle', failure: null })
    await engine.stop()
  })
})
