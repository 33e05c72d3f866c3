import type { Hit, MemoryRow } from 'palimpsest'
import { arrange, el } from './dom.js'
import { valueText } from './exchange.js'
import { type CardActions, createMemoryCard, type MemoryCard } from './memory-card.js'

/** What was deleted and can be brought back. */
export interface Forgotten {
  readonly key: string
  readonly value: string
  readonly restore: () => void
}

export interface PanelState {
  readonly rows: readonly MemoryRow[]
  /** What the library found for the filter, or null while there is no filter. */
  readonly hits: readonly Hit[] | null
  readonly filter: string
  readonly forgotten: readonly Forgotten[]
  readonly name: string
  readonly status: 'loading' | 'ready' | 'failed'
}

export interface PanelView {
  readonly show: (state: PanelState) => void
  readonly reveal: (key: string) => void
}

interface Places {
  readonly list: HTMLElement
  readonly note: HTMLElement
  readonly forgotten: HTMLElement
}

/** The memories of one person, newest first, or by fit while a filter is typed. */
export const createPanelView = ({ list, note, forgotten }: Places, actions: CardActions): PanelView => {
  const cards = new Map<string, MemoryCard>()
  const byNode = new Map<Element, MemoryCard>()
  const visible = new Set<Element>()
  // A row does not say how many versions it has: those that are looked at are counted.
  const observer = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) {
      if (isIntersecting) visible.add(target)
      else visible.delete(target)
      if (isIntersecting) byNode.get(target)?.loadHistory()
    }
  })

  const cardFor = (row: MemoryRow | Hit): MemoryCard => {
    const known = cards.get(row.id)
    if (known !== undefined) {
      known.update(row)
      if (visible.has(known.node)) known.loadHistory()
      return known
    }
    const card = createMemoryCard(row, actions)
    cards.set(row.id, card)
    byNode.set(card.node, card)
    observer.observe(card.node)
    return card
  }

  const drop = (id: string, card: MemoryCard): void => {
    observer.unobserve(card.node)
    visible.delete(card.node)
    byNode.delete(card.node)
    cards.delete(id)
  }

  let keys = new Map<string, string>()

  return {
    show: (state) => {
      const rows = rowsToShow(state)
      arrange(
        list,
        rows.map((row) => cardFor(row).node),
      )
      const alive = new Set(state.rows.map(({ id }) => id))
      for (const [id, card] of cards) if (!alive.has(id)) drop(id, card)
      keys = new Map(state.rows.map(({ key, id }) => [key, id]))
      note.textContent = noteFor(state, rows.length)
      note.hidden = note.textContent === ''
      showForgotten(forgotten, state)
    },
    reveal: (key) => cards.get(keys.get(key) ?? '')?.reveal(),
  }
}

/** The library knows meaning and whole words; half a word, while it is typed, is looked for letter by letter. */
const rowsToShow = ({ rows, hits, filter }: PanelState): readonly (MemoryRow | Hit)[] => {
  if (hits === null) return rows
  const found = new Set(hits.map(({ id }) => id))
  const letters = filter.toLowerCase()
  const spelled = rows.filter(
    ({ id, key, value }) => !found.has(id) && `${key} ${valueText(value)}`.toLowerCase().includes(letters),
  )
  return [...hits, ...spelled]
}

const noteFor = ({ rows, hits, filter, name, status }: PanelState, shown: number): string => {
  if (status === 'loading') return 'Opening the page…'
  if (status === 'failed') return 'The page could not be opened.'
  if (rows.length === 0) return `Nothing is written here yet. What ${name} says in the conversation appears here, and stays.`
  return hits !== null && shown === 0 ? `Nothing fits “${filter}”.` : ''
}

const showForgotten = (place: HTMLElement, { forgotten, hits }: PanelState): void => {
  place.hidden = forgotten.length === 0 || hits !== null
  place.replaceChildren(
    el('h3', {}, 'Scraped off'),
    el(
      'ul',
      {},
      ...forgotten.map(({ key, value, restore }) =>
        el(
          'li',
          {},
          el('del', {}, value),
          el('code', {}, key),
          el('button', { type: 'button', class: 'plain', onclick: restore }, 'Restore'),
        ),
      ),
    ),
  )
}
