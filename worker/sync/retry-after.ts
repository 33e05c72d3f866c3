/** Nobody waits longer than this for a server's word: its clock may be off. */
const LONGEST_MS = 3_600_000

/** What a server asks to wait, in seconds or as a date, in milliseconds; null when it asks for nothing that can be read. */
export const retryAfterMs = (header: string | null, nowMs: number): number | null => {
  if (header === null) return null
  const text = header.trim()
  const wait = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs
  return Number.isNaN(wait) ? null : Math.min(LONGEST_MS, Math.max(0, wait))
}
