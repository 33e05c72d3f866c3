import { canonicalEntity } from '../../../src/domain/entity.js'
import { type NameSpan, nameSpans, properNames } from '../../../src/domain/search/names.js'
import type { Sql } from '../../ports.js'
import { memoriesAbout, namesFrom } from '../../store/finding.js'
import type { Store } from '../../store/store.js'

/** Names looked at that begin with one word. */
const MOST_NAMES = 20

/** Whom and what a query names. */
export interface Asked {
  /** Names as they stand in the store. */
  readonly names: ReadonlySet<string>
  /** Where the query names them. */
  readonly spans: readonly NameSpan[]
  /** Names of others that one could take for them: the same first word, and another after it. */
  readonly namesakes: ReadonlySet<string>
  /** What is written as a name and stands in no memory's entities. */
  readonly strangers: readonly NameSpan[]
}

/** Finds the names of a query among those that memories of the scope are about. */
export const readNames = (store: Store, query: string, condition: Sql): Asked => {
  const spans = nameSpans(query)
  const proper = properNames(query)
  const known = new Map<string, readonly string[]>()
  for (const first of new Set(spans.map(({ first: word }) => word)))
    known.set(first, namesFrom(store.db, first, condition, MOST_NAMES))
  const names = new Set<string>()
  const namesakes = new Set<string>()
  const found: NameSpan[] = []
  const isTaken = (span: NameSpan): boolean => found.some(({ start, end }) => start <= span.start && end >= span.end)
  for (const span of spans) {
    if (isTaken(span)) continue
    const whole = proper.find((other) => other.start <= span.start && other.end >= span.end) ?? span
    const alike = (known.get(span.first) ?? []).filter((name) => {
      const canonical = canonicalEntity(name)
      return canonical === span.name || (span.isProper && canonical.startsWith(`${span.name} `))
    })
    // A part of a longer name is that one's name where it stands alone only.
    const own = alike.filter((name) => whole === span || fits(canonicalEntity(name), whole.name))
    for (const name of alike) if (!own.includes(name)) namesakes.add(name)
    const ours = own.filter((name) => memoriesAbout(store.db, [name], condition, 1).length > 0)
    if (ours.length === 0) continue
    for (const name of ours) names.add(name)
    found.push(span)
  }
  for (const name of names) namesakes.delete(name)
  return {
    names,
    spans: found,
    namesakes,
    strangers: proper.filter((span) => !found.some(({ start, end }) => start < span.end && end > span.start)),
  }
}

/** "anna" may be Anna Keller, and "anna schmidt" may not. */
const fits = (name: string, asked: string): boolean =>
  asked === name || asked.startsWith(`${name} `) || name.startsWith(`${asked} `)
