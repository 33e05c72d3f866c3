import type { HistoryEntry, Hit, LiveSnapshot, Memory, MemoryRow } from 'palimpsest'
import type { ReadAsOf } from './as-of-view.js'
import { createChatLog } from './chat-log.js'
import type { Shown } from './chat-view.js'
import { canUndo, forgetKey, keep, respond, type Speaker, undo } from './conversation.js'
import type { Entry, Reply } from './exchange.js'
import { explainFailure, type Failure } from './failures.js'
import type { PackFor } from './packed-view.js'
import type { PanelState } from './panel-view.js'
import type { Person } from './people.js'
import type { Standing } from './reply-view.js'
import { type Choice, decide, standOf } from './weighing.js'

const MOST_MEMORIES = 1000
const MOST_FOUND = 50
const MOST_FORGOTTEN = 5
const PROMPT_TOKENS = 300

/** One person's conversation and memories, followed live. */
export interface Room {
  readonly person: Person
  readonly say: (line: string) => Promise<void>
  readonly undo: (entry: Entry) => Promise<void>
  readonly decide: (entry: Entry, choice: Choice) => Promise<void>
  readonly pin: (row: MemoryRow) => Promise<void>
  readonly forget: (row: Pick<MemoryRow, 'key' | 'value'>) => Promise<void>
  readonly forgetByKey: (key: string) => Promise<void>
  /** Keeps what was said and not taken for a fact. */
  readonly keep: (entry: Entry) => Promise<void>
  readonly rewrite: (row: MemoryRow, entry: HistoryEntry) => Promise<void>
  readonly readAsOf: ReadAsOf
  readonly packFor: PackFor
  readonly readHistory: (key: string) => Promise<readonly HistoryEntry[]>
  readonly filter: (text: string) => void
  readonly shown: () => readonly Shown[]
  readonly panel: () => PanelState
  readonly leave: () => void
}

interface Events {
  readonly changed: () => void
  /** The language model that the page may ask, once that is known. */
  readonly speaker: () => Promise<Speaker | null>
  /** A reply to something said in this tab. */
  readonly replied: (replies: readonly Reply[]) => void
  readonly failed: (failure: Failure) => void
}

/** Handles of one person: what is remembered, and what was said on this page. */
interface Handles {
  readonly memory: Memory
  readonly log: Memory
}

export const createRoom = (
  { memory, log: logged }: Handles,
  person: Person,
  { changed, replied, failed, speaker }: Events,
): Room => {
  const log = createChatLog(logged)
  let entries: readonly Entry[] = []
  let rows: readonly MemoryRow[] = []
  let heads: ReadonlyMap<string, MemoryRow> = new Map()
  let hits: readonly Hit[] | null = null
  let filter = ''
  let status: PanelState['status'] = 'loading'
  let queue: Promise<unknown> = Promise.resolve()
  /** Said here and not yet seen in the log, by key: a reply, or null while there is none. */
  const ahead = new Map<string, { said: string; entry: Entry | null }>()

  const headOf = (key: string): MemoryRow | undefined => heads.get(key)
  const checked = (snapshot: LiveSnapshot): boolean => {
    if (snapshot.status === 'ready') return true
    if (snapshot.error !== null) {
      if (status === 'loading') status = 'failed'
      failed(explainFailure(snapshot.error))
      changed()
    }
    return false
  }

  const endLog = log.watch((read, snapshot) => {
    if (!checked(snapshot)) return
    entries = read
    for (const { key } of read) ahead.delete(key)
    changed()
  })
  const { unsubscribe: endRows } = memory.live({ tiers: ['user'], limit: MOST_MEMORIES }, (snapshot) => {
    if (!checked(snapshot)) return
    status = 'ready'
    rows = snapshot.rows
    heads = new Map(rows.map((row) => [row.key, row]))
    changed()
  })
  let endFilter = (): void => undefined

  /** One line after the other, so that a question sees what was said before it. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = queue.then(work)
    queue = done.catch(() => undefined)
    return done
  }

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await inTurn(work)
    } catch (error) {
      failed(explainFailure(error))
    }
  }

  const record = async (entry: Entry): Promise<void> => {
    ahead.set(entry.key, { said: entry.exchange.said, entry })
    changed()
    // What failed stays on the page only: a store that refuses one write may refuse the next.
    if (entry.exchange.reply.kind !== 'failed') await log.write(entry)
  }

  /** What was just written stands before it is spoken of, also where the live rows have yet to tell of it. */
  const takeIn = async (key: string): Promise<void> => {
    const row = await memory.get(key)
    if (row !== null) heads = new Map(heads).set(key, row)
  }

  const takeBack = async (entry: Entry): Promise<void> => {
    await undo(memory, entry)
    await log.write({ key: entry.key, exchange: { ...entry.exchange, undone: true } })
  }

  const standing = ({ exchange }: Entry): Standing => {
    const { reply } = exchange
    const weighed = reply.kind === 'learned' ? reply.weighed : undefined
    const stand =
      reply.kind === 'learned' && weighed !== undefined ? standOf(reply.key, reply.verdict, weighed, headOf) : null
    return { undoable: canUndo(exchange, headOf), stand }
  }

  const decideAbout = async (entry: Entry, choice: Choice): Promise<void> => {
    const { reply } = entry.exchange
    const { stand } = standing(entry)
    if (reply.kind !== 'learned' || reply.weighed === undefined || stand === null) return
    const trial = await decide(memory, reply.weighed, choice, stand.kind === 'replaced' ? stand.gone : [])
    if (trial !== reply.weighed.trial)
      await log.write({
        key: entry.key,
        exchange: { ...entry.exchange, reply: { ...reply, weighed: { ...reply.weighed, trial } } },
      })
  }

  const undoLast = async (): Promise<Reply> => {
    const last = entries.findLast(({ exchange }) => canUndo(exchange, headOf))
    if (last === undefined) return { kind: 'talk', text: 'There is nothing to undo.' }
    await takeBack(last)
    return { kind: 'talk', text: last.exchange.reply.kind === 'forgot' ? 'Brought back.' : 'Undone.' }
  }

  const forget: Room['forget'] = (row) =>
    attempt(async () => {
      const reply = await forgetKey(memory, row)
      await record({ key: log.nextKey(), exchange: { said: '', at: Date.now(), reply, undone: false } })
    })

  const search = (text: string): void => {
    const { unsubscribe } = memory.live({ query: text, tiers: ['user'], limit: MOST_FOUND }, (snapshot) => {
      if (snapshot.status !== 'ready' || filter !== text) return
      hits = snapshot.rows as readonly Hit[]
      changed()
    })
    endFilter = unsubscribe
  }

  const forgotten = (): PanelState['forgotten'] => {
    const byKey = new Map<string, PanelState['forgotten'][number]>()
    for (const entry of entries.toReversed()) {
      const { reply } = entry.exchange
      if (reply.kind !== 'forgot' || byKey.has(reply.key) || !canUndo(entry.exchange, headOf)) continue
      byKey.set(reply.key, { key: reply.key, value: reply.value, restore: () => void attempt(() => takeBack(entry)) })
    }
    return [...byKey.values()].slice(0, MOST_FORGOTTEN)
  }

  return {
    person,
    say: (line) => {
      const key = log.nextKey()
      const at = Date.now()
      ahead.set(key, { said: line, entry: null })
      changed()
      return attempt(async () => {
        const replies = await respond(memory, { id: key, text: line, at }, await speaker(), undoLast)
        for (const [i, reply] of replies.entries()) {
          if (reply.kind === 'learned') await takeIn(reply.key)
          await record({
            key: i === 0 ? key : log.nextKey(),
            exchange: { said: i === 0 ? line : '', at, reply, undone: false },
          })
        }
        replied(replies)
      })
    },
    undo: (entry) => attempt(() => takeBack(entry)),
    decide: (entry, choice) => attempt(() => decideAbout(entry, choice)),
    pin: ({ key, value, pinned }) =>
      attempt(async () => {
        await (pinned ? memory.unpin({ key }) : memory.pin({ key, value }))
      }),
    forget,
    forgetByKey: async (key) => {
      const row = headOf(key)
      if (row !== undefined) await forget(row)
    },
    keep: (entry) =>
      attempt(async () => {
        const { reply } = entry.exchange
        if (reply.kind !== 'passed') return
        const kept = await keep(memory, reply.text)
        if (kept.kind === 'learned') await takeIn(kept.key)
        await record({ key: entry.key, exchange: { ...entry.exchange, reply: kept } })
      }),
    rewrite: (row, { value }) =>
      attempt(async () => {
        await memory.update({ key: row.key, value, ifMatchSha256: row.contentSha256 })
      }),
    readAsOf: (key, at, asOfBasis) => memory.get(key, { asOf: new Date(at).toISOString(), asOfBasis }),
    packFor: (query) =>
      memory.context.pack({ query, tokenBudget: PROMPT_TOKENS, tiers: ['user'], onlySections: ['profile', 'facts'] }),
    readHistory: (key) => memory.history(key),
    filter: (text) => {
      endFilter()
      filter = text.trim()
      // What was found stays until the next answer, so that typing does not flicker.
      if (filter === '') hits = null
      else search(filter)
      changed()
    },
    shown: () => [
      ...entries.map((entry) => ({ entry, standing: standing(entry) })),
      ...[...ahead].map(([key, { said, entry }]) =>
        entry === null ? { pending: { key, said } } : { entry, standing: standing(entry) },
      ),
    ],
    panel: () => ({ rows, hits, filter, forgotten: forgotten(), name: person.name, status }),
    leave: () => {
      endLog()
      endRows()
      endFilter()
    },
  }
}
