import type { SyncRow } from './sync-row.js'

/** Rows of one key with what each was written on top of. */
export interface Descent {
  /** Rows whose whole past is here, parents before children. */
  readonly visible: readonly SyncRow[]
  /** Ids of rows that wait for what they were written on top of. */
  readonly waiting: readonly string[]
  /** Ids of all that lies before some rows, without the rows themselves unless one lies before another. */
  readonly before: (rows: Iterable<SyncRow>) => ReadonlySet<string>
  /** Ids of all that was written having seen a row. */
  readonly after: (row: SyncRow) => ReadonlySet<string>
}

/**
 * Links the admissible rows of a key. A row shows once all its parents do, in whatever order they arrive.
 *
 * @param isComplete false while heads are read before their past: what has not come is then taken for seen
 */
export const descentOf = (rows: readonly SyncRow[], epoch: number, isComplete = true): Descent => {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const isAwaited = (id: string): boolean => isComplete || byId.has(id)
  const children = new Map<string, SyncRow[]>()
  const missing = new Map<string, number>()
  for (const row of byId.values()) {
    const parents = new Set(row.parents.filter(isAwaited))
    missing.set(row.id, parents.size)
    for (const parent of parents) {
      const known = children.get(parent)
      if (known === undefined) children.set(parent, [row])
      else known.push(row)
    }
  }
  // A row that knows of an erasure which has not come yet waits for it.
  const visible = [...byId.values()].filter((row) => missing.get(row.id) === 0 && row.kepoch <= epoch)
  const shown = new Set(visible.map(({ id }) => id))
  for (let i = 0; i < visible.length; i++)
    for (const child of children.get((visible[i] as SyncRow).id) ?? []) {
      const left = (missing.get(child.id) as number) - 1
      missing.set(child.id, left)
      if (left > 0 || child.kepoch > epoch) continue
      shown.add(child.id)
      visible.push(child)
    }

  const walk = (start: Iterable<string>, next: (id: string) => Iterable<string>): ReadonlySet<string> => {
    const found = new Set<string>()
    const edge = [...start]
    for (let id = edge.pop(); id !== undefined; id = edge.pop()) {
      if (found.has(id)) continue
      found.add(id)
      edge.push(...next(id))
    }
    return found
  }
  const parentsOf = (id: string): readonly string[] => byId.get(id)?.parents ?? []
  const childrenOf = (id: string): readonly string[] =>
    (children.get(id) ?? []).filter((child) => shown.has(child.id)).map((child) => child.id)

  return {
    visible,
    waiting: rows.filter(({ id }) => !shown.has(id)).map(({ id }) => id),
    before: (some) =>
      walk(
        [...some].flatMap((row) => row.parents),
        parentsOf,
      ),
    after: (row) => walk(childrenOf(row.id), childrenOf),
  }
}
