import type { ConflictPolicy, NamespaceSettings } from '../schema/namespaces.js'
import type { VersionBody } from '../schema/records.js'
import type { JudgingPolicy, Thresholds } from './judge.js'
import type { DeclaredAttribute } from './signature/attribute.js'

/** What holds where nothing was registered. */
export const DEFAULT_POLICY: ConflictPolicy = 'auto_reinforce'

/** Where a threshold that is in force was settled. */
export type ThresholdSource = 'tag' | 'type' | 'namespace' | 'embedder'

/**
 * How a write is judged in a namespace: what one of its tags has settled goes before what its type has, that before what the namespace has, and
 * that before what was measured.
 */
export const policyFor = (
  settings: NamespaceSettings,
  { type, tags }: Pick<VersionBody, 'type' | 'tags'>,
  measured: Thresholds,
): JudgingPolicy & { readonly source: ThresholdSource } => {
  const ofTags = tags.flatMap((tag) => heldUnder(settings.tagRegistry, tag) ?? [])
  const ofType = heldUnder(settings.types, type)
  const pinned: readonly (readonly [ThresholdSource, NamespaceSettings['thresholds']])[] = [
    ['tag', ofTags.find(({ thresholds }) => thresholds !== undefined)?.thresholds],
    ['type', ofType?.thresholds],
    ['namespace', settings.thresholds],
  ]
  const first = (which: keyof Thresholds): number =>
    pinned.find(([, held]) => held?.[which] !== undefined)?.[1]?.[which] ?? measured[which]
  const conflict = first('conflict')
  return {
    conflictPolicy:
      ofTags.find(({ conflictPolicy }) => conflictPolicy !== undefined)?.conflictPolicy ??
      ofType?.conflictPolicy ??
      settings.defaultConflictPolicy ??
      DEFAULT_POLICY,
    // One that is pinned alone may pass the other: what may be one statement is at least about the same thing.
    thresholds: { duplicate: Math.max(first('duplicate'), conflict), conflict },
    source: pinned.find(([, held]) => held !== undefined)?.[0] ?? 'embedder',
  }
}

/** Names of a caller may be those of an object's own parts. */
const heldUnder = <Held>(registry: Readonly<Record<string, Held>> | undefined, name: string): Held | undefined =>
  registry !== undefined && Object.hasOwn(registry, name) ? registry[name] : undefined

/** Attributes as reading a statement takes them. */
export const declaredBy = ({ attributes = [] }: NamespaceSettings): readonly DeclaredAttribute[] =>
  attributes.map(({ attribute, cardinality }) => ({ attribute: attribute.toLowerCase(), isSingle: cardinality === 'one' }))

/** Settings after some were given: each replaces the one before, null takes it away. */
export const settle = (
  before: NamespaceSettings,
  given: { readonly [Name in keyof NamespaceSettings]?: NamespaceSettings[Name] | null | undefined },
): NamespaceSettings =>
  Object.fromEntries(
    Object.entries({
      ...before,
      ...Object.fromEntries(Object.entries(given).filter(([, held]) => held !== undefined)),
    }).filter(([, held]) => held !== null),
  ) as NamespaceSettings
