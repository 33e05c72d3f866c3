import { resolve } from '../../../src/domain/scope.js'
import type { AskResult, Citation, Claim, LlmQuestion } from '../../../src/schema/asking.js'
import type { CallContext, Engine } from '../context.js'
import { noteServed } from '../echo/served.js'
import { byModel, type Said } from './by-model.js'
import { type FindInput, type Found, find } from './found.js'
import { newestFirst, type Telling } from './telling.js'

export interface AskInput extends FindInput {
  /** Whether a language model is there to be asked. */
  readonly llm: boolean
  readonly said?: Said | undefined
}

const NO_ANSWER = 'The memories that come near do not answer the question.'

/** Answers a question with what is stored, or says that nothing does. */
export const ask = async (engine: Engine, context: CallContext, input: AskInput): Promise<AskResult | LlmQuestion> => {
  const answer = await answered(engine, context, input)
  // Nobody waits for it: what is learned later is written behind it.
  if ('claims' in answer) void noteServed(engine, context, servedIn(answer))
  return answer
}

/** What an answer says in its own words and in those of memories. */
const servedIn = ({ claims, citations }: AskResult): readonly string[] => [
  ...claims.map(({ text }) => text),
  ...citations.map(({ excerpt }) => excerpt),
]

const answered = async (engine: Engine, context: CallContext, input: AskInput): Promise<AskResult | LlmQuestion> => {
  const { llm, said, ...finding } = input
  const found = await find(engine, context, finding)
  if (found.told.length === 0) return nothing(context, found, 'extract')
  if (!llm) return extracted(context, found, [])
  const asked = byModel(engine, input.question, said, found.material)
  if ('llmQuestion' in asked) return asked
  const { claims, refused } = asked
  if (claims.length > 0) return answerOf(context, found, found.material, claims, 'llm', refused)
  return asked.isReadable && refused.length === 0
    ? nothing(context, found, 'llm', NO_ANSWER)
    : extracted(context, found, refused, ['llm'])
}

const nothing = (
  context: CallContext,
  { searched, unattested }: Found,
  by: AskResult['by'],
  reason = searched.reason ?? 'What fits comes from pages or tools, and no person has attested it.',
): AskResult => ({
  answer: null,
  claims: [],
  citations: [],
  by,
  conflicts: [],
  refused: [],
  unattested,
  abstained: true,
  abstainCode: searched.abstainCode ?? 'nothing_close',
  reason,
  confidence: 0,
  routeAgreement: searched.routeAgreement,
  degraded: searched.degraded,
  advisories: searched.advisories,
  scope: resolve(context.scope),
})

const extracted = (
  context: CallContext,
  found: Found,
  refused: AskResult['refused'],
  degraded: readonly string[] = [],
): AskResult => {
  const claims = found.told.map(({ excerpt }, i): Claim => ({ text: excerpt, citations: [i + 1] }))
  return answerOf(context, found, found.told, claims, 'extract', refused, degraded)
}

/** Claims with the memories that they cite, numbered anew in the order in which they are named. */
const answerOf = (
  context: CallContext,
  { searched, unattested }: Found,
  shown: readonly Telling[],
  claims: readonly Claim[],
  by: AskResult['by'],
  refused: AskResult['refused'],
  degraded: readonly string[] = [],
): AskResult => {
  const numbers = new Map([...new Set(claims.flatMap(({ citations }) => citations))].map((old, i) => [old, i + 1]))
  const renumbered = claims.map(({ text, citations }) => ({
    text,
    citations: citations.map((old) => numbers.get(old) ?? 0),
  }))
  const cited = [...numbers.keys()].map((old) => shown[old - 1] as Telling)
  return {
    answer: renumbered.map((claim) => `${claim.text} ${claim.citations.map((n) => `[${n}]`).join('')}`).join(' '),
    claims: renumbered,
    citations: cited.map((one, i) => citationOf(one, i + 1)),
    by,
    conflicts: conflictsAmong(cited),
    refused,
    unattested,
    abstained: false,
    confidence: searched.confidence,
    routeAgreement: searched.routeAgreement,
    degraded: [...searched.degraded, ...degraded],
    advisories: searched.advisories,
    scope: resolve(context.scope),
  }
}

const citationOf = ({ row, excerpt }: Telling, n: number): Citation => {
  const { key, id, version, status, sourceClass, verification, validAt, updatedAt } = row
  return { n, key, id, version, excerpt, status, sourceClass, verification, validAt, updatedAt }
}

/** By their numbers: the place of each, from one on. */
const conflictsAmong = (cited: readonly Telling[]): AskResult['conflicts'] =>
  cited.flatMap((one, i) =>
    cited.slice(i + 1).flatMap((other, j) => {
      if (!one.row.conflictWith.includes(other.row.id) && !other.row.conflictWith.includes(one.row.id)) return []
      const [here, there] = [i + 1, i + j + 2]
      return [newestFirst(one, other) < 0 ? { newer: here, older: there } : { newer: there, older: here }]
    }),
  )
