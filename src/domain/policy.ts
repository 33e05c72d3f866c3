import type { ConflictPolicy, NamespaceSettings } from '../schema/namespaces.js'
import type { JudgingPolicy, Thresholds } from './judge.js'
import type { DeclaredAttribute } from './signature/attribute.js'

/** What holds where nothing was registered. */
export const DEFAULT_POLICY: ConflictPolicy = 'auto_reinforce'

/** Where a threshold that is in force was settled. */
export type ThresholdSource = 'type' | 'namespace' | 'embedder'

/** How writes of one type are judged in a namespace: what its type has settled goes before what the namespace has, and that before what was measured. */
export const policyFor = (
  settings: NamespaceSettings,
  type: string,
  measured: Thresholds,
): JudgingPolicy & { readonly source: ThresholdSource } => {
  const own = Object.hasOwn(settings.types ?? {}, type) ? settings.types?.[type] : undefined
  const duplicate = own?.thresholds?.duplicate ?? settings.thresholds?.duplicate ?? measured.duplicate
  const conflict = own?.thresholds?.conflict ?? settings.thresholds?.conflict ?? measured.conflict
  return {
    conflictPolicy: own?.conflictPolicy ?? settings.defaultConflictPolicy ?? DEFAULT_POLICY,
    // One that is pinned alone may pass the other: what may be one statement is at least about the same thing.
    thresholds: { duplicate: Math.max(duplicate, conflict), conflict },
    source: own?.thresholds !== undefined ? 'type' : settings.thresholds !== undefined ? 'namespace' : 'embedder',
  }
}

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
