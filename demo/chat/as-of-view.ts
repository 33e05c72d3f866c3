import type { HistoryEntry, MemoryRow } from 'palimpsest'
import { el } from './dom.js'
import { valueText } from './exchange.js'

/** What an instant counts by. */
export type Basis = 'valid_time' | 'knowledge_time'

/** Reads what stood under a key at an instant. */
export type ReadAsOf = (key: string, at: number, basis: Basis) => Promise<MemoryRow | null>

const MINUTE = 60_000

const shownDate = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** A cursor over the life of a key: what was so, or was known, at the instant it stands at. */
export const asOfView = (history: readonly HistoryEntry[], read: ReadAsOf): HTMLElement | null => {
  const [newest] = history
  if (newest === undefined) return null
  const began = Math.min(
    ...history.flatMap(({ validAt, temporalAnchor, updatedAt }) => [validAt ?? updatedAt, temporalAnchor ?? updatedAt]),
  )
  const last = Date.now()
  const first = Math.floor(began - Math.max(MINUTE, (last - began) / 20))
  const basis = el(
    'select',
    { 'aria-label': 'Read by', onchange: () => show() },
    el('option', { value: 'valid_time' }, 'true then'),
    el('option', { value: 'knowledge_time' }, 'known then'),
  )
  const cursor = el('input', {
    type: 'range',
    min: first,
    max: last,
    value: last,
    step: 'any',
    'aria-label': 'As of',
    oninput: () => show(),
  })
  const shown = el('output', { class: 'then' }, 'Drag to read an earlier time.')
  let asked = 0

  const show = (): void => {
    const at = cursor.valueAsNumber
    const number = ++asked
    cursor.setAttribute('aria-valuetext', shownDate.format(at))
    read(newest.key, at, basis.value as Basis).then(
      (row) => {
        if (number !== asked) return
        const said = row === null ? el('em', {}, 'nothing') : el('span', { class: 'value' }, valueText(row.value))
        shown.replaceChildren(el('time', { class: 'at' }, shownDate.format(at)), said)
      },
      () => number === asked && shown.replaceChildren('That time could not be read.'),
    )
  }

  return el('div', { class: 'as-of' }, el('label', {}, 'As of ', cursor), basis, shown)
}
