import { descentOf } from './descent.js'
import { type Epochs, epochsOf, erasedAt, isErased } from './epochs.js'
import { type KeyState, rowsByKey, type Standing, stateOfKey } from './key-state.js'
import { redactedIn } from './redaction.js'
import { compareRows, isValue, mustBeUnderstood, type SyncRow } from './sync-row.js'
import { type JudgedRow, type VerdictState, verdictStateOf } from './verdicts.js'

/** What a set of rows says of a namespace beside its keys. */
export interface NamespaceState {
  readonly epoch: number
  readonly blocked: boolean
  /** Ids of the policies that no other policy replaces, the latest first. */
  readonly policies: readonly string[]
  readonly verdicts: VerdictState
  readonly waiting: readonly string[]
  readonly readOnly: boolean
}

/** All that replicas agree on. */
export interface State {
  readonly keys: ReadonlyMap<string, KeyState>
  readonly namespaces: ReadonlyMap<string, NamespaceState>
}

/** The state, a function of the set of rows and of nothing else: no order of arrival, no clock, no model. */
export const stateOf = (set: readonly SyncRow[]): State => {
  const epochs = epochsOf(set)
  const grouped = rowsByKey(set)
  const keys = new Map([...grouped].map(([key, rows]) => [key, stateOfKey(rows, epochs)]))
  const namespaces = new Map<string, SyncRow[]>()
  for (const row of set) {
    const rows = namespaces.get(row.nc) ?? []
    if (rows.length === 0) namespaces.set(row.nc, rows)
    if (row.kc === null) rows.push(row)
  }
  const judged = judgedIn(set, keys)
  return {
    keys,
    namespaces: new Map([...namespaces].map(([nc, rows]) => [nc, namespaceState(nc, rows, epochs, judged)])),
  }
}

/** The state of a namespace, from its rows that stand under no key and from the readable heads of its keys. */
export const namespaceState = (
  nc: string,
  rows: readonly SyncRow[],
  epochs: Epochs,
  judged: ReadonlyMap<string, JudgedRow>,
): NamespaceState => {
  const { epoch, blocked } = erasedAt(epochs, { nc, kc: null })
  const admissible = rows.filter((row) => row.kind !== 'erase' && !isErased(row, epochs))
  const descent = descentOf(admissible, epoch)
  const lane = (kind: string): readonly SyncRow[] => {
    const all = descent.visible.filter((row) => row.kind === kind)
    const replaced = descent.before(all)
    return all.filter(({ id }) => !replaced.has(id)).sort((a, b) => compareRows(b, a))
  }
  return {
    epoch,
    blocked,
    policies: lane('policy').map(({ id }) => id),
    verdicts: verdictStateOf(lane('verdict'), judged),
    waiting: [...descent.waiting].sort(),
    readOnly: admissible.some(mustBeUnderstood),
  }
}

/** Heads whose value is served or could be: what a verdict may be about. */
const JUDGED: ReadonlySet<Standing> = new Set(['winner', 'agrees', 'conflicted', 'pinned_conflict', 'locked_conflict'])

const judgedIn = (set: readonly SyncRow[], keys: ReadonlyMap<string, KeyState>): ReadonlyMap<string, JudgedRow> => {
  const byId = new Map(set.map((row) => [row.id, row]))
  const judged = new Map<string, JudgedRow>()
  for (const { heads, bare, guard } of keys.values())
    for (const { id, standing } of heads) {
      const row = byId.get(id)
      if (row === undefined || !isValue(row) || !JUDGED.has(standing) || bare.includes(id)) continue
      judged.set(id, { row, pinned: guard.pinned && standing === 'winner' })
    }
  return judged
}

/** Rows that must be removed, text and all, and rows of which only the text must: what a replica does after it took rows in. */
export const leavingOf = (
  set: readonly SyncRow[],
): { readonly erased: readonly string[]; readonly redacted: readonly string[] } => {
  const epochs = epochsOf(set)
  const erased = set.filter((row) => isErased(row, epochs)).map(({ id }) => id)
  return { erased, redacted: [...redactedIn(set)] }
}
