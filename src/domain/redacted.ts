import type { VersionBody } from '../schema/records.js'
import { DEFAULTS } from './body.js'
import { sha256Hex } from './sha256.js'

/** What is left of a version whose body was scrubbed. */
export const redactedBody = (key: string, writtenAt: number, status: VersionBody['status']): VersionBody => ({
  ...DEFAULTS,
  key,
  value: null,
  status,
  createdAt: writtenAt,
  updatedAt: writtenAt,
  actor: '',
  contentSha256: '',
})

/** The hash of what holds nothing, not even null: that of no bytes. */
export const NO_CONTENT = sha256Hex('')

/** A tombstone that tells nothing of what it buries: what describes a value goes with it. */
export const emptiedBody = (body: VersionBody, reason: string, nowMs: number): VersionBody => ({
  ...DEFAULTS,
  key: body.key,
  value: null,
  type: body.type,
  status: 'tombstoned',
  statusReason: reason,
  createdAt: body.createdAt,
  updatedAt: nowMs,
  tombstonedAt: body.tombstonedAt ?? nowMs,
  actor: body.actor,
  contentSha256: NO_CONTENT,
})
