import type { Hit, Memory, MemoryRow } from 'palimpsest'
import { type Cited, type Entry, type Exchange, type Reply, valueText } from './exchange.js'
import { explainFailure } from './failures.js'
import { readIntent } from './intent.js'
import { clip, plural, tell } from './phrasing.js'
import { isSure, orderForQuestion, tellingSentence } from './relevance.js'
import { weighedOf } from './weighing.js'

/** Longest text of a memory that the chat log repeats; the memory itself keeps all of it. */
const LONGEST_QUOTE = 2000
const MOST_CITED = 4

/** Does what a line asks for and says what was done. Never rejects: a failure is a reply too. */
export const respond = async (memory: Memory, line: string, undoLast: () => Promise<Reply>): Promise<Reply> => {
  const intent = readIntent(line)
  try {
    switch (intent.kind) {
      case 'statement':
        return await learn(memory, intent.text)
      case 'question':
        return await answer(memory, intent.text)
      case 'overview':
        return await overview(memory)
      case 'forget':
        return await forget(memory, intent.what)
      case 'undo':
        return await undoLast()
      case 'talk':
        return intent
    }
  } catch (error) {
    return { kind: 'failed', ...explainFailure(error) }
  }
}

const learn = async (memory: Memory, value: string): Promise<Reply> => {
  const result = await memory.set({ value, onPinned: 'propose' })
  const [now, before] = await memory.history(result.key, { limit: 2 })
  if (result.verdict === 'merge' || result.noop)
    return { kind: 'known', key: result.key, value: quote(now ?? value), times: now?.reinforcementCount ?? 1 }
  const weighed = await weighedOf(memory, result)
  return {
    kind: 'learned',
    key: result.key,
    value: quote(value),
    verdict: result.verdict,
    version: result.version,
    contentSha256: result.contentSha256,
    before: before === undefined || before.kind === 'tomb' ? null : quote(before),
    ...(weighed !== null && { weighed }),
  }
}

const answer = async (memory: Memory, question: string): Promise<Reply> => {
  const { hits, explain } = await memory.search(question, { limit: 8, tiers: ['user'], explain: true })
  const searchedBy = explain && { searchedBy: explain.embedder }
  const [best, ...others] = orderForQuestion(question, hits)
  if (best === undefined) return { kind: 'unknown', advice: 'Tell me, and I will know the next time.', ...searchedBy }
  const sure = isSure(question, best)
  const also = sure ? others.filter((hit) => isAsClose(hit, best)).slice(0, 1) : []
  const used = [best, ...also]
  const rest = others.filter((hit) => !also.includes(hit) && isSure(question, hit))
  return {
    kind: 'answer',
    text: used.map((hit) => tell(valueText(hit.value), tellingSentence(question, hit.excerpt))).join(' Also: '),
    sure,
    cited: [...used, ...rest].slice(0, MOST_CITED).map((hit) => cite(hit, used.includes(hit))),
    ...searchedBy,
  }
}

/** Two memories that fit equally well are both told, so that what contradicts is seen. */
const isAsClose = (hit: Hit, best: Hit): boolean => {
  const [mine, theirs] = [hit, best].map(({ components }) => components.find(({ leg }) => leg === 'vector')?.score ?? 0)
  return hit.components.length === 2 && (mine ?? 0) >= 0.95 * (theirs ?? 0) && (mine ?? 0) >= 0.5
}

const overview = async (memory: Memory): Promise<Reply> => {
  const { rows, nextCursor } = await memory.list({ type: 'semantic', tiers: ['user'], limit: 100 })
  if (rows.length === 0) return { kind: 'unknown', advice: 'Nothing is written here yet.' }
  const count = nextCursor === null ? plural(rows.length, 'thing', 'things') : 'more than 100 things'
  const text = `I remember ${count} about you. ${rows.length > MOST_CITED ? 'The newest:' : 'Here:'}`
  return { kind: 'answer', text, sure: true, cited: rows.slice(0, MOST_CITED).map((row) => cite(row, true)) }
}

const forget = async (memory: Memory, what: string): Promise<Reply> => {
  if (/^(everything|all( of it)?|me)[.!]*$/i.test(what))
    return { kind: 'talk', text: 'One at a time: name what to forget, or delete it in the memory panel.' }
  const { hits } = await memory.search(what, { limit: MOST_CITED, tiers: ['user'] })
  const [best, next] = orderForQuestion(what, hits)
  if (best === undefined) return { kind: 'unknown', advice: 'So there is nothing to forget.' }
  const clearly = isSure(what, best) && !(next !== undefined && isAsClose(next, best))
  return clearly ? await forgetKey(memory, best) : { kind: 'which', cited: hits.map((hit) => cite(hit, true)) }
}

/** Deletes one memory. It can be brought back. */
export const forgetKey = async (memory: Memory, { key, value }: Pick<MemoryRow, 'key' | 'value'>): Promise<Reply> => {
  await memory.delete(key)
  return { kind: 'forgot', key, value: clip(valueText(value), LONGEST_QUOTE) }
}

/** Whether an exchange changed something that is still as it left it. */
export const canUndo = ({ undone, reply }: Exchange, headOf: (key: string) => MemoryRow | undefined): boolean => {
  if (undone) return false
  if (reply.kind === 'learned') return headOf(reply.key)?.version === reply.version
  return reply.kind === 'forgot' && headOf(reply.key) === undefined
}

/** Takes back what an exchange changed: by a new version that says what the one before said. */
export const undo = async (memory: Memory, { exchange: { reply } }: Entry): Promise<void> => {
  if (reply.kind === 'forgot') await memory.restore(reply.key)
  if (reply.kind !== 'learned') return
  const before = (await memory.history(reply.key)).find(({ version }) => BigInt(version) < BigInt(reply.version))
  if (before === undefined || before.kind === 'tomb') await memory.delete(reply.key)
  else await memory.update({ key: reply.key, value: before.value, ifMatchSha256: reply.contentSha256 })
}

const quote = (row: Pick<MemoryRow, 'value'> | string): string =>
  clip(typeof row === 'string' ? row : valueText(row.value), LONGEST_QUOTE)

const cite = (row: MemoryRow | Hit, used: boolean): Cited => ({
  key: row.key,
  value: clip('excerpt' in row ? row.excerpt : valueText(row.value), 300),
  at: row.updatedAt,
  used,
  ...('score' in row && { score: row.score, legs: row.components.map(({ leg, rank, score }) => ({ leg, rank, score })) }),
})
