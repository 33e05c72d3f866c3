import type { Hit, LearnedFact, Memory, MemoryRow, WriteResult } from 'palimpsest'
import type { Llm } from 'palimpsest/llm'
import { type Cited, type Entry, type Exchange, type Reply, valueText } from './exchange.js'
import { explainFailure } from './failures.js'
import { readIntent } from './intent.js'
import { clip, plural, tell } from './phrasing.js'
import { weighedOf } from './weighing.js'

/** Longest text of a memory that the chat log repeats; the memory itself keeps all of it. */
const LONGEST_QUOTE = 2000
const MOST_CITED = 4
/** Hits of nearly one score fit equally well. */
const AS_CLOSE = 0.9

/** The language model that the page may ask, by its name. */
export interface Speaker {
  readonly name: string
  readonly llm: Llm
}

/** A line on its way. */
export interface Line {
  /** Names the turn, so that it is evidence once. */
  readonly id: string
  readonly text: string
  readonly at: number
}

/** Does what a line asks for and says what was done, in one reply or more. Never rejects: a failure is a reply too. */
export const respond = async (
  memory: Memory,
  line: Line,
  speaker: Speaker | null,
  undoLast: () => Promise<Reply>,
): Promise<readonly Reply[]> => {
  const intent = readIntent(line.text)
  try {
    switch (intent.kind) {
      case 'statement':
        return await learn(memory, line, intent.text, speaker)
      case 'question':
        return [...(await learnBeside(memory, line, speaker)), await answer(memory, intent.text, speaker)]
      case 'overview':
        return [await overview(memory)]
      case 'forget':
        return [await forget(memory, intent.what)]
      case 'undo':
        return [await undoLast()]
      case 'talk':
        return [intent]
    }
  } catch (error) {
    return [{ kind: 'failed', ...explainFailure(error) }]
  }
}

/** Why a line is no fact about anybody, and still one that a person may want to have kept as it is. */
const IMPERSONAL: ReadonlySet<string> = new Set([
  'vague',
  'unknown_subject',
  'unknown_language',
  'reported',
  'passing',
  'too_long',
])

const read = (memory: Memory, { id, text, at }: Line, speaker: Speaker | null) =>
  memory.setFromMessages([{ id, role: 'user', text, at: new Date(at).toISOString() }], {
    session: 'page',
    defer: false,
    onPinned: 'propose',
    ...(speaker !== null && { llm: speaker.llm }),
  })

const learn = async (memory: Memory, line: Line, text: string, speaker: Speaker | null): Promise<readonly Reply[]> => {
  const { written, forgotten, refused } = await read(memory, line, speaker)
  const replies: Reply[] = []
  for (const fact of written) replies.push(await learned(memory, fact, fact.value, fact.kind))
  for (const { key } of forgotten) replies.push({ kind: 'forgot', key, value: key })
  if (replies.length > 0) return replies
  const [first] = refused
  if (first === undefined || IMPERSONAL.has(first.why)) return [await keep(memory, text)]
  return [first.why === 'echo' ? ECHO : { kind: 'passed', text: clip(text, LONGEST_QUOTE), why: first.why }]
}

const ECHO: Reply = { kind: 'talk', text: 'I knew that already: I have told you so.' }

/** A question may tell something as well: "I moved to Porto. Where is my key?" */
const learnBeside = async (memory: Memory, line: Line, speaker: Speaker | null): Promise<readonly Reply[]> => {
  const { written } = await read(memory, line, speaker)
  return Promise.all(written.map((fact) => learned(memory, fact, fact.value, fact.kind)))
}

/** Keeps a line as it is, under a key made from its words. */
export const keep = async (memory: Memory, value: string): Promise<Reply> =>
  learned(memory, await memory.set({ value, onPinned: 'propose' }), value)

const learned = async (memory: Memory, result: LearnedFact | WriteResult, value: string, about?: string): Promise<Reply> => {
  const { key, verdict, version, contentSha256, status } = result
  if (status === 'superseded') return { kind: 'talk', text: `I keep that as what was so before: ${quote(value)}` }
  const [now, before] = await memory.history(key, { limit: 2 })
  if (verdict === 'merge' || now?.contentSha256 === before?.contentSha256)
    return { kind: 'known', key, value: quote(now ?? value), times: now?.reinforcementCount ?? 1 }
  const weighed = await weighedOf(memory, result)
  return {
    kind: 'learned',
    key,
    value: quote(value),
    verdict,
    version,
    contentSha256,
    before: before === undefined || before.kind === 'tomb' || now?.version !== version ? null : quote(before),
    ...(about !== undefined && { about }),
    ...(weighed !== null && { weighed }),
  }
}

const answer = async (memory: Memory, question: string, speaker: Speaker | null): Promise<Reply> => {
  const options = { tiers: ['user' as const], limit: 8 }
  const [told, { hits, explain }] = await Promise.all([
    memory.ask(question, { ...options, ...(speaker !== null && { llm: speaker.llm }) }),
    memory.search(question, { ...options, explain: true }),
  ])
  const searchedBy = explain && { searchedBy: explain.embedder }
  if (told.answer === null) return { kind: 'unknown', advice: adviceFor(told.abstainCode), ...searchedBy }
  const byModel = told.by === 'llm'
  const used = told.citations.map(({ id, key, excerpt, updatedAt }) => {
    const hit = hits.find((one) => one.id === id)
    return hit === undefined ? { key, value: clip(excerpt, 300), at: updatedAt, used: true } : cite(hit, true)
  })
  const rest = hits.filter(({ id }) => !told.citations.some((one) => one.id === id)).map((hit) => cite(hit, false))
  return {
    kind: 'answer',
    text: told.claims
      .map(({ text }) => (byModel ? text : tell(text, text)))
      .join(told.conflicts.length > 0 ? ' But also: ' : ' '),
    cited: [...used, ...rest].slice(0, Math.max(MOST_CITED, used.length)),
    ...(byModel && speaker !== null && { by: speaker.name }),
    ...searchedBy,
  }
}

const adviceFor = (code: string | undefined): string =>
  code === 'wrong_subject' ? 'I know it of somebody else only.' : 'Tell me, and I will know the next time.'

const overview = async (memory: Memory): Promise<Reply> => {
  const { rows, nextCursor } = await memory.list({ tiers: ['user'], limit: 100 })
  if (rows.length === 0) return { kind: 'unknown', advice: 'Nothing is written here yet.' }
  const count = nextCursor === null ? plural(rows.length, 'thing', 'things') : 'more than 100 things'
  const text = `I remember ${count} about you. ${rows.length > MOST_CITED ? 'The newest:' : 'Here:'}`
  return { kind: 'answer', text, cited: rows.slice(0, MOST_CITED).map((row) => cite(row, true)) }
}

const forget = async (memory: Memory, what: string): Promise<Reply> => {
  if (/^(everything|all( of it)?|me)[.!]*$/i.test(what))
    return { kind: 'talk', text: 'One at a time: name what to forget, or delete it in the memory panel.' }
  const { hits } = await memory.search(what, { limit: MOST_CITED, tiers: ['user'] })
  const [best, next] = hits
  if (best === undefined) return { kind: 'unknown', advice: 'So there is nothing to forget.' }
  return next !== undefined && next.score >= AS_CLOSE * best.score
    ? { kind: 'which', cited: hits.map((hit) => cite(hit, true)) }
    : await forgetKey(memory, best)
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
  ...('score' in row && {
    score: row.score,
    legs: row.components.map(({ leg, rank, score }) => ({ leg, rank, score })),
    ...((row.viaPath?.length ?? 0) > 1 && { via: [...(row.viaPath ?? [])] }),
  }),
})
