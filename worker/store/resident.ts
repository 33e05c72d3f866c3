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
  readonly offer: (memory: number, offered: boolean) => void
  readonly mark: () => ResidentMark
  readonly backTo: (mark: ResidentMark) => void
}

/** Whether a search without filters may answer with a memory of this status and type. */
export const isOffered = (status: string, type: string): boolean =>
  (SERVED as readonly string[]).includes(status) && !HIDDEN_FROM_UNFILTERED.includes(type)

/** Memories that are not offered. Spelled out as the index `heads_withheld` is, or SQLite would not use it. */
export const withheldMemories = (db: Db): readonly number[] =>
  db
    .all<{ memory: number }>(
      sql`select memory from heads where status not in ('active', 'conflicted') or type in ('reflection', '~turn', '~digest')`,
    )
    .map(({ memory }) => memory)

export const loadResident = (db: Db): Resident => {
  let matrix = createVectorMatrix(1)
  const withheld = new Set(withheldMemories(db))
  const flips: number[] = []
  const flip = (memory: number): void => void (withheld.delete(memory) || withheld.add(memory))
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
    isOffered: (memory) => !withheld.has(memory),
    offer: (memory, offered) => {
      if (withheld.has(memory) !== offered) return
      flip(memory)
      flips.push(memory)
    },
    mark: () => ({ matrix: matrix.mark(), flips: flips.length }),
    backTo: (mark) => {
      matrix.backTo(mark.matrix)
      while (flips.length > mark.flips) flip(flips.pop() as number)
    },
  }
}
