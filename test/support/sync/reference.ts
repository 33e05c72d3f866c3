import type { GuardContent, SyncRow } from '../../../src/domain/sync/sync-row.js'

/**
 * The rules of merging as they are stated, without a thought for speed: what the real core is held against. Shares nothing with it but
 * types.
 */
export const referenceState = (set: readonly SyncRow[]): ReadonlyMap<string, unknown> => {
  const keys = new Set(set.flatMap(({ nc, kc }) => (kc === null ? [] : [`${nc} ${kc}`])))
  return new Map([...keys].map((key) => [key, keyState(set, key)]))
}

const FORTNIGHT = 14n * 86_400_000_000_000n

const keyState = (set: readonly SyncRow[], key: string): unknown => {
  const ours = set.filter(({ nc, kc }) => kc !== null && `${nc} ${kc}` === key)
  const [{ nc }] = ours as [SyncRow]
  const erasures = set.filter((row) => row.kind === 'erase' && row.nc === nc && (row.kc === null || ours.includes(row)))
  const epoch = Math.max(0, ...erasures.map(({ kepoch }) => kepoch))
  const blocked = erasures.some(({ content }) => content?.of === 'erase' && content.block)
  const left = blocked ? [] : ours.filter(({ kind, kepoch }) => kind !== 'erase' && kepoch >= epoch)
  const isNamed = (row: SyncRow): boolean =>
    left.some(({ kind, target, kepoch }) => {
      const was = row.content?.of === 'life' ? row.content.was : undefined
      return kind === 'redact' && target !== null && kepoch >= row.kepoch && (target === row.id || target === was)
    })
  const alive = left.map((row) => (isNamed(row) ? { ...row, content: null } : row))

  let shown: SyncRow[] = []
  for (;;) {
    const ids = new Set(shown.map(({ id }) => id))
    const next = alive.filter(({ kepoch, parents }) => kepoch <= epoch && parents.every((id) => ids.has(id)))
    if (next.length === shown.length) break
    shown = next
  }
  const byId = new Map(shown.map((row) => [row.id, row]))
  const past = new Map<string, ReadonlySet<string>>()
  const pastOf = (row: SyncRow): ReadonlySet<string> => {
    const known = past.get(row.id)
    if (known !== undefined) return known
    const made = new Set(row.parents.flatMap((id) => [id, ...pastOf(byId.get(id) as SyncRow)]))
    past.set(row.id, made)
    return made
  }
  const knows = (later: SyncRow, earlier: SyncRow): boolean => pastOf(later).has(earlier.id)

  const isBare = (row: SyncRow): boolean => (row.kind === 'set' || row.kind === 'restore') && row.content === null
  const life = shown.filter((row) => {
    if (row.kind !== 'restore') return row.kind === 'set' || row.kind === 'tomb'
    const graves = row.parents.map((id) => byId.get(id)).filter((parent) => parent?.kind === 'tomb')
    return graves.every((grave) => row.ver - (grave as SyncRow).ver <= FORTNIGHT)
  })

  const newest = (rows: readonly SyncRow[]): SyncRow[] => rows.filter((row) => !rows.some((other) => knows(other, row)))
  const guardHeads = newest(shown.filter(({ kind, content }) => kind === 'guard' && content !== null))
  const people = guardHeads.filter(({ human }) => human)
  const guards = people.length > 0 ? people : guardHeads
  const content = (guard: SyncRow): GuardContent => guard.content as GuardContent
  const under = (guard: SyncRow): SyncRow[] =>
    newest(life.filter((row) => knows(guard, row))).filter(({ kind }) => kind !== 'tomb')
  const mayPass = (guard: SyncRow, row: SyncRow): boolean => {
    const { pinned, lockMode, lockUntil } = content(guard)
    if (pinned && !knows(row, guard)) return false
    if (lockMode === null || (lockMode === 'no_delete' && row.kind !== 'tomb')) return true
    return lockUntil !== null && row.ver > lockUntil
  }
  const holds = (guard: SyncRow, row: SyncRow): boolean =>
    under(guard).includes(row) && !life.some((other) => knows(other, row) && mayPass(guard, other))
  const pinners = (row: SyncRow): SyncRow[] =>
    guards.filter((guard) => content(guard).pinned && (knows(row, guard) || under(guard).includes(row)))
  const isLocked = (row: SyncRow): boolean => guards.some((guard) => content(guard).lockMode !== null && holds(guard, row))

  const rank = (row: SyncRow): number => {
    const by = pinners(row)
    if (row.kind === 'tomb') return row.human ? 0 : 4
    if (isBare(row)) return 6
    if (by.some(({ human }) => human) || isLocked(row) || (by.length > 0 && row.human)) return 1
    return row.human ? 2 : by.length > 0 ? 3 : 5
  }
  const order = (a: SyncRow, b: SyncRow): number => {
    if (a.ver !== b.ver) return a.ver > b.ver ? -1 : 1
    const [x, y] = [a.id.split('.'), b.id.split('.')] as [[string, string], [string, string]]
    return x[0] === y[0] ? Number(y[1]) - Number(x[1]) : x[0] > y[0] ? -1 : 1
  }
  const last = newest(life)
  const heads = life
    .filter((row) => last.includes(row) || guards.some((guard) => holds(guard, row)))
    .sort((a, b) => rank(a) - rank(b) || order(a, b))
  const [winner] = heads
  const said = (row: SyncRow): unknown => (row.content?.of === 'life' ? row.content.sha256 : null)
  const standing = (row: SyncRow, best: SyncRow): string => {
    if (row === best) return 'winner'
    if (best.kind === 'tomb') return row.kind === 'tomb' ? 'agrees' : isBare(row) ? 'bare' : 'buried'
    if (row.kind === 'tomb') return 'overruled'
    if (isBare(row)) return 'bare'
    if (said(row) === said(best)) return 'agrees'
    if (isLocked(best) && !isLocked(row)) return 'locked_conflict'
    return pinners(best).length > 0 && pinners(row).length === 0 ? 'pinned_conflict' : 'conflicted'
  }
  const standings = heads.map((row) => ({ id: row.id, standing: standing(row, winner as SyncRow) }))
  const fighting = standings.filter((head) => head.standing === 'winner' || head.standing === 'conflicted')
  const locks = guards.filter((guard) => content(guard).lockMode !== null).map(content)
  const ends = locks.map(({ lockUntil }) => lockUntil)
  const reviews = newest(shown.filter(({ kind }) => kind === 'review'))
  return {
    epoch,
    blocked,
    heads: standings,
    deleted: winner?.kind === 'tomb',
    conflict: fighting.length > 1 ? fighting.map(({ id }) => id) : [],
    reinforcement: winner === undefined || rank(winner) === 6 || winner.kind === 'tomb' ? 0 : timesSaid(),
    guard: {
      heads: [...guardHeads].sort((a, b) => order(b, a)).map(({ id }) => id),
      pinned: guards.some((guard) => content(guard).pinned),
      lockMode: locks.some(({ lockMode }) => lockMode === 'read_only') ? 'read_only' : (locks[0]?.lockMode ?? null),
      lockUntil: ends.includes(null) || ends.length === 0 ? null : ends.reduce((a, b) => ((a ?? 0n) > (b ?? 0n) ? a : b)),
    },
    reviews: [...reviews].sort((a, b) => Number(b.human) - Number(a.human) || order(a, b)).map(({ id }) => id),
    bare: shown
      .filter(isBare)
      .map(({ id }) => id)
      .sort(),
    waiting: alive
      .filter((row) => !shown.includes(row))
      .map(({ id }) => id)
      .sort(),
    readOnly: alive.some(({ kind }) => kind.endsWith('-required')),
  }

  function timesSaid(): number {
    const reached = new Set<SyncRow>()
    const go = (row: SyncRow | undefined): void => {
      if (row === undefined || row.kind === 'tomb' || reached.has(row)) return
      reached.add(row)
      for (const id of row.parents) go(byId.get(id))
    }
    for (const row of heads) if (!isBare(row) && said(row) === said(winner as SyncRow)) go(row)
    let times = 0
    for (const row of reached)
      if (row.content?.of === 'life' && said(row) === said(winner as SyncRow)) times += row.content.adds
    return times
  }
}
