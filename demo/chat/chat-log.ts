import type { LiveSnapshot, Memory } from 'palimpsest'
import { type Entry, type Exchange, readExchange } from './exchange.js'
import { clip } from './phrasing.js'

/** A chat log is evidence, not belief: kept and versioned like any memory, but outside of search. */
const TYPE = 'episodic'
const PREFIX = 'chat/'
/** Lines of a conversation that are shown, the newest; earlier ones stay in the store. */
export const MOST_SHOWN = 200
const LONGEST_LINE = 4000

/** The conversation with one person, the same in every tab. */
export interface ChatLog {
  /** A key that sorts after all earlier ones. */
  readonly nextKey: () => string
  readonly write: (entry: Entry) => Promise<void>
  readonly watch: (show: (entries: readonly Entry[], snapshot: LiveSnapshot) => void) => () => void
}

export const createChatLog = (memory: Memory): ChatLog => {
  let last = 0
  return {
    nextKey: () => {
      last = Math.max(last + 1, Date.now())
      return `${PREFIX}${String(last).padStart(14, '0')}-${Math.random().toString(36).slice(2, 6)}`
    },
    write: async ({ key, exchange }) => {
      await memory.set({ key, value: clipped(exchange), type: TYPE })
    },
    watch: (show) =>
      memory.live({ keyPrefix: PREFIX, type: TYPE, tiers: ['user'], limit: MOST_SHOWN }, (snapshot) =>
        show(entriesOf(snapshot), snapshot),
      ).unsubscribe,
  }
}

const clipped = (exchange: Exchange): Exchange => ({ ...exchange, said: clip(exchange.said, LONGEST_LINE) })

const entriesOf = ({ rows }: LiveSnapshot): Entry[] =>
  rows
    .flatMap(({ key, value }) => {
      const exchange = readExchange(value)
      return exchange === null ? [] : [{ key, exchange }]
    })
    .sort((a, b) => (a.key < b.key ? -1 : 1))
