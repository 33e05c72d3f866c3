import { type Child, el } from './dom.js'
import type { Weighed } from './exchange.js'
import type { Choice, Stand } from './weighing.js'

/** What can be done with what a memory was weighed against. */
export interface WeighedActions {
  readonly keyButton: (key: string) => HTMLElement
  readonly decide: (choice: Choice) => void
}

/** What a memory was weighed against and why, with what is left to decide. */
export const weighedView = ({ peers, thresholds, because }: Weighed, stand: Stand, actions: WeighedActions): HTMLElement =>
  el(
    'section',
    { class: `weighed ${stand.kind}`, 'aria-label': 'Weighed against' },
    el('h3', {}, 'Weighed against'),
    el(
      'ul',
      {},
      ...peers.map(({ key, value, similarity, why }) =>
        el(
          'li',
          {},
          value === '' ? null : el('span', { class: 'value' }, value),
          el('span', { class: 'meta' }, actions.keyButton(key), scale(similarity, thresholds)),
          el('span', { class: 'why' }, why || because),
        ),
      ),
    ),
    el('p', { class: 'outcome', role: 'status' }, ...outcome(stand, actions)),
  )

const outcome = (stand: Stand, { decide }: WeighedActions): Child[] => {
  const button = (choice: Choice, label: string): HTMLElement =>
    el('button', { type: 'button', class: 'plain', onclick: () => decide(choice) }, label)
  switch (stand.kind) {
    case 'open':
      return ['Which holds? ', button('newer', 'The new one'), button('older', 'The older'), button('both', 'Both')]
    case 'trial':
      return ['What is pinned stays. This is a proposal: ', button('accept', 'Accept'), button('reject', 'Reject')]
    case 'replaced':
      return ['The older gave way. ', button('back', 'Bring it back')]
    case 'both':
      return ['Both stand.']
    case 'dropped':
      return ['This one is not believed any more.']
    case 'accepted':
      return ['Accepted.']
    case 'rejected':
      return ['Rejected.']
    case 'same':
      return ['Kept, and left to the other when I answer.']
  }
}

/** How near the two are, between where the library begins to look and where it takes two as one. */
const scale = (similarity: number, { conflict, duplicate }: Weighed['thresholds']): HTMLElement => {
  const near = similarity > 0
  const bar = el('i', {}, el('u', {}), el('u', {}))
  bar.style.setProperty('--share', similarity.toFixed(3))
  bar.style.setProperty('--looked', conflict.toFixed(3))
  bar.style.setProperty('--same', duplicate.toFixed(3))
  return el(
    'span',
    {
      class: 'scale',
      title: near
        ? `Nearness ${similarity.toFixed(3)}; compared from ${conflict.toFixed(3)}, taken as one from ${duplicate.toFixed(3)}`
        : 'Found by its key or attribute, not by nearness',
    },
    bar,
    el('em', {}, near ? similarity.toFixed(2) : '–'),
  )
}
