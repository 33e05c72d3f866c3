import type { KeyRing } from '../../src/schema/sync-keys.js'
import type { RingRefusal, RingStep, SyncKeys } from './key-ring.js'
import { rewrapSlot } from './row-cipher.js'

/** The wrapped key of a row, under one generation. */
export interface Slot {
  readonly id: string
  readonly slot: string
}

export interface SlotPage {
  readonly slots: readonly Slot[]
  /** Where to go on: a mark of whoever made the page. */
  readonly next: string | null
}

/**
 * What a rotation needs of the server. Everything may fail at any moment and is asked again; what is put twice stays once.
 */
export interface RotationPort {
  /** Whether this device has read all that the server has, by the digest. */
  readonly isCaughtUp: () => Promise<boolean>
  readonly readRing: () => Promise<KeyRing>
  /** Stores a ring in place of the one that was read; false when somebody else has changed it meanwhile. */
  readonly replaceRing: (before: KeyRing, after: KeyRing) => Promise<boolean>
  /** A page of the rows that have a slot under one generation and none under the other; `next` is null behind the last page. */
  readonly slotsLacking: (from: number, to: number, after: string | null) => Promise<SlotPage>
  readonly putSlots: (gen: number, slots: readonly Slot[]) => Promise<void>
  readonly readSlots: (gen: number, ids: readonly string[]) => Promise<readonly Slot[]>
}

/** What a device knows about rings: `stepRing` with the secret in it. */
export type RingStepper = (
  ring: KeyRing,
  step: RingStep,
) => Promise<{ readonly ring: KeyRing; readonly keys: SyncKeys } | { readonly refused: RingRefusal }>

export type RotationOutcome =
  | { readonly done: true; readonly keys: SyncKeys; readonly lost: readonly string[] }
  /** Nothing is spoilt: the next call goes on from here. */
  | { readonly done: false; readonly why: 'behind' | 'changed_meanwhile' | 'not_verified' | RingRefusal }

/**
 * Changes the generation that rows are wrapped with, or goes on with a change that was cut. First every slot gets a copy under the next
 * generation, which is read back and compared; only then does the ring say that the next one counts. Until it says so every device reads
 * and writes as before, and the old slots stay.
 */
export const rotate = async (
  port: RotationPort,
  step: RingStepper,
  keysOf: (ring: KeyRing) => Promise<SyncKeys>,
): Promise<RotationOutcome> => {
  // Whoever has not seen all rows would leave some under the old generation.
  if (!(await port.isCaughtUp())) return { done: false, why: 'behind' }
  const before = await port.readRing()
  const prepared = before.next === null ? await step(before, 'prepare') : { ring: before, keys: await keysOf(before) }
  if ('refused' in prepared) return { done: false, why: prepared.refused }
  const { ring, keys } = prepared
  if (ring !== before && !(await port.replaceRing(before, ring))) return { done: false, why: 'changed_meanwhile' }
  const [from, to] = [ring.gen, ring.next as number]

  const copied = await copySlots(port, keys, from, to)
  if (copied === null) return { done: false, why: 'not_verified' }
  const flipped = await step(ring, 'flip')
  if ('refused' in flipped) return { done: false, why: flipped.refused }
  if (!(await port.replaceRing(ring, flipped.ring))) return { done: false, why: 'changed_meanwhile' }
  const rest = await rewrapLate(port, flipped.keys)
  return { done: true, keys: flipped.keys, lost: [...copied, ...(rest ?? [])] }
}

/**
 * Copies slots that others wrote under earlier generations after the ring had changed; until none is left the earlier keys have to stay.
 * Answers the ids of rows whose slot nobody can unwrap, or null when something did not read back.
 */
export const rewrapLate = async (port: RotationPort, keys: SyncKeys): Promise<readonly string[] | null> => {
  const lost: string[] = []
  for (const from of [...keys.wraps.keys()].filter((gen) => gen < keys.gen)) {
    const found = await copySlots(port, keys, from, keys.gen)
    if (found === null) return null
    lost.push(...found)
  }
  return lost
}

/** Ids of rows whose slot nobody can unwrap, or null when what was put does not read back. */
const copySlots = async (
  port: RotationPort,
  keys: SyncKeys,
  from: number,
  to: number,
): Promise<readonly string[] | null> => {
  const lost: string[] = []
  let after: string | null = null
  do {
    const page: SlotPage = await port.slotsLacking(from, to, after)
    after = page.next
    const made: Slot[] = []
    for (const { id, slot } of page.slots) {
      const again = await rewrapSlot(keys, slot, from, to)
      if (again === null) lost.push(id)
      else made.push({ id, slot: again })
    }
    if (made.length === 0) continue
    await port.putSlots(to, made)
    const ids = made.map(({ id }) => id)
    const back = new Map((await port.readSlots(to, ids)).map(({ id, slot }) => [id, slot]))
    // AES-KW has no chance in it: the same key wrapped twice is the same.
    if (made.some(({ id, slot }) => back.get(id) !== slot)) return null
  } while (after !== null)
  return lost
}
