import { HIDDEN_FROM_UNFILTERED } from '../../src/domain/memory-type.js'
import { SERVED } from '../../src/domain/version.js'
import type { Db } from '../ports.js'
import { sql } from './sql.js'
import { createVectorMatrix, type Mark, type VectorMatrix } from './vector-matrix.js'

/** What a write changed in memory, to be undone when its transaction fails. */
export interface ResidentMark {
  readonly matrix: Mark
  readonly flips: number
}

/** The part of the index that lives in memory beside the database: vectors, and which memories default searches may answer with. */
export interface Resident {
  /** Vectors of the embedder that answers; another object once another one does. */
  readonly matrix: VectorMatrix
  readonly useMatrix: (matrix: VectorMatrix) => void
  /** Lets go of all vectors. */
  readonly dropMatrix: () => void
  readonly isOffered: (memory: number) => boolean
  /** Whether writes are weighed against it: sections of documents are found and not believed. */
  readonly isWeighed: (memory: number) => boolean
  readonly offer: (memory: number, offered: boolean, weighed?: boolean) => void
  readonly mark: () => ResidentMark
  readonly backTo: (mark: ResidentMark) => void
}

/** Whether a search without filters may answer with a memory of this status and type. */
export const isOffered = (status: string, type: string): boolean =>
  (SERVED as readonly string[]).includes(status) && !HIDDEN_FROM_UNFILTERED.includes(type)

/** Whether writes are weighed against memories of this type. */
export const isWeighed = (type: string): boolean => type !== '~section'

/** Memories that are not offered, or not weighed. Spelled out as the index `heads_withheld` is, or SQLite would not use it. */
export const withheldMemories = (db: Db): readonly (readonly [memory: number, offered: boolean])[] =>
  db
    .all<{ memory: number; status: string; type: string }>(
      sql`select memory, status, type from heads
        where status not in ('active', 'conflicted') or type in ('reflection', '~turn', '~digest', '~section')`,
    )
    .map(({ memory, status, type }) => [memory, isOffered(status, type)])

export const loadResident = (db: Db): Resident => {
  let matrix = createVectorMatrix(1)
  /** Whether they are offered nevertheless. */
  const withheld = new Map(withheldMemories(db))
  const flips: (readonly [memory: number, before: boolean | undefined])[] = []
  const put = (memory: number, offered: boolean | undefined): unknown =>
    offered === undefined ? withheld.delete(memory) : withheld.set(memory, offered)
  return {
    get matrix() {
      return matrix
    },
    useMatrix: (other) => {
      matrix = other
    },
    dropMatrix: () => {
      matrix = createVectorMatrix(1)
    },
    isOffered: (memory) => withheld.get(memory) !== false,
    isWeighed: (memory) => !withheld.has(memory),
    offer: (memory, offered, weighed = true) => {
      const before = withheld.get(memory)
      const after = offered && weighed ? undefined : offered
      if (before === after) return
      put(memory, after)
      flips.push([memory, before])
    },
    mark: () => ({ matrix: matrix.mark(), flips: flips.length }),
    backTo: (mark) => {
      matrix.backTo(mark.matrix)
      while (flips.length > mark.flips) put(...(flips.pop() as (typeof flips)[number]))
    },
  }
}
