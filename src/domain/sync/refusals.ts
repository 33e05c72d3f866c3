/** What a server says to one pushed row. */
export type RowAnswer = 'ok' | 'dup' | 'erased' | 'skew' | 'collision' | 'invalid' | 'too_large' | 'quota'

/** What is known of a pushed row here. */
export interface PushedRow {
  readonly isOwn: boolean
  /** Some server took it once, so that others may have it. */
  readonly everAccepted: boolean
  /**
   * The server's clock has stood where it takes this version. If an answer was lost then, others may have the row although nobody told this
   * device; and that the server refuses it now means that its clock was set back.
   */
  readonly wasDue: boolean
}

/**
 * What follows. `await_erasure`: the row is pushed no more and goes when the erasure comes that the server knows of; nothing is deleted on a
 * server's bare word. `later`: it stays in the outbox. `quarantine`: it stays here, is shown, and keeps no other row back.
 */
export type RowStep =
  | 'acknowledged'
  | 'await_erasure'
  | 'restamp'
  | 'reissue'
  | 'later'
  | { readonly quarantine: 'invalid' | 'too_large' | 'quota' }

export const rowStep = (answer: RowAnswer, row: PushedRow): RowStep => {
  switch (answer) {
    case 'ok':
    case 'dup':
      return 'acknowledged'
    case 'erased':
      return 'await_erasure'
    case 'skew':
      // A row that others may have keeps its version: it is taken once that time has come.
      return row.isOwn && !row.everAccepted && !row.wasDue ? 'restamp' : 'later'
    case 'collision':
      return 'reissue'
    case 'invalid':
    case 'too_large':
    case 'quota':
      return { quarantine: answer }
  }
}

/** What a whole exchange came to, when it was not answered row by row. */
export type BatchStep =
  | { readonly do: 'refresh_token' }
  | { readonly do: 'needs_auth' }
  /** Told to the person; nothing is tried until something changes. */
  | { readonly do: 'stop'; readonly why: 'forbidden' | 'version' | 'refused' }
  | { readonly do: 'halve' }
  | { readonly do: 'back_off' }

/**
 * By the status of an answer; 0 stands for none. None of these puts a row into quarantine.
 *
 * @param rows how many were in the batch
 * @param refreshed whether the token was asked for anew for this exchange
 */
export const batchStep = (status: number, rows: number, refreshed: boolean): BatchStep => {
  if (status === 401) return refreshed ? { do: 'needs_auth' } : { do: 'refresh_token' }
  if (status === 403) return { do: 'stop', why: 'forbidden' }
  if (status === 426) return { do: 'stop', why: 'version' }
  if (status === 413) return rows > 1 ? { do: 'halve' } : { do: 'stop', why: 'refused' }
  if (status === 0 || status === 408 || status === 425 || status === 429 || status >= 500) return { do: 'back_off' }
  // A success that could not be read is a broken connection, whatever its status said.
  return status >= 400 ? { do: 'stop', why: 'refused' } : { do: 'back_off' }
}

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 300_000

/**
 * How long to wait before the next attempt, in milliseconds: anywhere up to a bound that doubles, so that many clients do not come back at
 * once. What the server asks for is waited out in full.
 *
 * @param attempt failures so far, from 1
 * @param chance from 0 to 1
 */
export const backoffMs = (attempt: number, chance: number, retryAfterMs: number | null): number => {
  const bound = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempt - 1, 20))
  return Math.round((retryAfterMs ?? 0) + bound * chance)
}
