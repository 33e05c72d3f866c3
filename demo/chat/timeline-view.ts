import type { HistoryEntry } from 'palimpsest'
import { el, timeNode } from './dom.js'
import { valueText } from './exchange.js'

/** From this layer on they do not fade any further. */
const DEEPEST = 6

/** All versions under one key, the newest on top and the older ones showing through beneath it. */
export const timelineView = (history: readonly HistoryEntry[], rewrite: (entry: HistoryEntry) => void): HTMLElement =>
  el(
    'ol',
    { class: 'timeline', 'aria-label': 'Versions, newest first' },
    ...history.map((entry, i) => layer(entry, i, history, rewrite)),
  )

const layer = (
  entry: HistoryEntry,
  i: number,
  history: readonly HistoryEntry[],
  rewrite: (entry: HistoryEntry) => void,
): HTMLElement => {
  const current = history[0]
  const value = valueText(entry.value)
  const differs = entry.kind !== 'tomb' && current !== undefined && valueText(current.value) !== value
  const node = el(
    'li',
    { class: `layer ${entry.kind}${i === 0 ? ' current' : ''}` },
    i === 0 || !differs ? el('p', { class: 'text' }, value) : el('p', { class: 'text' }, el('del', {}, value)),
    el(
      'p',
      { class: 'meta' },
      el('span', {}, happened(entry, history[i + 1])),
      timeNode(entry.updatedAt),
      differs ? el('button', { type: 'button', class: 'plain', onclick: () => rewrite(entry) }, 'Write this again') : null,
    ),
  )
  node.style.setProperty('--depth', (Math.min(i, DEEPEST) / DEEPEST).toFixed(2))
  return node
}

const happened = (entry: HistoryEntry, before: HistoryEntry | undefined): string => {
  if (entry.kind === 'tomb') return 'forgotten'
  if (entry.kind === 'restore') return 'brought back'
  if (before === undefined) return 'first written'
  return before.kind === 'set' && valueText(before.value) === valueText(entry.value) ? 'said again' : 'written over'
}
