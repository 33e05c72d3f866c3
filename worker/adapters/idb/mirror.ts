/** Size of a block, and of a page: SQLite then writes whole blocks. */
export const BLOCK_SIZE = 8192

/** What has changed since a moment: the blocks as they were then (null: there was none), and the size as it was. */
export interface Changes {
  readonly before: Map<number, Uint8Array | null>
  readonly size: number
}

/**
 * A file in memory that knows what changed since it was last stored, and can go back there.
 *
 * Blocks are replaced on their first change and only then written in place, so a block kept as "before" never changes.
 */
export interface Mirror {
  readonly size: () => number
  /** Fills `into`; answers how many bytes there were, the rest is zeroed. */
  readonly read: (into: Uint8Array, at: number) => number
  readonly write: (bytes: Uint8Array, at: number) => void
  readonly truncate: (size: number) => void
  readonly block: (index: number) => Uint8Array | undefined
  /** Hands over the changes made so far and starts counting anew. */
  readonly cut: () => Changes
  /** Undoes everything since the last cut, then the cuts, newest first. Answers whether there was anything since the last. */
  readonly restore: (cuts: readonly Changes[]) => boolean
}

export const createMirror = (stored: ReadonlyMap<number, Uint8Array>, storedSize: number): Mirror => {
  const blocks = new Map(stored)
  let size = storedSize
  let changes: Changes = { before: new Map(), size }

  /** The block, safe to write in. */
  const writable = (index: number): Uint8Array => {
    const found = blocks.get(index)
    if (found !== undefined && changes.before.has(index)) return found
    changes.before.set(index, found ?? null)
    const made = found?.slice() ?? new Uint8Array(BLOCK_SIZE)
    blocks.set(index, made)
    return made
  }

  const drop = (index: number): void => {
    const found = blocks.get(index)
    if (found === undefined) return
    if (!changes.before.has(index)) changes.before.set(index, found)
    blocks.delete(index)
  }

  const cut = (): Changes => {
    const done = changes
    changes = { before: new Map(), size }
    return done
  }

  return {
    size: () => size,
    read: (into, at) => {
      const length = Math.max(0, Math.min(into.length, size - at))
      for (let done = 0; done < length; ) {
        const { index, start, end } = span(at + done, length - done)
        const block = blocks.get(index)
        if (block === undefined) into.fill(0, done, done + end - start)
        else into.set(block.subarray(start, end), done)
        done += end - start
      }
      into.fill(0, length)
      return length
    },
    write: (bytes, at) => {
      for (let done = 0; done < bytes.length; ) {
        const { index, start, end } = span(at + done, bytes.length - done)
        writable(index).set(bytes.subarray(done, done + end - start), start)
        done += end - start
      }
      size = Math.max(size, at + bytes.length)
    },
    truncate: (wanted) => {
      const last = Math.ceil(wanted / BLOCK_SIZE)
      for (let index = last; index < Math.ceil(size / BLOCK_SIZE); index++) drop(index)
      // Growing again must not show the old end.
      if (wanted % BLOCK_SIZE !== 0 && wanted < size) writable(last - 1).fill(0, wanted % BLOCK_SIZE)
      size = wanted
    },
    block: (index) => blocks.get(index),
    cut,
    restore: (cuts) => {
      const last = cut()
      const changed = last.before.size > 0 || last.size !== size
      for (const { before, size: then } of [last, ...cuts]) {
        for (const [index, block] of before) {
          if (block === null) blocks.delete(index)
          else blocks.set(index, block)
        }
        size = then
      }
      changes = { before: new Map(), size }
      return changed
    },
  }
}

/** The part of a range that lies in its first block. */
const span = (at: number, length: number): { readonly index: number; readonly start: number; readonly end: number } => {
  const index = Math.floor(at / BLOCK_SIZE)
  const start = at - index * BLOCK_SIZE
  return { index, start, end: Math.min(BLOCK_SIZE, start + length) }
}
