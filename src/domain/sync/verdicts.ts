import { compareRows, type SyncRow, type Verdict, type VerdictContent } from './sync-row.js'

/** What replicas agree on about two rows. */
export interface PairState {
  /** In the order of rows: the older first. */
  readonly pair: readonly [string, string]
  readonly verdict: Verdict
  readonly human: boolean
  /** The row that says so. */
  readonly by: string
}

/** What verdicts make of the rows that are heads now. */
export interface VerdictState {
  readonly pairs: readonly PairState[]
  /** Rows that say the same, each group with the one that answers for it first. */
  readonly duplicates: readonly (readonly string[])[]
  /** The later row refines the earlier, which is served no more until its key gets another head. */
  readonly refined: readonly { readonly superseded: string; readonly by: string }[]
}

/** A row that verdicts may name. */
export interface JudgedRow {
  readonly row: SyncRow
  readonly pinned: boolean
}

/** What stays visible goes first: replicas that disagree keep more rather than less. */
const ORDER: readonly Verdict[] = ['conflict', 'clear', 'duplicate', 'refines']

const rankOf = ({ human, content }: SyncRow): number => (human ? -1 : ORDER.indexOf((content as VerdictContent).verdict))

const compareVerdicts = (a: SyncRow, b: SyncRow): number => rankOf(a) - rankOf(b) || compareRows(b, a)

/**
 * Merges verdicts. One that names a row which is not a readable head, as one that was erased, redacted or replaced, says nothing.
 *
 * @param verdicts those that no other verdict replaces
 * @param judged by id, the readable heads of a namespace
 */
export const verdictStateOf = (verdicts: readonly SyncRow[], judged: ReadonlyMap<string, JudgedRow>): VerdictState => {
  const byPair = new Map<string, { readonly pair: readonly [SyncRow, SyncRow]; said: SyncRow }>()
  for (const verdict of verdicts) {
    if (verdict.content?.of !== 'verdict') continue
    const [a, b] = verdict.content.pair.map((id) => judged.get(id)?.row)
    if (a === undefined || b === undefined || a.id === b.id || a.nc !== verdict.nc || b.nc !== verdict.nc) continue
    const pair: readonly [SyncRow, SyncRow] = compareRows(a, b) < 0 ? [a, b] : [b, a]
    const name = `${pair[0].id} ${pair[1].id}`
    const known = byPair.get(name)
    if (known === undefined) byPair.set(name, { pair, said: verdict })
    else if (compareVerdicts(verdict, known.said) < 0) known.said = verdict
  }
  const pairs = [...byPair]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { pair, said }]): PairState & { readonly rows: readonly [SyncRow, SyncRow] } => ({
      pair: [pair[0].id, pair[1].id],
      verdict: (said.content as VerdictContent).verdict,
      human: said.human,
      by: said.id,
      rows: pair,
    }))
  return {
    pairs: pairs.map(({ pair, verdict, human, by }) => ({ pair, verdict, human, by })),
    duplicates: groupsOf(
      pairs.filter(({ verdict }) => verdict === 'duplicate').map(({ pair }) => pair),
      judged,
    ),
    refined: pairs.filter(({ verdict }) => verdict === 'refines').map(({ pair: [superseded, by] }) => ({ superseded, by })),
  }
}

const groupsOf = (
  pairs: readonly (readonly [string, string])[],
  judged: ReadonlyMap<string, JudgedRow>,
): readonly (readonly string[])[] => {
  const leader = new Map<string, string>()
  const find = (id: string): string => {
    const above = leader.get(id) ?? id
    return above === id ? id : find(above)
  }
  for (const [a, b] of pairs) {
    leader.set(a, find(a))
    leader.set(find(b), find(a))
  }
  const groups = new Map<string, JudgedRow[]>()
  for (const id of leader.keys()) {
    const group = groups.get(find(id)) ?? []
    group.push(judged.get(id) as JudgedRow)
    groups.set(find(id), group)
  }
  return [...groups.values()]
    .map((group) => group.sort(compareMembers).map(({ row }) => row.id))
    .sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1))
}

/** What is pinned answers for its duplicates, else the oldest. */
const compareMembers = (a: JudgedRow, b: JudgedRow): number =>
  Number(b.pinned) - Number(a.pinned) || compareRows(a.row, b.row)
