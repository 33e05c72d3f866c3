/*
 * The write-ahead log, as SQLite's file format page describes it: a header of 32 bytes, then frames of 24 bytes and a page.
 * A frame counts when its salts are the header's and the running checksum fits; frames count up to the last commit.
 */

const HEADER = 32
const FRAME = 24

/** The pages a log adds to its database, last commit last; empty when nothing of it can be trusted. */
export const committedPages = (log: Uint8Array): ReadonlyMap<number, Uint8Array> => {
  const pages = new Map<number, Uint8Array>()
  if (log.length < HEADER) return pages
  const view = new DataView(log.buffer, log.byteOffset, log.byteLength)
  const magic = view.getUint32(0)
  if (magic !== 0x377f0682 && magic !== 0x377f0683) return pages
  const little = magic === 0x377f0682
  const pageSize = view.getUint32(8)
  let sum = checksum(view, 0, 24, little, [0, 0])
  if (sum[0] !== view.getUint32(24) || sum[1] !== view.getUint32(28)) return pages

  const waiting = new Map<number, Uint8Array>()
  for (let at = HEADER; at + FRAME + pageSize <= log.length; at += FRAME + pageSize) {
    if (view.getUint32(at + 8) !== view.getUint32(16) || view.getUint32(at + 12) !== view.getUint32(20)) break
    sum = checksum(view, at, 8, little, sum)
    sum = checksum(view, at + FRAME, pageSize, little, sum)
    if (sum[0] !== view.getUint32(at + 16) || sum[1] !== view.getUint32(at + 20)) break
    waiting.set(view.getUint32(at), log.subarray(at + FRAME, at + FRAME + pageSize))
    if (view.getUint32(at + 4) === 0) continue
    for (const [page, bytes] of waiting) pages.set(page, bytes)
    waiting.clear()
  }
  return pages
}

type Sum = readonly [number, number]

const checksum = (view: DataView, from: number, length: number, little: boolean, [first, second]: Sum): Sum => {
  let a = first
  let b = second
  for (let at = from; at < from + length; at += 8) {
    a = (a + view.getUint32(at, little) + b) >>> 0
    b = (b + view.getUint32(at + 4, little) + a) >>> 0
  }
  return [a, b]
}
