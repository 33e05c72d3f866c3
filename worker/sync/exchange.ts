import { cursorAfter, nextStep } from '../../src/domain/sync/exchange.js'
import { type RowStep, rowStep } from '../../src/domain/sync/refusals.js'
import { rowHash, runningDigest } from '../../src/domain/sync/row-digest.js'
import { isBeyondGate } from '../../src/domain/sync/stamp.js'
import { rowIdOf } from '../../src/domain/sync/sync-row.js'
import { MAX_PUSH_ROWS, type PullResponse } from '../../src/schema/sync-wire.js'
import type { OutgoingRow, SettledRow, SyncStore } from './store-port.js'
import type { Failure, Pushed, Transport } from './transport.js'

/** How often a page may come incomplete, or a server begin anew, before it is left alone for a while. */
const PATIENCE = 3

const BROKEN: Failure = { why: 'unreachable', status: 200, retryAfterMs: null }

type Page = Extract<PullResponse, { readonly more: boolean }>

/** Makes the exchange of rows: reads all that the server has, then writes what it lacks. Answers what kept it from that, or null. */
export const createExchange = (store: SyncStore, transport: Transport): (() => Promise<Failure | null>) => {
  /** The latest time that the server said it was: its clock may be set back. */
  let latestMs = 0
  const hear = ({ now }: { readonly now: number }): void => {
    latestMs = Math.max(latestMs, now)
  }

  /** What stands now, before any history: enough to answer from while the rest comes. */
  const readHeads = async (): Promise<Failure | null> => {
    for (let at: number | null = null, before: number | null = null; ; ) {
      const answer = await transport.heads({ dev: await store.device(), at, before })
      if ('failure' in answer) return answer.failure
      const { rows, more } = answer.value
      await store.take(
        rows.map(({ row }) => row),
        null,
      )
      if (!more) return null
      if (before !== null && answer.value.before >= before) return BROKEN
      at = answer.value.at
      before = answer.value.before
    }
  }

  const takePage = async (page: Page): Promise<boolean> => {
    const cursor = { ...(await store.cursor()), epoch: page.epoch }
    const digest = runningDigest(cursor.digest)
    for (const { row } of page.rows) digest.add(rowHash(row))
    const ends = { after: cursor.seq, upTo: page.cursor, digestUpTo: page.cursorDigest }
    const next = cursorAfter(cursor, ends, digest.hex())
    await store.take(
      page.rows.map(({ row }) => row),
      next,
    )
    // A page that promises more and brings nothing would be asked for for ever.
    return next !== null && !(page.more && next.seq === cursor.seq)
  }

  const pull = async (): Promise<Failure | null> => {
    for (let left = PATIENCE; ; ) {
      const cursor = await store.cursor()
      const { seq, digest, epoch } = cursor
      const answer = await transport.pull({ dev: await store.device(), cursor: seq, digest, epoch })
      if ('failure' in answer) return answer.failure
      const { value } = answer
      hear(value)
      const view = { epoch: value.epoch, head: value.head, digestAtCursor: digest }
      if ('rebase' in value || nextStep(cursor, view).do === 'rebase') {
        if (left-- === 0) return BROKEN
        await store.rebase(value.epoch)
        // Before anything is read: nobody is to be handed what is gone.
        const failure = await push('removals')
        if (failure !== null) return failure
        continue
      }
      if (!(await takePage(value))) {
        if (left-- === 0) return BROKEN
      } else if (!value.more) {
        await store.atHead()
        return null
      }
    }
  }

  const push = async (only: 'all' | 'removals'): Promise<Failure | null> => {
    /** Rows that this exchange has done for what it can. */
    const done = new Set<string>()
    const stamped = new Set<string>()
    for (;;) {
      const rows = await store.unsynced(MAX_PUSH_ROWS, only, done)
      if (rows.length === 0) return null
      const answer = await transport.push(
        await store.device(),
        rows.map(({ row }) => row),
      )
      if ('failure' in answer) {
        const { failure } = answer
        if (failure.why !== 'refused' || failure.status !== 413) return failure
        // Sent alone, and still too large: it keeps no other row back.
        const [first] = rows as [OutgoingRow]
        await store.settle([settled(first, { quarantine: 'too_large' }, null, failure.error)], 0)
        continue
      }
      const steps = stepsOf(rows, answer.value, latestMs)
      hear(answer.value)
      await store.settle(steps, answer.value.now)
      for (const { id, step } of steps) {
        const isSettled = step !== 'later' && !(step === 'restamp' && stamped.has(id))
        if (step === 'restamp') stamped.add(id)
        if (!isSettled) done.add(id)
      }
    }
  }

  return async () => {
    if ((await store.cursor()).epoch === null) {
      const failure = await readHeads()
      if (failure !== null) return failure
    }
    return (await pull()) ?? (await push('all'))
  }
}

const settled = ({ row }: OutgoingRow, step: RowStep, seq: number | null, reason: string | null): SettledRow => ({
  id: rowIdOf(row),
  step,
  seq,
  reason,
})

const stepsOf = (rows: readonly OutgoingRow[], { results }: Pushed, latestMs: number): readonly SettledRow[] =>
  results.map(({ status, seq, reason }, i) => {
    const row = rows[i] as OutgoingRow
    const wasDue = !isBeyondGate(BigInt(row.row.ver), latestMs)
    return settled(row, rowStep(status, { ...row, wasDue }), seq ?? null, reason ?? null)
  })
