import type { BulkEntry } from '../../../src/schema/calls.js'
import type { BulkResult, SearchResult } from '../../../src/schema/records.js'
import type { Embedder } from '../../../worker/ports.js'
import { createTestMemory, type TestMemory } from '../../support/engine.js'
import type { Chat } from './beam.js'
import type { Conversation } from './locomo.js'

/** One memory store with a user per conversation, filled as an app would, and asked as it would. */
export interface RecallStore {
  readonly ask: (user: string, query: string, more?: Readonly<Record<string, unknown>>) => Promise<SearchResult>
  readonly close: () => Promise<void>
}

/** How an app keeps the turns of a conversation. */
export type Keeping = (memory: TestMemory, conversation: Conversation) => Promise<void>

const written = ({ results }: BulkResult): void => {
  for (const result of results) if (!result.ok) throw new Error(`${result.code}: ${result.message}`)
}

/** A memory per turn: who said it is its entity, when it was said its time, and the key tells the place in the conversation. */
export const asRows: Keeping = async (memory, { id, turns }) => {
  const entries: readonly BulkEntry[] = turns.map(({ id: turn, session, speaker, text, at }) => ({
    key: `chat/${session}/${turn}`,
    value: text,
    type: 'turn',
    entities: [speaker],
    validAt: at,
    timeZone: 'UTC',
  }))
  written(await memory.call<BulkResult>('memory.bulkSet', { entries }, { user: id }))
}

const asMessages = async (memory: TestMemory, { id, messages }: Chat): Promise<void> => {
  const entries: readonly BulkEntry[] = messages.map(({ id: message, text, at }) => ({
    key: `chat/${message}`,
    value: text,
    type: 'turn',
    ...(at === null ? {} : { validAt: at, timeZone: 'UTC' }),
  }))
  written(await memory.call<BulkResult>('memory.bulkSet', { entries }, { user: `beam-${id}` }))
}

export const fillStore = async (
  embedder: Embedder,
  conversations: readonly Conversation[],
  chats: readonly Chat[],
  keep: Keeping,
): Promise<RecallStore> => {
  const memory = await createTestMemory({ embedder })
  for (const conversation of conversations) await keep(memory, conversation)
  for (const chat of chats) await asMessages(memory, chat)
  return {
    ask: (user, query, more = {}) => memory.call<SearchResult>('memory.search', { query, limit: 10, ...more }, { user }),
    close: () => memory.engine.close(),
  }
}
