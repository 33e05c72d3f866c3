import type { DatePrecision, Relation, Sensitivity, SourceClass, VersionBody } from '../schema/records.js'
import type { JsonValue } from '../schema/scalars.js'
import { canonicalJson, contentSha256 } from './canonical.js'
import { retype } from './memory-type.js'

/** The fields a write gives, times as epoch milliseconds. Missing ones were not given. */
export interface GivenFields {
  readonly value?: JsonValue
  readonly type?: string
  readonly tags?: readonly string[]
  readonly entities?: readonly string[]
  readonly relations?: readonly Relation[]
  readonly files?: readonly string[]
  readonly confidence?: number
  readonly validAt?: number | null
  readonly validTo?: number | null
  readonly temporalAnchor?: number | null
  readonly validAtPrecision?: DatePrecision | null
  readonly validToPrecision?: DatePrecision | null
  readonly temporalAnchorPrecision?: DatePrecision | null
  readonly expiresAt?: number | null
  readonly onExpire?: 'tombstone' | 'hide'
  readonly sourceClass?: SourceClass
  readonly sourceResourceId?: string
  readonly sourceTrace?: string
  readonly origin?: string
  readonly sensitivity?: Sensitivity
  readonly pinned?: boolean
}

/** Who writes, and when. */
export interface Stamp {
  readonly key: string
  readonly actor: string
  readonly run: string | null
  readonly nowMs: number
}

/** A body with what happened to its type on the way. */
export interface ComposedBody {
  readonly body: VersionBody
  readonly retypedFrom?: string
}

/**
 * What a stored body leaves out. Part of the stored form: a value here can never change, since bodies already written rely on it.
 */
export const DEFAULTS = {
  type: 'semantic',
  tags: [],
  entities: [],
  relations: [],
  files: [],
  confidence: 1,
  run: null,
  status: 'active',
  statusReason: null,
  pinned: false,
  conflictWith: [],
  duplicateOf: null,
  supersededBy: null,
  reinforcementCount: 1,
  validAt: null,
  validTo: null,
  temporalAnchor: null,
  validAtPrecision: null,
  validToPrecision: null,
  temporalAnchorPrecision: null,
  invalidAt: null,
  tombstonedAt: null,
  expiresAt: null,
  sourceClass: 'asserted',
  sourceResourceId: null,
  sourceTrace: null,
  origin: null,
  verifiedBy: null,
  verifiedSha256: null,
  lockMode: null,
  lockUntil: null,
  lockReason: null,
  lockBy: null,
  sensitivity: 'none',
  onExpire: 'hide',
} as const satisfies Partial<VersionBody>

/**
 * A body as it is stored: canonical JSON of what differs from the defaults. A tombstone leaves the value to the version it buries:
 * repeating it would make a large memory impossible to delete on a full disk.
 */
export const packBody = (body: VersionBody): string =>
  canonicalJson(
    Object.fromEntries(
      Object.entries(body).filter(([name, held]) => {
        if (name === 'value' && body.status === 'tombstoned') return false
        const usual: unknown = DEFAULTS[name as keyof typeof DEFAULTS]
        return Array.isArray(usual) ? !Array.isArray(held) || held.length > 0 : held !== usual
      }),
    ),
  )

/** A stored body with its defaults; that of a tombstone has no value yet. */
export const unpackBody = (text: string): VersionBody => ({ ...DEFAULTS, ...(JSON.parse(text) as VersionBody) })

/** What belongs to a memory whatever is stated of it. */
const KEPT = [
  'type',
  'tags',
  'sensitivity',
  'pinned',
  'createdAt',
  'verifiedBy',
  'verifiedSha256',
  'lockMode',
  'lockUntil',
  'lockReason',
  'lockBy',
] as const satisfies readonly (keyof VersionBody)[]

const blank = (value: JsonValue, stamp: Stamp): VersionBody => ({
  ...DEFAULTS,
  key: stamp.key,
  value,
  run: stamp.run,
  createdAt: stamp.nowMs,
  updatedAt: stamp.nowMs,
  actor: stamp.actor,
  contentSha256: contentSha256(value),
})

/**
 * A claim stated: what describes the value is taken from this statement alone, while what belongs to the memory (its age, its type,
 * tags and sensitivity unless given, pin, lock, attestation) is carried forward.
 */
export const stateBody = (
  live: VersionBody | null,
  fields: GivenFields & { value: JsonValue },
  stamp: Stamp,
): ComposedBody => {
  const fresh = blank(fields.value, stamp)
  const kept = Object.fromEntries(KEPT.map((name) => [name, (live ?? fresh)[name]])) as Pick<
    VersionBody,
    (typeof KEPT)[number]
  >
  const reinforcementCount = live?.contentSha256 === fresh.contentSha256 ? live.reinforcementCount + 1 : 1
  return finish({ ...fresh, ...kept, reinforcementCount, ...withoutMissing(fields) })
}

/** A memory corrected: the fields given replace, all others are carried forward. */
export const correctBody = (live: VersionBody, fields: GivenFields, stamp: Stamp): ComposedBody => {
  const value = fields.value === undefined ? live.value : fields.value
  const sha256 = contentSha256(value)
  return finish({
    ...live,
    reinforcementCount: sha256 === live.contentSha256 ? live.reinforcementCount : 1,
    ...withoutMissing(fields),
    value,
    contentSha256: sha256,
    updatedAt: stamp.nowMs,
    actor: stamp.actor,
    run: stamp.run,
  })
}

/** The same claim said again: it only counts. */
export const reinforceBody = (live: VersionBody, stamp: Stamp): VersionBody => ({
  ...live,
  reinforcementCount: live.reinforcementCount + 1,
  updatedAt: stamp.nowMs,
  actor: stamp.actor,
})

/** True when the fields say nothing that the live body does not say already. */
export const addsNothing = (live: VersionBody, fields: GivenFields): boolean =>
  Object.entries(withoutMissing(fields)).every(
    ([name, given]) => canonicalJson(given) === canonicalJson(live[name as keyof VersionBody]),
  )

const finish = (body: VersionBody): ComposedBody => {
  const { type, retypedFrom } = retype(body.type, body.value)
  const tags = retypedFrom === undefined ? body.tags : [...body.tags, `retyped_from:${retypedFrom}`]
  return {
    body: { ...body, type, tags: [...new Set(tags)] },
    ...(retypedFrom === undefined ? {} : { retypedFrom }),
  }
}

const withoutMissing = (fields: GivenFields): GivenFields =>
  Object.fromEntries(Object.entries(fields).filter(([, given]) => given !== undefined)) as GivenFields
