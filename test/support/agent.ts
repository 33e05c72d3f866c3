import { type AgentMemory, type AgentOptions, type AgentTurn, agentMemory, type Span } from '../../src/agent/main.js'
import type { Memory } from '../../src/protocol/api.js'
import { openLinkedMemory } from './linked-memory.js'

/** An agent on the whole library, with what it logs and traces. */
export interface TestAgent {
  readonly memory: Memory
  readonly agent: AgentMemory
  readonly warnings: string[]
  readonly spans: Span[]
  /** A whole turn: what goes into the prompt, then what was said and answered. */
  readonly talk: (turn: AgentTurn, reply?: string) => ReturnType<AgentMemory['before']>
  /** Facts that were learned of somebody, without the turns behind them. */
  readonly known: (user: string | null) => Promise<readonly string[]>
}

export const openAgent = async (options: AgentOptions = {}, memory?: Memory): Promise<TestAgent> => {
  const opened = memory ?? (await openLinkedMemory())
  const warnings: string[] = []
  const spans: Span[] = []
  const agent = agentMemory(opened, {
    user: (turn: AgentTurn) => turn['userId'],
    learn: true,
    logger: { warn: (message) => void warnings.push(message) },
    onTrace: (span) => void spans.push(span),
    ...options,
  })
  return {
    memory: opened,
    agent,
    warnings,
    spans,
    talk: async (turn, reply = 'I see.') => {
      const before = await agent.before(turn)
      await agent.after(turn, reply)
      return before
    },
    known: async (user) => {
      const { rows } = await opened.scope({ user, session: '*' }).list({ tiers: ['user', 'session'], limit: 1_000 })
      return rows.filter(({ type }) => type !== 'episodic').map(({ value }) => String(value))
    },
  }
}
