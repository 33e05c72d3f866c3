/** A lease as it is kept. Times are epoch milliseconds of the one clock that all grants are counted by. */
export interface Lease {
  /** Null once it was given back. */
  readonly holder: string | null
  /** Rises with each grant. */
  readonly token: number
  readonly grantedAt: number
  readonly ttlMs: number
}

/**
 * A lease as it stands now. One that was granted in the future tells that the clock was set back since: it is counted from now on, so that it
 * may be held for longer than was asked for, and never for less.
 */
export const settled = (lease: Lease, nowMs: number): Lease =>
  lease.grantedAt > nowMs ? { ...lease, grantedAt: nowMs } : lease

/** How long a settled lease is held from now; 0 when it is not. */
export const remainingMs = (lease: Lease | null, nowMs: number): number =>
  lease === null || lease.holder === null ? 0 : Math.max(0, lease.grantedAt + lease.ttlMs - nowMs)

/** The lease with a new grant, or null while somebody else holds it. */
export const granted = (lease: Lease | null, holder: string, ttlMs: number, nowMs: number): Lease | null =>
  remainingMs(lease, nowMs) > 0 && lease?.holder !== holder
    ? null
    : { holder, token: (lease?.token ?? 0) + 1, grantedAt: nowMs, ttlMs }

/** Whether a token is of the newest grant, which was not given back: nobody else has held the lease since. */
export const isNewest = (lease: Lease | null, token: number): boolean =>
  lease !== null && lease.holder !== null && lease.token === token

/** The lease for longer, or null for a token of another grant. */
export const renewed = (lease: Lease | null, token: number, ttlMs: number, nowMs: number): Lease | null =>
  lease !== null && isNewest(lease, token) ? { ...lease, grantedAt: nowMs, ttlMs } : null

/** The lease given back, or null for a token of another grant. */
export const released = (lease: Lease | null, token: number): Lease | null =>
  lease !== null && isNewest(lease, token) ? { ...lease, holder: null } : null
