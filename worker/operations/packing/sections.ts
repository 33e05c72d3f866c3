import { quotedMemory } from '../../../src/domain/asking/fence.js'
import { type Piece, SECTIONS, type SectionName } from '../../../src/domain/asking/packing.js'
import { sentencesAround } from '../../../src/domain/asking/sentences.js'
import { textOf } from '../../../src/domain/canonical.js'
import type { AsOfInput } from '../../../src/schema/as-of.js'
import type { MemoryRow, SearchResult } from '../../../src/schema/records.js'
import { listAsOf } from '../as-of/read.js'
import { searchAsOf } from '../as-of/search.js'
import { dayOf, isAttested, tellingOf } from '../asking/telling.js'
import type { CallContext, Engine } from '../context.js'
import { list } from '../memory/read.js'
import { type SearchInput, search } from '../search.js'

/** What a block narrows to. */
export interface Wanted extends AsOfInput, Omit<SearchInput, 'offset' | 'explain' | 'limit'> {
  readonly blockOrder?: readonly SectionName[] | undefined
  readonly onlySections?: readonly SectionName[] | undefined
}

/** A memory as it would stand in the block. */
export interface Offered extends Omit<Piece, 'tokens'> {
  readonly row: MemoryRow
}

/** What is there for a block. */
export interface Material {
  readonly sections: readonly { readonly name: SectionName; readonly offered: readonly Offered[] }[]
  readonly unattested: number
  readonly searched: Pick<SearchResult, 'degraded' | 'advisories'>
}

/** Types of memories that have a section of their own; what fits the query and has another type is a fact. */
const TYPES: { readonly [Name in SectionName]?: string } = {
  working: '~working',
  profile: 'profile',
  turns: '~turn',
  knowledge: '~section',
  decisions: 'decision',
}

/** Sections that are searched for what fits the query; of the others the newest are taken. */
const SEARCHED: readonly SectionName[] = ['facts', 'knowledge', 'decisions']

/** Memories looked at for one section. */
const MOST_OFFERED = 50

/** Longer values go in by the sentences around what was found. */
const LONGEST_WHOLE = 600

/** Sections in the order in which they are wanted, with what there is for each, the one wanted most first. */
export const materialFor = async (engine: Engine, context: CallContext, input: Wanted): Promise<Material> => {
  const { blockOrder = [], onlySections = SECTIONS, ...wanted } = input
  const names = [...new Set([...blockOrder, ...SECTIONS])].filter((name) => onlySections.includes(name))
  const sections: { name: SectionName; offered: readonly Offered[] }[] = []
  const seen = new Set<string>()
  let unattested = 0
  let searched: Material['searched'] = { degraded: [], advisories: [] }
  for (const name of names) {
    const isSearched = SEARCHED.includes(name)
    const found = isSearched ? await searchFor(engine, context, name, wanted) : null
    if (found !== null) searched = found
    const rows = found?.hits ?? (await newest(engine, context, name, wanted))
    const fresh = rows.filter(({ id }) => !seen.has(id))
    const attested = fresh.filter(isAttested)
    unattested += fresh.length - attested.length
    for (const { id } of attested) seen.add(id)
    sections.push({ name, offered: attested.map((row) => offer(engine, context, wanted, row)) })
  }
  return { sections, unattested, searched }
}

const isEarlier = ({ asOf, asOfBasis }: AsOfInput): boolean => asOf !== undefined || asOfBasis !== undefined

const searchFor = async (
  engine: Engine,
  context: CallContext,
  name: SectionName,
  wanted: Omit<Wanted, 'blockOrder' | 'onlySections'>,
): Promise<SearchResult> => {
  const type = TYPES[name] ?? wanted.type
  const asked = { ...wanted, type, limit: MOST_OFFERED, offset: 0, explain: false }
  const result = await (isEarlier(wanted) ? searchAsOf(engine, context, asked) : search(engine, context, asked))
  // Facts are all that has no section of its own.
  const own: readonly unknown[] = Object.values(TYPES)
  return name === 'facts' && wanted.type === undefined
    ? { ...result, hits: result.hits.filter(({ type: of }) => !own.includes(of)) }
    : result
}

const newest = async (
  engine: Engine,
  context: CallContext,
  name: SectionName,
  { query: _, legs: __, ...filter }: Omit<Wanted, 'blockOrder' | 'onlySections'>,
): Promise<readonly MemoryRow[]> => {
  const asked = { ...filter, type: TYPES[name], limit: MOST_OFFERED }
  return (await (isEarlier(filter) ? listAsOf(engine, context, asked) : list(engine, context, asked))).rows
}

const offer = (engine: Engine, context: CallContext, wanted: Pick<Wanted, 'tiers'>, row: MemoryRow): Offered => {
  const identities = engine.store.book.visible(context.scope, wanted.tiers).map(({ identity }) => identity)
  const whole = textOf(row.value)
  const excerpt = (row as MemoryRow & { readonly excerpt?: string }).excerpt
  const text =
    whole.length <= LONGEST_WHOLE || excerpt === undefined
      ? whole
      : sentencesAround(whole, excerpt)
          .map((sentence) => sentence.text)
          .join('\n')
  return { row, text: quotedMemory({ ...row, text, day: dayOf(tellingOf(engine, identities, row, text)) }) }
}
