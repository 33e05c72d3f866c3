import * as z from 'zod/mini'
import { isWellFormed } from './scalars.js'
import {
  Commitment,
  Digest,
  Epoch,
  Generation,
  Milliseconds,
  Seq,
  Slot,
  Standing,
  SyncDevice,
  SyncRowId,
} from './sync-wire.js'

/** Most slots in one message: they are small. */
export const MAX_SLOTS = 2_000
/** Largest settings of an account, in characters: a few wrapped keys with how they were derived. */
export const MAX_SETTINGS = 16_384

// GET /v1/devices

export const Device = z.object({
  dev: SyncDevice,
  /** How far it has pulled. */
  cursor: Seq,
  /** Highest counter of its rows that arrived. */
  lastDseq: z.int(),
  seenAt: Milliseconds,
})
export const DevicesResponse = z.object({ devices: z.array(Device) })
export type DevicesResponse = z.infer<typeof DevicesResponse>

// GET, PUT /v1/account

/** Wrapped master keys and how they were derived. The server keeps the text and reads none of it. */
const Settings = z.string().check(z.maxLength(MAX_SETTINGS), z.refine(isWellFormed))

/** `expected` is the version that was read: what another device wrote meanwhile is not replaced. 0 where there was none. */
export const SettingsRequest = z.object({ expected: z.int().check(z.gte(0)), settings: Settings })
export type SettingsRequest = z.infer<typeof SettingsRequest>

/** `stored` is false when `expected` was not the version that stands; what stands is in the answer. */
export const SettingsResponse = z.object({
  ...Standing,
  stored: z.boolean(),
  version: z.int(),
  settings: z.nullable(Settings),
  /** Generation that is being prepared, or null. */
  pending: z.nullable(Generation),
})
export type SettingsResponse = z.infer<typeof SettingsResponse>

// POST /v1/keyslots, /v1/keyslots/read

const KeySlot = z.object({ id: SyncRowId, slot: Slot })

/** Slots of a generation that is current or being prepared. Repeating it changes nothing. */
export const SlotsRequest = z.object({
  gen: Generation.check(z.gte(1)),
  slots: z.array(KeySlot).check(z.minLength(1), z.maxLength(MAX_SLOTS)),
})
export type SlotsRequest = z.infer<typeof SlotsRequest>

/** `unknown`: rows that are not here or have no slot any more. `refused`: no such generation is current or being prepared. */
export const SlotsResponse = z.object({
  ...Standing,
  refused: z.boolean(),
  stored: z.int(),
  unknown: z.array(SyncRowId),
})
export type SlotsResponse = z.infer<typeof SlotsResponse>

/** What was stored for a generation, by place, so that it can be checked before anybody depends on it. */
export const SlotsReadRequest = z.object({
  gen: Generation.check(z.gte(1)),
  after: Seq,
  limit: z.optional(z.int().check(z.gte(1), z.lte(MAX_SLOTS))),
})
export const SlotsReadResponse = z.object({
  ...Standing,
  slots: z.array(z.object({ seq: Seq, id: SyncRowId, slot: Slot })),
  after: Seq,
  more: z.boolean(),
})
export type SlotsReadResponse = z.infer<typeof SlotsReadResponse>

// POST /v1/rotation

/**
 * `begin` and `commit` want the caller to know every row: head and digest must be those of the server. `commit` makes a generation
 * current if each row with a slot has one of it, and stores the settings with it; `abort` drops what was prepared.
 */
export const RotationRequest = z.discriminatedUnion('step', [
  z.object({ step: z.literal('begin'), gen: Generation.check(z.gte(1)), head: Seq, digest: Digest }),
  z.object({
    step: z.literal('commit'),
    gen: Generation.check(z.gte(1)),
    head: Seq,
    digest: Digest,
    expected: z.int().check(z.gte(0)),
    settings: Settings,
  }),
  z.object({ step: z.literal('abort'), gen: Generation.check(z.gte(1)) }),
])
export type RotationRequest = z.infer<typeof RotationRequest>

export const ROTATION_OUTCOMES = ['done', 'behind', 'settings', 'generation', 'missing'] as const

/** `missing` names rows that lack a slot of the new generation, some of them if there are many. */
export const RotationResponse = z.object({
  ...Standing,
  outcome: z.enum(ROTATION_OUTCOMES),
  version: z.int(),
  pending: z.nullable(Generation),
  missing: z.array(SyncRowId),
})
export type RotationResponse = z.infer<typeof RotationResponse>

// GET /v1/erasures

/** Every erasure that is in force: its row must have been seen before anything older is believed. */
export const ErasuresResponse = z.object({
  ...Standing,
  erasures: z.array(z.object({ nc: Commitment, kc: z.nullable(Commitment), kepoch: Epoch })),
})
export type ErasuresResponse = z.infer<typeof ErasuresResponse>

// GET /v1/status

export const StatusResponse = z.object({
  ...Standing,
  pending: z.nullable(Generation),
  usedBytes: z.int(),
  quotaBytes: z.int(),
  devices: z.int(),
})
export type StatusResponse = z.infer<typeof StatusResponse>
