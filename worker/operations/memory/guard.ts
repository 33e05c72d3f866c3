import { type GuardedWrite, refusalOf } from '../../../src/domain/guards.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { VersionBody } from '../../../src/schema/records.js'
import type { WriteOptions } from './answer.js'
import type { Located, Target } from './locate.js'
import type { PreparedWrite } from './prepare.js'

/** A write with what the memory under its key would hold after it. */
interface Guarded {
  readonly found: Located
  readonly target: Target
  readonly write: PreparedWrite
  readonly after: VersionBody
  readonly nowMs: number
}

/**
 * Throws what refuses a write before it is judged. Answers whether it may only be a proposal: what it changes is pinned, and the caller
 * asked for that.
 */
export const requireAllowed = (guarded: Guarded, options: WriteOptions): 'write' | 'propose' => {
  const { target, write } = guarded
  const overridesPin = target.kind !== 'set' || write.fields.pinned === true
  const asked = { after: guarded.after, overridesPin, isBlacklisted: write.blacklisted !== null, ...options }
  const refused = refuse(guarded, asked)
  if (refused?.code !== 'PINNED_CONFLICT' || options.onPinned !== 'propose') {
    if (refused !== null) throw refused
    return 'write'
  }
  const other = refuse(guarded, { ...asked, overridesPin: true })
  if (other !== null) throw other
  return 'propose'
}

const refuse = ({ found, write, nowMs }: Guarded, asked: GuardedWrite): MemoryError | null => {
  const { key, live } = found
  const refusal = refusalOf(live?.body ?? null, asked, nowMs)
  switch (refusal?.code) {
    case undefined:
      return null
    case 'LOCKED':
      return locked(key, refusal.until)
    case 'PINNED_CONFLICT':
      return new MemoryError('PINNED_CONFLICT', `${key} is pinned. Update it, pin the new value, or unpin it first.`, {
        key,
      })
    case 'BLACKLISTED':
      return write.blacklisted
    case 'PRECONDITION_FAILED':
      return new MemoryError(
        'PRECONDITION_FAILED',
        `${key} has changed since it was read. Read it again and decide again.`,
        {
          key,
          currentSha256: refusal.currentSha256,
        },
      )
  }
}

/** The refusal of what a lock forbids. */
export const locked = (key: string, until: number | null): MemoryError =>
  new MemoryError('LOCKED', `${key} is locked. Unlock it first${until === null ? '' : ', or wait until the lock lapses'}.`, {
    key,
    until,
  })
