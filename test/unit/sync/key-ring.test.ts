import { beforeAll, describe, expect, test } from 'vitest'
import { KeyRing } from '../../../src/schema/sync-keys.js'
import { argon2id } from '../../../worker/sync/argon2/main.js'
import { fromUtf8 } from '../../../worker/sync/bytes.js'
import { isAcceptable, newDerivation } from '../../../worker/sync/derivation.js'
import {
  createRing,
  openRing,
  type RingStep,
  type RingTools,
  relockRing,
  type SyncKeys,
  stepRing,
} from '../../../worker/sync/key-ring.js'
import { type RingStepper, type RotationPort, rewrapLate, rotate, type Slot } from '../../../worker/sync/rotation.js'
import { openRow } from '../../../worker/sync/row-cipher.js'
import { KEY, OTHER_KEY, sealedText, TOOLS } from '../../support/sync/sealed.js'

const LOADED: RingTools = { argon2id: () => Promise.resolve(argon2id) }

let ring: KeyRing
let keys: SyncKeys

beforeAll(async () => {
  ;({ ring, keys } = await createRing(KEY, TOOLS))
})

const reads = async (by: SyncKeys, row: Awaited<ReturnType<typeof sealedText>>): Promise<string> => {
  const opened = await openRow(by, row)
  return 'text' in opened ? fromUtf8(opened.text) : opened.refused
}

const opened = async (of: KeyRing, secret: Parameters<typeof openRing>[1], tools = TOOLS): Promise<SyncKeys> => {
  const outcome = await openRing(of, secret, tools)
  if ('refused' in outcome) throw new Error(outcome.refused)
  return outcome.keys
}

describe('a key ring', () => {
  test.each(['pbkdf2-sha256', 'argon2id'] as const)('opens with its passphrase on another device, by %s', async (kdf) => {
    const made = await createRing({ passphrase: 'caf\u00e9 au lait' }, LOADED, kdf)
    expect(KeyRing.parse(JSON.parse(JSON.stringify(made.ring)))).toEqual(made.ring)
    const row = await sealedText(made.keys, 'secret')
    expect(await reads(await opened(made.ring, { passphrase: 'cafe\u0301 au lait' }, LOADED), row)).toBe('secret')
    expect(await openRing(made.ring, { passphrase: 'cafe au lait' }, LOADED)).toEqual({ refused: 'wrong_secret' })
  })

  test('loads Argon2id for rings that ask for it only', async () => {
    const { ring: made } = await createRing({ passphrase: 'p' }, LOADED, 'argon2id')
    await expect(openRing(made, { passphrase: 'p' }, TOOLS)).rejects.toThrow('nobody asked')
    expect(await reads(await opened(ring, KEY), await sealedText(keys, 'x'))).toBe('x')
  })

  test('holds keys that nobody can read', async () => {
    for (const key of [keys.index, keys.mac, ...keys.wraps.values()]) {
      expect(key.extractable).toBe(false)
      await expect(crypto.subtle.exportKey('raw', key)).rejects.toThrow()
    }
  })

  test('names no secret', () => {
    expect(Object.keys(ring).sort()).toEqual(['derivation', 'gen', 'index', 'mac', 'masters', 'next', 'v'])
    expect(JSON.stringify(ring)).not.toContain('passphrase')
  })

  test('refuses to derive keys more cheaply or far more dearly than it would itself', async () => {
    const pbkdf2 = newDerivation()
    const argon2 = newDerivation('argon2id')
    expect([pbkdf2, argon2].map(isAcceptable)).toEqual([true, true])
    const bad = [
      { ...pbkdf2, iterations: 599_999 },
      { ...pbkdf2, iterations: 2 ** 31 - 1 },
      { ...pbkdf2, salt: 'AAAA' },
      { ...argon2, memoryKiB: 65_535 },
      { ...argon2, memoryKiB: 2 ** 30 },
      { ...argon2, passes: 2 },
      { ...argon2, passes: 1_000 },
      { ...argon2, lanes: 0 },
      { ...argon2, kdf: 'md5' },
    ] as KeyRing['derivation'][]
    expect(bad.map(isAcceptable)).toEqual(bad.map(() => false))
    const weak = { ...ring, derivation: { ...pbkdf2, iterations: 1_000 } } as KeyRing
    expect(await openRing(weak, { passphrase: 'p' }, TOOLS)).toEqual({ refused: 'weak_derivation' })
  })

  test('notices every change that a server could make', async () => {
    const other = (await createRing(KEY, TOOLS)).ring
    const turned = (text: string): string => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)
    const changed: Partial<KeyRing>[] = [
      { gen: 2 },
      { next: 1 },
      { index: turned(ring.index) },
      { index: other.index },
      { mac: turned(ring.mac) },
      { mac: other.mac },
      { masters: other.masters },
      { masters: [...ring.masters, { gen: 2, wrapped: ring.masters[0]?.wrapped ?? '' }] },
      { masters: [] },
      { derivation: newDerivation() },
    ]
    for (const change of changed)
      expect(await openRing({ ...ring, ...change }, KEY, TOOLS), JSON.stringify(change)).toHaveProperty('refused')
    expect(await openRing(ring, KEY, TOOLS, 2)).toEqual({ refused: 'older' })
  })

  test('takes another passphrase without a change to any row', async () => {
    const row = await sealedText(keys, 'secret')
    const relocked = await relockRing(ring, KEY, OTHER_KEY, TOOLS)
    if ('refused' in relocked) throw new Error(relocked.refused)
    expect(await reads(await opened(relocked.ring, OTHER_KEY), row)).toBe('secret')
    expect(await openRing(relocked.ring, KEY, TOOLS)).toEqual({ refused: 'wrong_secret' })
    expect(await relockRing(ring, OTHER_KEY, KEY, TOOLS)).toEqual({ refused: 'wrong_secret' })
  })
})

/** A server's slots, whose every call may be the one that fails. */
const createSlots = (failAt: { left: number }, start: KeyRing) => {
  let held = start
  const slots = new Map<number, Map<string, string>>()
  const under = (gen: number): Map<string, string> => {
    const found = slots.get(gen) ?? new Map<string, string>()
    slots.set(gen, found)
    return found
  }
  const cut = (): void => {
    if (--failAt.left === 0) throw new Error('cut')
  }
  /** Half of the cuts come after the server did what it was asked. */
  const asked = async <T>(what: () => T): Promise<T> => {
    cut()
    const answer = what()
    cut()
    return answer
  }
  const port: RotationPort = {
    isCaughtUp: () => asked(() => true),
    readRing: () => asked(() => held),
    replaceRing: (before, after) =>
      asked(() => {
        if (JSON.stringify(before) !== JSON.stringify(held)) return false
        held = after
        return true
      }),
    slotsLacking: (from, to, after) =>
      asked(() => {
        const lacking = [...under(from)]
          .filter(([id]) => !under(to).has(id) && (after === null || id > after))
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([id, slot]): Slot => ({ id, slot }))
        const slots = lacking.slice(0, 3)
        return { slots, next: lacking.length > slots.length ? (slots.at(-1)?.id ?? null) : null }
      }),
    putSlots: (gen, put) => asked(() => put.forEach(({ id, slot }) => under(gen).set(id, slot))),
    readSlots: (gen, ids) =>
      asked(() => ids.flatMap((id) => (under(gen).has(id) ? [{ id, slot: under(gen).get(id) as string }] : []))),
  }
  return { port, under, ring: () => held }
}

const step: RingStepper = (of, what: RingStep) => stepRing(of, KEY, TOOLS, what)
const keysOf = (of: KeyRing): Promise<SyncKeys> => opened(of, KEY)

describe('a rotation', () => {
  test('goes on from wherever it was cut, and at every moment every row can be read', async () => {
    const rows = await Promise.all(
      Array.from({ length: 7 }, async (_, i) => ({
        id: `00000000000000aa.${i + 1}`,
        row: await sealedText(keys, `text ${i}`, { dseq: i + 1 }),
      })),
    )
    let cuts = 0
    for (let at = 1; ; at++) {
      const failAt = { left: at }
      const { port, under, ring: now } = createSlots(failAt, ring)
      for (const { id, row } of rows) under(1).set(id, row.slot as string)
      const readable = async (): Promise<void> => {
        const current = await keysOf(now())
        for (const [i, { id, row }] of rows.entries()) {
          const slot = under(current.gen).get(id) as string
          expect(await reads(current, { ...row, gen: current.gen, slot })).toBe(`text ${i}`)
        }
      }
      const first = await rotate(port, step, keysOf).catch(() => 'cut' as const)
      await readable()
      if (first !== 'cut') {
        expect(first).toMatchObject({ done: true, lost: [] })
        break
      }
      cuts++
      failAt.left = 0
      // A cut after the ring had changed leaves nothing to go on with but late slots.
      const current = await keysOf(now())
      if (current.gen === 1) expect(await rotate(port, step, keysOf)).toMatchObject({ done: true, lost: [] })
      else expect(await rewrapLate(port, current)).toEqual([])
      expect(now()).toMatchObject({ gen: 2, next: null })
      await readable()
      const retired = await stepRing(now(), KEY, TOOLS, 'retire')
      if ('refused' in retired) throw new Error(retired.refused)
      expect([...retired.keys.wraps.keys()]).toEqual([2])
      expect(await reads(retired.keys, rows[0]?.row as never)).toBe('no_key')
    }
    expect(cuts).toBeGreaterThan(20)
  })

  test('does not begin before all was read, nor end on slots that do not read back', async () => {
    const never = { left: 0 }
    const { port, under, ring: now } = createSlots(never, ring)
    under(1).set('a', (await sealedText(keys, 'x')).slot as string)
    expect(await rotate({ ...port, isCaughtUp: async () => false }, step, keysOf)).toEqual({ done: false, why: 'behind' })
    expect(now()).toEqual(ring)
    expect(await rotate({ ...port, putSlots: async () => undefined }, step, keysOf)).toEqual({
      done: false,
      why: 'not_verified',
    })
    expect(now().gen).toBe(1)
    expect(await rotate({ ...port, replaceRing: async () => false }, step, keysOf)).toEqual({
      done: false,
      why: 'changed_meanwhile',
    })
    expect(await rotate(port, (of, what) => stepRing(of, OTHER_KEY, TOOLS, what), keysOf)).toEqual({
      done: false,
      why: 'wrong_secret',
    })
  })

  test('names rows whose key is broken, and takes those that came late', async () => {
    const { port, under, ring: now } = createSlots({ left: 0 }, ring)
    under(1).set('a', (await sealedText(keys, 'x')).slot as string)
    under(1).set('b', 'AAAA')
    const outcome = await rotate(port, step, keysOf)
    expect(outcome).toMatchObject({ done: true })
    expect(outcome).toHaveProperty('lost', expect.arrayContaining(['b']))
    const late = await sealedText(keys, 'late', { dseq: 9 })
    under(1).set('c', late.slot as string)
    const current = await keysOf(now())
    expect(await rewrapLate(port, current)).toEqual(['b'])
    expect(await reads(current, { ...late, gen: 2, slot: under(2).get('c') as string })).toBe('late')
  })

  test('leaves commitments as they are', async () => {
    const sign = async (by: SyncKeys): Promise<string> =>
      String(new Uint8Array(await crypto.subtle.sign('HMAC', by.index, new Uint8Array(3))))
    const prepared = await stepRing(ring, KEY, TOOLS, 'prepare')
    if ('refused' in prepared) throw new Error(prepared.refused)
    expect(await sign(prepared.keys)).toBe(await sign(keys))
  })
})
