import { arrange, el, timeNode } from './dom.js'
import type { Entry } from './exchange.js'
import { type ReplyActions, replyView, type Standing } from './reply-view.js'

/** An exchange on the page: answered, or still being worked on. */
export type Shown =
  | { readonly entry: Entry; readonly standing: Standing }
  | { readonly pending: { readonly key: string; readonly said: string } }

export interface ChatView {
  readonly show: (shown: readonly Shown[], initial: string) => void
  /** Goes to the end with what is shown next, wherever the reader was. */
  readonly followEnd: () => void
}

/** How far from the end a reader may be and still be taken along. */
const NEAR_END = 120
const FRESH_MS = 1000

/** The conversation as a page: a line of the person, its reply under it. */
export const createChatView = (
  list: HTMLElement,
  scroller: HTMLElement,
  actionsFor: (entry: Entry) => ReplyActions,
): ChatView => {
  const nodes = new Map<string, { node: HTMLElement; state: string }>()
  let following = false

  const nodeFor = (shown: Shown, initial: string): HTMLElement => {
    const key = 'entry' in shown ? shown.entry.key : shown.pending.key
    const state = JSON.stringify([shown, initial])
    const kept = nodes.get(key)
    if (kept?.state === state) return kept.node
    const node = exchangeView(shown, initial, actionsFor)
    kept?.node.replaceWith(node)
    nodes.set(key, { node, state })
    return node
  }

  let atEnd = true

  const isNearEnd = (): boolean => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_END
  const toEnd = (): void => scroller.scrollTo({ top: scroller.scrollHeight })

  scroller.addEventListener('scroll', () => {
    atEnd = isNearEnd()
  })
  // A keyboard that slides in, or a window that shrinks, must not cover what was said last.
  new ResizeObserver(() => atEnd && toEnd()).observe(scroller)

  return {
    show: (shown, initial) => {
      atEnd = following || isNearEnd()
      following = false
      const wanted = shown.map((one) => nodeFor(one, initial))
      for (const [key, { node }] of nodes) if (!wanted.includes(node)) nodes.delete(key)
      arrange(list, wanted)
      if (atEnd) toEnd()
    },
    followEnd: () => {
      following = true
    },
  }
}

const exchangeView = (shown: Shown, initial: string, actionsFor: (entry: Entry) => ReplyActions): HTMLElement => {
  if ('pending' in shown)
    return el(
      'li',
      { class: 'exchange pending' },
      said(shown.pending.said, initial, null),
      el('div', { class: 'reply' }, el('p', { class: 'words' }, '…')),
    )
  const { exchange } = shown.entry
  return el(
    'li',
    { class: `exchange${exchange.said === '' ? ' silent' : ''}${isFresh(exchange.at) ? ' fresh' : ''}` },
    exchange.said === '' ? null : said(exchange.said, initial, exchange.at),
    replyView(exchange, shown.standing, actionsFor(shown.entry)),
  )
}

/** Only what was just said is seen being written. */
const isFresh = (at: number): boolean => Date.now() - at < FRESH_MS

const said = (text: string, initial: string, at: number | null): HTMLElement =>
  el(
    'div',
    { class: 'said' },
    el('span', { class: 'initial', 'aria-hidden': 'true' }, initial),
    el('p', {}, text),
    at === null ? null : timeNode(at),
  )
