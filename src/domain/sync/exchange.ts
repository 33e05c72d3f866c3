import { compareRows, type SyncRow } from './sync-row.js'

/** How far a replica has read, and what it knows of the server it read from. */
export interface Cursor {
  /** The server's own epoch; null before the first exchange. Another means other storage behind the same address. */
  readonly epoch: string | null
  readonly seq: number
  /** The digest of all rows up to `seq`. */
  readonly digest: string
}

/** What a server says of itself when it is asked with a cursor. */
export interface ServerView {
  readonly epoch: string
  readonly head: number
  /** Its digest at the replica's cursor; null when the cursor is beyond its head. */
  readonly digestAtCursor: string | null
}

/**
 * `rebase`: the server is not the one that was read from, or has lost something. Every held row counts as not acknowledged, reading begins
 * anew, removals are pushed before anything is read.
 */
export type Step = { readonly do: 'go_on'; readonly epoch: string } | { readonly do: 'rebase'; readonly epoch: string }

export const nextStep = (cursor: Cursor, server: ServerView): Step => {
  const { epoch } = server
  // Nothing was read or written yet: there is nothing to compare with.
  if (cursor.epoch === null) return { do: 'go_on', epoch }
  const same = cursor.epoch === epoch && cursor.seq <= server.head && server.digestAtCursor === cursor.digest
  return { do: same ? 'go_on' : 'rebase', epoch }
}

/** A page of rows as it arrived. */
export interface PageEnds {
  /** The cursor that it was asked with. */
  readonly after: number
  /** The sequence number of its last row. */
  readonly upTo: number
  readonly digestUpTo: string
}

/** The cursor after a page, or null when the page does not follow the cursor or lacks rows: then its rows are kept, and it is asked for again. */
export const cursorAfter = (cursor: Cursor, page: PageEnds, digestHere: string): Cursor | null =>
  page.after === cursor.seq && page.upTo >= cursor.seq && page.digestUpTo === digestHere
    ? { ...cursor, seq: page.upTo, digest: digestHere }
    : null

/**
 * What is known of a row's place on the server: nothing; the server told of it, by its answer to a push or on a page that the cursor could
 * not pass; or it was read below the cursor, where the digest vouches for it.
 */
export type Presence = 'no' | 'told' | 'read'

export const presenceAfter = (before: Presence, isCovered: boolean): Presence =>
  isCovered || before === 'read' ? 'read' : 'told'

/**
 * Asked when everything up to the server's head was read: a row that was told of and not read has been lost since. No digest shows that,
 * for the loss lies beyond where the cursor stood.
 */
export const isLost = (presence: Presence): boolean => presence === 'told'

/** Erasures and redactions: what takes text away, and works before its own past is there. */
export const isRemoval = ({ kind }: Pick<SyncRow, 'kind'>): boolean => kind === 'erase' || kind === 'redact'

/** Rows in the order in which they are pushed: removals first, so that no server that was set back hands out what is gone; then parents first. */
export const pushOrder = <Row extends Pick<SyncRow, 'id' | 'ver' | 'kind'>>(rows: readonly Row[]): readonly Row[] =>
  [...rows].sort((a, b) => Number(isRemoval(b)) - Number(isRemoval(a)) || compareRows(a, b))

/** Rows that can be pushed: all but those in quarantine and what was written on top of them, which would wait elsewhere for ever. */
export const pushable = <Row extends Pick<SyncRow, 'id' | 'ver' | 'kind' | 'parents'>>(
  rows: readonly Row[],
  quarantined: ReadonlySet<string>,
): readonly Row[] => {
  const back = new Set(quarantined)
  for (const row of [...rows].sort(compareRows))
    if (!isRemoval(row) && row.parents.some((parent) => back.has(parent))) back.add(row.id)
  return pushOrder(rows.filter(({ id }) => !back.has(id)))
}

/** Counters that are missing below the highest that is held, by device: what a server withholds shows here. */
export const gapsOf = (counters: ReadonlyMap<string, readonly number[]>): ReadonlyMap<string, readonly number[]> => {
  const gaps = new Map<string, readonly number[]>()
  for (const [dev, held] of counters) {
    const here = new Set(held)
    const missing: number[] = []
    for (let dseq = 1; dseq < Math.max(0, ...held); dseq++) if (!here.has(dseq)) missing.push(dseq)
    if (missing.length > 0) gaps.set(dev, missing)
  }
  return gaps
}
