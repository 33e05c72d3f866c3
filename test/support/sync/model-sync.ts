import type { RowAnswer } from '../../../src/domain/sync/refusals.js'
import type { Core } from './core.js'
import type { Held, ModelDevice } from './model-device.js'
import type { ModelRow, ModelServer, Page } from './model-server.js'

/** What goes wrong in one exchange. */
export interface Faults {
  readonly pageSize: number
  readonly batchSize: number
  /** Pages that are read before the connection breaks. */
  readonly pages: number
  readonly batches: number
  readonly loseAck: boolean
  readonly repeat: boolean
  readonly reorder: boolean
  readonly truncate: boolean
  /** Some rows are read before all others, as a new device reads the heads first. */
  readonly ahead: boolean
}

export const NO_FAULTS: Faults = {
  pageSize: 1_000,
  batchSize: 500,
  pages: 100,
  batches: 100,
  loseAck: false,
  repeat: false,
  reorder: false,
  truncate: false,
  ahead: false,
}

/** One exchange of a device with the server: asks where it stands, reads, writes. Says whether anything changed. */
export const exchange = (
  core: Core,
  device: ModelDevice,
  server: ModelServer,
  { localNowMs, serverNowMs }: { readonly localNowMs: number; readonly serverNowMs: number },
  faults: Faults,
): boolean => {
  const { kept } = device
  let changed = false

  const push = (rows: readonly ModelRow[]): void => {
    for (let i = 0; i < faults.batches && i * faults.batchSize < rows.length; i++) {
      // An answer to an earlier batch may have had some written again.
      const batch = rows
        .slice(i * faults.batchSize, (i + 1) * faults.batchSize)
        .filter(({ id, hash }) => kept.held.get(id)?.row.hash === hash)
      if (batch.length === 0) continue
      changed = true
      let answers = server.push(batch, serverNowMs)
      if (faults.repeat) answers = server.push(batch, serverNowMs)
      // The connection broke: nobody knows what was taken.
      if (faults.loseAck) return
      settle(batch, answers)
    }
  }

  const settle = (batch: readonly ModelRow[], answers: readonly RowAnswer[]): void => {
    const late: ModelRow[] = []
    const collided = new Set<string>()
    batch.forEach((row, i) => {
      const held = kept.held.get(row.id) as Held
      const pushed = {
        isOwn: device.isOwn(row.id),
        everAccepted: held.everAccepted,
        wasDue: !core.isBeyondGate(row.ver, kept.latestMs),
      }
      const step = core.rowStep(answers[i] as RowAnswer, pushed)
      if (step === 'acknowledged') kept.held.set(row.id, { ...held, there: 'told', everAccepted: true })
      else if (step === 'await_erasure') kept.awaiting.add(row.id)
      else if (step === 'restamp') late.push(row)
      else if (step === 'reissue') collided.add(row.id)
      else if (step !== 'later') kept.quarantine.add(row.id)
    })
    if (late.length > 0) device.restamp(late, localNowMs, serverNowMs)
    if (collided.size > 0) device.reissue(collided)
  }

  const outbox = (only: (row: ModelRow) => boolean): readonly ModelRow[] => {
    const unsent = [...kept.held.values()].filter(({ there, row }) => there === 'no' && !kept.awaiting.has(row.id))
    return core
      .pushable(
        unsent.map(({ row }) => row),
        kept.quarantine,
      )
      .filter(only)
  }

  const receive = ({ rows, ends }: Page): void => {
    const next = core.cursorAfter(kept.cursor, ends, device.digestOver(rows))
    device.take(rows, next !== null, localNowMs)
    if (next !== null && next.seq !== kept.cursor.seq) changed = true
    if (next !== null) kept.cursor = next
  }

  kept.latestMs = Math.max(kept.latestMs, serverNowMs)
  const step = core.nextStep(kept.cursor, server.view(kept.cursor.seq))
  if (step.do === 'rebase') {
    changed = true
    device.rebase(step.epoch)
    push(outbox(core.isRemoval))
  }
  // The epoch is taken over with the first exchange: what came from another one is told by it.
  kept.cursor = { ...kept.cursor, epoch: step.epoch }

  if (faults.ahead) device.take(server.rows().slice(-faults.pageSize), false, localNowMs)
  let after = kept.cursor.seq
  const pages: Page[] = []
  for (let i = 0; i < faults.pages; i++) {
    const page = server.pull(after, faults.pageSize)
    pages.push(faults.truncate && i === 0 ? { ...page, rows: page.rows.slice(0, -1) } : page)
    after = page.ends.upTo
    if (page.isLast) break
  }
  for (const page of faults.reorder ? pages.reverse() : pages) receive(page)
  if (kept.cursor.seq === server.head().seq) device.atHead()
  push(outbox(() => true))
  return changed
}
