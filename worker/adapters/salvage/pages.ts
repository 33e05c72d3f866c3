import type { SqlValue } from '../../ports.js'
import { committedPages } from './log.js'
import { asNumber, decodeRecord, varint } from './record.js'

/** What this build of SQLite makes unless told otherwise; believed when the header does not say. */
const USUAL_PAGE_SIZE = 8192

const TABLE_LEAF = 0x0d
const TABLE_INTERIOR = 0x05
const INDEX_LEAF = 0x0a
const INDEX_INTERIOR = 0x02

/** The pages of a database file that may be damaged anywhere. Page numbers start at 1. */
export interface Pages {
  readonly count: number
  readonly kind: (page: number) => 'table leaf' | 'table interior' | 'index leaf' | 'index interior' | 'other'
  /** Page numbers below an interior page; those that cannot be are left out and counted. */
  readonly children: (page: number) => { readonly pages: readonly number[]; readonly broken: number }
  /** Rows of a table leaf; those that cannot be read are left out and counted. */
  readonly rows: (page: number) => { readonly rows: readonly StoredRow[]; readonly broken: number }
  /** Pages given up, whose old content means nothing. */
  readonly free: () => ReadonlySet<number>
}

export interface StoredRow {
  readonly rowid: number | bigint
  readonly values: readonly SqlValue[]
}

/** The pages of a file with the committed pages of its log laid over them. */
export const openPages = (file: Uint8Array, log: Uint8Array | null): Pages => {
  const changed = log === null ? new Map<number, Uint8Array>() : committedPages(log)
  const size = pageSizeOf(changed.get(1) ?? file) ?? [...changed.values()][0]?.length ?? USUAL_PAGE_SIZE
  const count = Math.max(Math.ceil(file.length / size), ...changed.keys(), 0)
  const reserved = (changed.get(1) ?? file)[20] ?? 0
  // The header may be gone; no store of ours reserves bytes.
  const usable = size - (pageSizeOf(changed.get(1) ?? file) === null ? 0 : reserved)

  const bytesOf = (page: number): Uint8Array => changed.get(page) ?? file.subarray((page - 1) * size, page * size)
  const viewOf = (page: number): DataView => {
    const bytes = bytesOf(page)
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
  /** The first page starts with the file's header. */
  const start = (page: number): number => (page === 1 ? 100 : 0)
  const isPage = (page: number): boolean => page >= 1 && page <= count

  const kind: Pages['kind'] = (page) => {
    const type = bytesOf(page)[start(page)]
    if (type === TABLE_LEAF) return 'table leaf'
    if (type === TABLE_INTERIOR) return 'table interior'
    if (type === INDEX_LEAF) return 'index leaf'
    return type === INDEX_INTERIOR ? 'index interior' : 'other'
  }

  /** Offsets of a page's cells. */
  const cells = (page: number, headerSize: number): readonly number[] => {
    const view = viewOf(page)
    const at = start(page) + headerSize
    const wanted = view.getUint16(start(page) + 3)
    const found = Math.min(wanted, Math.floor((view.byteLength - at) / 2))
    return Array.from({ length: found }, (_, i) => view.getUint16(at + 2 * i))
  }

  /** A payload, with the part of it that lies on overflow pages. */
  const payload = (page: number, at: number, length: number): Uint8Array => {
    const most = usable - 35
    const bytes = bytesOf(page)
    if (length <= most) {
      if (at + length > bytes.length) throw new RangeError('Cell beyond its page')
      return bytes.subarray(at, at + length)
    }
    const least = Math.floor(((usable - 12) * 32) / 255) - 23
    const fitting = least + ((length - least) % (usable - 4))
    const local = fitting <= most ? fitting : least
    if (length > count * size || at + local + 4 > bytes.length) throw new RangeError('Cell beyond its page')
    const whole = new Uint8Array(length)
    whole.set(bytes.subarray(at, at + local))
    let next = viewOf(page).getUint32(at + local)
    const chain = new Set<number>()
    for (let done = local; done < length; ) {
      if (!isPage(next) || chain.has(next) || isBlank(bytesOf(next))) throw new RangeError('Overflow page')
      chain.add(next)
      const part = bytesOf(next).subarray(4, 4 + Math.min(usable - 4, length - done))
      whole.set(part, done)
      done += part.length
      next = viewOf(next).getUint32(0)
    }
    return whole
  }

  const row = (page: number, at: number): StoredRow => {
    const bytes = bytesOf(page)
    const length = varint(bytes, at)
    const rowid = varint(bytes, length.end)
    return {
      rowid: asNumber(BigInt.asIntN(64, rowid.value)),
      values: decodeRecord(payload(page, rowid.end, Number(length.value))),
    }
  }

  return {
    count,
    kind,
    children: (page) => {
      if (viewOf(page).byteLength < start(page) + 12) return { pages: [], broken: 1 }
      const view = viewOf(page)
      const numbers = cells(page, 12).map((at) => (at + 4 <= view.byteLength ? view.getUint32(at) : 0))
      const pages = [...numbers, view.getUint32(start(page) + 8)]
      const good = pages.filter(isPage)
      return { pages: good, broken: pages.length - good.length }
    },
    rows: (page) => {
      if (viewOf(page).byteLength < start(page) + 8) return { rows: [], broken: 1 }
      const rows: StoredRow[] = []
      let broken = 0
      for (const at of cells(page, 8)) {
        try {
          rows.push(row(page, at))
        } catch (error) {
          if (!(error instanceof RangeError)) throw error
          broken++
        }
      }
      return { rows, broken }
    },
    free: () => {
      const free = new Set<number>()
      if (count === 0 || viewOf(1).byteLength < 40) return free
      for (let trunk = viewOf(1).getUint32(32); isPage(trunk) && !free.has(trunk); ) {
        free.add(trunk)
        const view = viewOf(trunk)
        if (view.byteLength < 8) break
        const leaves = Math.min(view.getUint32(4), Math.floor(view.byteLength / 4) - 2)
        for (let i = 0; i < leaves; i++) free.add(view.getUint32(8 + 4 * i))
        trunk = view.getUint32(0)
      }
      return free
    },
  }
}

/** A page that was lost and reads as zeros. No record of ours holds a page of them. */
const isBlank = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)

/** What the header says, if it can be. */
const pageSizeOf = (first: Uint8Array): number | null => {
  if (first.length < 100) return null
  const stored = ((first[16] ?? 0) << 8) | (first[17] ?? 0)
  const size = stored === 1 ? 65536 : stored
  const isPower = size >= 512 && size <= 65536 && (size & (size - 1)) === 0
  return isPower && (first[20] ?? 0) <= size - 480 ? size : null
}
