import type { HistoryEntry, Hit, MemoryRow } from 'palimpsest'
import { asOfView, type ReadAsOf } from './as-of-view.js'
import { el, timeNode } from './dom.js'
import { valueText } from './exchange.js'
import { plural } from './phrasing.js'
import { bars } from './reply-view.js'
import { timelineView } from './timeline-view.js'

export interface CardActions {
  readonly forget: (row: MemoryRow) => unknown
  /** Pins the memory, or takes the pin off. */
  readonly pin: (row: MemoryRow) => Promise<void> | undefined
  readonly rewrite: (row: MemoryRow, entry: HistoryEntry) => Promise<void> | undefined
  readonly readAsOf: ReadAsOf
  readonly readHistory: (key: string) => Promise<readonly HistoryEntry[]>
}

/** One memory in the panel: folded, its newest text over a trace of the one before; open, all its layers. */
export interface MemoryCard {
  readonly node: HTMLElement
  readonly update: (row: MemoryRow | Hit) => void
  /** Reads the versions when they are not those of the row any more. */
  readonly loadHistory: () => void
  readonly reveal: () => void
}

export const createMemoryCard = (first: MemoryRow | Hit, actions: CardActions): MemoryCard => {
  const summary = el('summary')
  const layers = el('div', { class: 'inside' })
  const details = el('details', { ontoggle: () => load() }, summary, layers)
  const node = el('li', { class: 'card' }, details)
  let row = first
  let history: readonly HistoryEntry[] = []
  let readFor = ''

  const draw = (): void => {
    summary.replaceChildren(...summaryOf(row, history))
    const cursor = asOfView(history, actions.readAsOf)
    layers.replaceChildren(
      ...(cursor === null ? [] : [cursor]),
      timelineView(history, (entry) => void actions.rewrite(row, entry)?.then(() => summary.focus())),
      el(
        'p',
        { class: 'actions' },
        el('button', { type: 'button', class: 'plain', onclick: () => pin() }, row.pinned ? 'Unpin' : 'Pin'),
        el('button', { type: 'button', class: 'plain', onclick: () => actions.forget(row) }, 'Delete'),
      ),
    )
  }

  const pin = (): void => void actions.pin(row)?.then(() => summary.focus())

  const load = (): void => {
    if (readFor === row.version) return
    const version = row.version
    readFor = version
    actions.readHistory(row.key).then(
      (entries) => {
        if (readFor !== version) return
        history = entries
        draw()
      },
      () => {
        readFor = ''
      },
    )
  }

  draw()
  return {
    node,
    update: (next) => {
      if (next.version === row.version && sameScore(next, row)) return
      row = next
      draw()
    },
    loadHistory: load,
    reveal: () => {
      details.open = true
      node.scrollIntoView({ block: 'nearest' })
      summary.focus({ preventScroll: true })
      node.classList.add('revealed')
      setTimeout(() => node.classList.remove('revealed'), 1500)
    },
  }
}

const sameScore = (a: MemoryRow | Hit, b: MemoryRow | Hit): boolean =>
  ('score' in a ? a.score : null) === ('score' in b ? b.score : null)

const summaryOf = (row: MemoryRow | Hit, history: readonly HistoryEntry[]): HTMLElement[] => {
  const value = valueText(row.value)
  const older = history.find((entry) => entry.kind === 'set' && valueText(entry.value) !== value)
  return [
    ...(older === undefined ? [] : [el('span', { class: 'trace', 'aria-hidden': 'true' }, valueText(older.value))]),
    el('span', { class: 'value' }, value),
    el(
      'span',
      { class: 'meta' },
      el('code', {}, row.key),
      timeNode(row.updatedAt),
      row.pinned ? el('span', { class: 'tag' }, 'pinned') : null,
      row.status === 'conflicted' ? el('span', { class: 'tag' }, 'contradicted') : null,
      history.length > 0 ? el('span', {}, plural(history.length, 'version', 'versions')) : el('span'),
    ),
    ...('score' in row ? [bars([...row.components], row.score)] : []),
  ]
}
