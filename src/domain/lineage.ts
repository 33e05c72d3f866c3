import type { LineageWhy } from '../schema/provenance.js'

/** A memory as far as it points to others. */
export interface LinkedMemory {
  readonly id: string
  readonly sourceResourceId: string | null
  readonly supersededBy: string | null
  readonly duplicateOf: string | null
}

/** One step of a walk: a memory, and from which one it was reached. */
export interface LineageStep {
  readonly id: string
  readonly via: string
  readonly why: LineageWhy
  /** Steps from where the walk began. */
  readonly depth: number
}

const MEMORY_ID = /(?<![0-9A-Za-z])[0-9A-HJKMNP-TV-Z]{26}(?![0-9A-Za-z])/g

/** Ids of memories in what names a source: one, or several with anything but letters and digits between them. */
export const idsNamedIn = (resource: string | null): readonly string[] => [...new Set(resource?.match(MEMORY_ID) ?? [])]

interface Link {
  readonly to: string
  readonly why: LineageWhy
}

/** Links of some memories, in both directions. */
export interface LineageLinks {
  /** To what a memory came from. */
  readonly from: ReadonlyMap<string, readonly Link[]>
  /** To what came of it. */
  readonly into: ReadonlyMap<string, readonly Link[]>
}

/** Reads the links of all memories that may be walked; those to others lead nowhere. */
export const linksOf = (memories: readonly LinkedMemory[]): LineageLinks => {
  const known = new Set(memories.map(({ id }) => id))
  const from = new Map<string, Link[]>()
  const into = new Map<string, Link[]>()
  const add = (later: string, earlier: string, [back, forth]: readonly [LineageWhy, LineageWhy]): void => {
    if (later === earlier || !known.has(later) || !known.has(earlier)) return
    push(from, later, { to: earlier, why: back })
    push(into, earlier, { to: later, why: forth })
  }
  for (const { id, sourceResourceId, supersededBy, duplicateOf } of memories) {
    for (const source of idsNamedIn(sourceResourceId)) add(id, source, ['source', 'derived'])
    if (supersededBy !== null) add(supersededBy, id, ['supersedes', 'superseded_by'])
    if (duplicateOf !== null) add(id, duplicateOf, ['duplicate_of', 'duplicate'])
  }
  return { from, into }
}

const push = (map: Map<string, Link[]>, id: string, link: Link): void => {
  const links = map.get(id)
  if (links === undefined) map.set(id, [link])
  else links.push(link)
}

/** Ids that some memories name as their sources and that none of those known has. */
export const missingSources = (memories: readonly LinkedMemory[], named: ReadonlySet<string>): readonly string[] => {
  const known = new Set(memories.map(({ id }) => id))
  const sources = memories.flatMap(({ id, sourceResourceId }) => (named.has(id) ? idsNamedIn(sourceResourceId) : []))
  return [...new Set(sources)].filter((id) => !known.has(id))
}

/** How far a walk goes. */
export interface WalkLimits {
  readonly depth: number
  readonly limit: number
}

/** What can be reached from one memory, nearest first, each once: a circle of links ends where it began. */
export const walk = (
  start: string,
  links: ReadonlyMap<string, readonly Link[]>,
  { depth, limit }: WalkLimits,
): { readonly steps: readonly LineageStep[]; readonly truncated: boolean } => {
  const seen = new Set([start])
  const steps: LineageStep[] = []
  let edge = [start]
  for (let level = 1; edge.length > 0; level++) {
    const next: string[] = []
    for (const via of edge)
      for (const { to, why } of links.get(via) ?? []) {
        if (seen.has(to)) continue
        if (level > depth || steps.length >= limit) return { steps, truncated: true }
        seen.add(to)
        steps.push({ id: to, via, why, depth: level })
        next.push(to)
      }
    edge = next
  }
  return { steps, truncated: false }
}
