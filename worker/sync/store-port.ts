import type { Cursor } from '../../src/domain/sync/exchange.js'
import type { RowStep } from '../../src/domain/sync/refusals.js'
import type { WireRow } from '../../src/schema/sync-wire.js'

/** A row on its way out. */
export interface OutgoingRow {
  readonly row: WireRow
  readonly isOwn: boolean
  /** Some server took it once, so that others may have it. */
  readonly everAccepted: boolean
}

/** What follows for a pushed row from what the server said to it. */
export interface SettledRow {
  readonly id: string
  readonly step: RowStep
  readonly seq: number | null
  /** The server's words, for whoever looks at the quarantine. */
  readonly reason: string | null
}

/**
 * What syncing needs of a store. Each call is one transaction: after a crash it was carried out or it was not. The rules are in
 * `src/domain/sync`; what an implementer would get wrong is said here.
 */
export interface SyncStore {
  /** The device id that rows are written under now; another one after a collision. */
  readonly device: () => Promise<string>
  readonly cursor: () => Promise<Cursor>
  /**
   * Rows that the server does not have, as far as is known: neither told nor read there, not in quarantine nor on top of what is, not
   * awaiting an erasure. In the order of `pushOrder`; sealed, for rows of other devices as they came.
   */
  readonly unsynced: (
    limit: number,
    only: 'all' | 'removals',
    without: ReadonlySet<string>,
  ) => Promise<readonly OutgoingRow[]>
  /**
   * Takes rows, and moves the cursor if there is one to move to. Without one they count as told of, not as read: no digest vouches for
   * them. A row that is here with other bytes is a collision: this device's is issued again. Erasures and redactions apply before the
   * call returns.
   */
  readonly take: (rows: readonly WireRow[], cursor: Cursor | null) => Promise<void>
  /** All was read: rows that the server only told of count as unsynced again. */
  readonly atHead: () => Promise<void>
  /** Begins anew: the cursor at 0 under another epoch, every row unsynced, none deleted. */
  readonly rebase: (epoch: string) => Promise<void>
  readonly settle: (rows: readonly SettledRow[], serverNowMs: number) => Promise<void>
}
