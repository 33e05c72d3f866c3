import { between } from '../../../src/domain/asking/fence.js'
import { type Packed, packSections, type SectionName, tokensOf } from '../../../src/domain/asking/packing.js'
import { textOf } from '../../../src/domain/canonical.js'
import { resolve } from '../../../src/domain/scope.js'
import type { CountQuestion, PackedMemory, PackResult } from '../../../src/schema/packing.js'
import type { CallContext, Engine } from '../context.js'
import { noteServed } from '../echo/served.js'
import { type Material, materialFor, type Offered, type Wanted } from './sections.js'

/** What the page has counted, and of what. */
interface Counted {
  readonly counts: readonly number[]
  readonly sources: readonly { readonly id: string; readonly version: string }[]
  readonly rounds: number
}

export interface PackInput extends Wanted {
  readonly tokenBudget: number
  readonly sectionBudgets?: { readonly [Name in SectionName]?: number | undefined } | undefined
  readonly countTokens: boolean
  readonly counted?: Counted | undefined
}

const HEADINGS: { readonly [Name in SectionName]: string } = {
  working: '## Working',
  profile: '## Profile',
  facts: '## Facts',
  turns: '## Recent turns',
  knowledge: '## Knowledge',
  decisions: '## Decisions',
}

/** Goes in whatever it costs. */
const KEPT: readonly SectionName[] = ['working']

/** Times that the page counts what has changed while it was counting. */
const MOST_ROUNDS = 3

/** One block for a prompt. */
export const pack = async (engine: Engine, context: CallContext, input: PackInput): Promise<PackResult | CountQuestion> => {
  const { tokenBudget, sectionBudgets = {}, countTokens, counted, ...wanted } = input
  const material = await materialFor(engine, context, wanted)
  const fence = [...engine.store.system.randomBytes(12)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const frame = between([lastLine(1_000)], fence)
  const texts = [
    frame,
    ...Object.values(HEADINGS),
    ...material.sections.flatMap(({ offered }) => offered.map(({ text }) => text)),
  ]
  const sources = sourcesOf(material)
  const isCurrent = counted !== undefined && counted.counts.length === texts.length && same(counted.sources, sources)
  const rounds = counted?.rounds ?? 0
  if (countTokens && !isCurrent && rounds < MOST_ROUNDS)
    return { countQuestion: { texts, counted: { sources, rounds: rounds + 1 } } }
  const cost = isCurrent ? counterOf(texts, counted.counts) : (text: string) => tokensOf(`${text}\n`)
  const sections = material.sections.map(({ name, offered }) => ({
    name,
    pieces: offered.map((one) => ({ ...one, tokens: cost(one.text) })),
    budget: sectionBudgets[name],
    isKept: KEPT.includes(name),
    heading: cost(HEADINGS[name]),
  }))
  const framing = cost(frame)
  const packed = packSections(sections, tokenBudget - framing)
  void noteServed(engine, context, toldIn(packed))
  return {
    ...rendered(packed, fence, framing),
    tokenBudget,
    unattested: material.unattested,
    degraded: material.searched.degraded,
    advisories: [
      ...material.searched.advisories,
      ...(countTokens && !isCurrent ? ['What is stored kept changing while tokens were counted: they are estimated.'] : []),
    ],
    overBudget: packed.reduce((sum, { tokens }) => sum + tokens, framing) > tokenBudget,
    scope: resolve(context.scope),
  }
}

/** What the page has counted, with a token for the line break that follows. */
const counterOf = (texts: readonly string[], counts: readonly number[]): ((text: string) => number) => {
  const counted = new Map(texts.map((text, i) => [text, Math.ceil(counts[i] ?? 0) + 1]))
  return (text) => counted.get(text) ?? tokensOf(text)
}

const rendered = (
  packed: readonly Packed<Offered & { readonly tokens: number }>[],
  fence: string,
  framing: number,
): Pick<PackResult, 'text' | 'tokens' | 'sections' | 'leftOut'> => {
  const leftOut = packed.reduce((sum, one) => sum + one.leftOut, 0)
  const parts = packed.flatMap(({ name, pieces }) => {
    // Turns were offered from the newest on, and are read from the oldest on.
    const inOrder = name === 'turns' ? pieces.toReversed() : pieces
    return pieces.length === 0 ? [] : [HEADINGS[name], ...inOrder.map(({ text }) => text)]
  })
  const isEmpty = parts.length === 0
  return {
    text: isEmpty ? '' : between(leftOut === 0 ? parts : [...parts, lastLine(leftOut)], fence),
    tokens: isEmpty ? 0 : packed.reduce((sum, { tokens }) => sum + tokens, framing),
    sections: packed.map(({ name, pieces, tokens, leftOut: without }) => ({
      name,
      tokens,
      memories: pieces.map(({ row: { key, id, version } }): PackedMemory => ({ key, id, version })),
      leftOut: without,
    })),
    leftOut,
  }
}

/** What a model is told by a block. Turns are what was said to it: those are still to be learned from. */
const toldIn = (packed: readonly Packed<Offered & { readonly tokens: number }>[]): readonly string[] =>
  packed.flatMap(({ name, pieces }) => (name === 'turns' ? [] : pieces.map(({ row }) => textOf(row.value))))

const lastLine = (leftOut: number): string => `(${leftOut} more did not fit)`

const sourcesOf = ({ sections }: Material) =>
  sections.flatMap(({ offered }) => offered.map(({ row: { id, version } }) => ({ id, version })))

const same = (a: Counted['sources'], b: Counted['sources']): boolean =>
  a.length === b.length && a.every(({ id, version }, i) => id === b[i]?.id && version === b[i]?.version)
