import { refuse } from './refused.js'

/** A bucket of requests for each account: it fills evenly and holds two minutes' worth. */
export interface Limit {
  /** Takes one, or refuses with the time after which there is one again. */
  readonly take: (account: string) => void
}

/** Buckets that are full again say nothing and go. */
const MAX_BUCKETS = 100_000

export const openLimit = (perMinute: number, nowMs: () => number): Limit => {
  const capacity = 2 * perMinute
  const perMs = perMinute / 60_000
  const buckets = new Map<string, { left: number; at: number }>()
  const filled = ({ left, at }: { left: number; at: number }, now: number) =>
    Math.min(capacity, left + Math.max(0, now - at) * perMs)
  return {
    take: (account) => {
      if (perMinute === 0) return
      const now = nowMs()
      const left = filled(buckets.get(account) ?? { left: capacity, at: now }, now)
      if (left < 1) throw refuse(429, 'rate', { 'retry-after': String(Math.ceil((1 - left) / perMs / 1_000)) })
      buckets.set(account, { left: left - 1, at: now })
      if (buckets.size > MAX_BUCKETS)
        for (const [name, bucket] of buckets) if (filled(bucket, now) === capacity) buckets.delete(name)
    },
  }
}
