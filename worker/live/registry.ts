import type { BoundScope } from '../../src/domain/scope.js'
import type { CallName } from '../../src/protocol/calls.js'
import type { ChangeEvent } from '../../src/protocol/events.js'
import type { Outcome } from '../../src/protocol/wire.js'
import type { MemoryRow } from '../../src/schema/records.js'

/** What a live query pushes after a change: the whole result and what became of it since the last push. */
export interface LiveDelta {
  readonly rows: readonly MemoryRow[]
  readonly added: readonly MemoryRow[]
  readonly changed: readonly MemoryRow[]
  readonly removed: readonly string[]
}

export interface LiveRegistryParts {
  readonly call: (name: CallName, input: unknown, scope: BoundScope) => Promise<Outcome<unknown>>
  readonly push: (id: string, outcome: Outcome<LiveDelta>) => void
  /** Epoch milliseconds. */
  readonly now: () => number
}

export interface LiveRegistry {
  readonly open: (id: string, scope: BoundScope, target: Readonly<Record<string, unknown>>) => void
  readonly close: (id: string) => void
  /** Reads again whatever the changes may touch; null stands for anything. */
  readonly changed: (changes: ChangeEvent['changes'] | null) => void
}

interface Entry {
  readonly scope: BoundScope
  readonly target: Readonly<Record<string, unknown>>
  shown: ReadonlyMap<string, string> | null
  running: boolean
  stale: boolean
  /** Wakes it when the first of what it shows leaves service. */
  timer: ReturnType<typeof setTimeout> | undefined
}

/** Changes that arrive together are answered by one read. */
const GATHER_MS = 5

/** Browsers count to 2³¹ milliseconds; nobody looks at one page for longer. */
const LONGEST_TIMER = 2 ** 31 - 1

/** Live queries of one page: each is read again after a change, and pushed only when its answer differs. */
export const createLiveRegistry = ({ call, push, now }: LiveRegistryParts): LiveRegistry => {
  const entries = new Map<string, Entry>()

  const refresh = async (id: string, entry: Entry): Promise<void> => {
    entry.stale = true
    if (entry.running) return
    entry.running = true
    while (entry.stale && entries.get(id) === entry) {
      await new Promise<void>((resume) => setTimeout(resume, entry.shown === null ? 0 : GATHER_MS))
      entry.stale = false
      const outcome = await call(...callOf(entry.target), entry.scope)
      if (entries.get(id) !== entry) return
      deliver(id, entry, outcome)
    }
    entry.running = false
  }

  const deliver = (id: string, entry: Entry, outcome: Outcome<unknown>): void => {
    if (!outcome.ok) {
      entry.shown = null
      return push(id, outcome)
    }
    const rows = rowsOf(outcome.value)
    wakeAt(id, entry, rows)
    const delta = deltaOf(entry.shown, rows)
    if (delta === null) return
    entry.shown = new Map(rows.map((row) => [row.id, stateOf(row)]))
    push(id, { ok: true, value: delta })
  }

  const wakeAt = (id: string, entry: Entry, rows: readonly MemoryRow[]): void => {
    clearTimeout(entry.timer)
    // What had ended before is shown since an earlier time was asked for.
    const left = Math.min(...rows.flatMap(endsOf).flatMap((end) => (end > now() ? [end - now()] : [])))
    if (left < LONGEST_TIMER) entry.timer = setTimeout(() => void refresh(id, entry), left + GATHER_MS)
  }

  return {
    open: (id, scope, target) => {
      const entry: Entry = { scope, target, shown: null, running: false, stale: false, timer: undefined }
      entries.set(id, entry)
      void refresh(id, entry)
    },
    close: (id) => {
      clearTimeout(entries.get(id)?.timer)
      entries.delete(id)
    },
    changed: (changes) => {
      for (const [id, entry] of entries)
        if (changes === null || changes.some(({ key }) => mayTouch(entry.target, key))) void refresh(id, entry)
    },
  }
}

const callOf = (target: Readonly<Record<string, unknown>>): readonly [CallName, unknown] =>
  'query' in target ? ['memory.search', target] : 'key' in target ? ['memory.get', target] : ['memory.list', target]

/** A watched key is touched by itself alone; ranks and filters may be moved by anything. */
const mayTouch = (target: Readonly<Record<string, unknown>>, key: string): boolean =>
  typeof target['key'] !== 'string' || target['key'].normalize('NFC') === key

const rowsOf = (value: unknown): readonly MemoryRow[] => {
  if (value === null) return []
  const answer = value as { readonly rows?: readonly MemoryRow[]; readonly hits?: readonly MemoryRow[] }
  return answer.rows ?? answer.hits ?? [value as MemoryRow]
}

/** When a row leaves service by itself. */
const endsOf = ({ validTo, expiresAt }: MemoryRow): readonly number[] => [validTo, expiresAt].filter((end) => end !== null)

/** What a reader of a row would notice. */
const stateOf = (row: MemoryRow): string => row.version

const deltaOf = (shown: ReadonlyMap<string, string> | null, rows: readonly MemoryRow[]): LiveDelta | null => {
  const before = shown ?? new Map<string, string>()
  const added = rows.filter(({ id }) => !before.has(id))
  const changed = rows.filter((row) => before.has(row.id) && before.get(row.id) !== stateOf(row))
  const now = new Set(rows.map(({ id }) => id))
  const removed = [...before.keys()].filter((id) => !now.has(id))
  const sameOrder = [...before.keys()].join() === rows.map(({ id }) => id).join()
  if (shown !== null && sameOrder && changed.length === 0) return null
  return { rows, added, changed, removed }
}
