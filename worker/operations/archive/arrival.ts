import { type GivenFields, unpackBody } from '../../../src/domain/body.js'
import { textOf } from '../../../src/domain/canonical.js'
import { type BoundScope, owns, resolve } from '../../../src/domain/scope.js'
import { hasEnded } from '../../../src/domain/version.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { ImportEntry } from '../../../src/schema/archive.js'
import { BulkEntry } from '../../../src/schema/calls.js'
import type { SourceClass, VersionBody } from '../../../src/schema/records.js'
import type { Row } from '../../../src/schema/row.js'
import { parse } from '../../parse.js'
import type { CallContext } from '../context.js'
import type { ArchivedMemory } from './read-archive.js'

/** What is known of a memory beside what it says, when it comes from an archive. */
export interface Lineage {
  readonly id: string
  /** Row ids of its versions. */
  readonly rows: readonly string[]
  /** Version of the first of them. */
  readonly began: bigint
  /** The newest of them. */
  readonly newest: string
  /** When that was written, epoch milliseconds. */
  readonly writtenAt: number
}

/** A statement on its way into a store that may hold others. */
export type Arrival =
  | {
      readonly kind: 'statement'
      readonly at: number
      readonly scope: BoundScope
      readonly input: ReturnType<typeof readEntry>
      /** How much was given of the dates in it, which are instants by now. */
      readonly precisions: Precisions
      /** When it was last said, and from when on it holds; null where nobody knows. */
      readonly saidAt: number | null
      /** How it came into the store that it comes from. */
      readonly statedAs: SourceClass
      readonly lineage: Lineage | null
      readonly dropped: readonly string[]
    }
  | {
      readonly kind: 'deletion'
      readonly at: number
      readonly scope: BoundScope
      readonly key: string
      readonly lineage: Lineage
    }
  | { readonly kind: 'settled'; readonly entry: ImportEntry }

export type Precisions = Pick<GivenFields, 'validAtPrecision' | 'validToPrecision' | 'temporalAnchorPrecision'>

/** The input of a write as it is parsed. */
export const readEntry = (given: unknown, path: string) => parse(BulkEntry, given, path)

/** An entry that cannot come in, with the reason. */
export const refusedEntry = (at: number, error: unknown, key?: string): ImportEntry => {
  if (!(error instanceof MemoryError) || (error.status >= 500 && error.code !== 'BLACKLIST_TIMEOUT')) throw error
  return { at, outcome: 'refused', ...(key === undefined ? {} : { key }), code: error.code, message: error.message }
}

const settled = (entry: ImportEntry): Arrival => ({ kind: 'settled', entry })

/** A memory of an archive as what it would say here. */
export const arrivalOf = (context: CallContext, { at, rows }: ArchivedMemory): Arrival => {
  const newest = rows[rows.length - 1] as Row
  if (!owns(context.scope, newest.scope)) return settled({ at, outcome: 'outside' })
  const id = newest.memory
  if (newest.body === null) return settled({ at, outcome: 'retired', id })
  const body = unpackBody(newest.body)
  const { key } = body
  const { run, actor } = context.scope
  const scope: BoundScope = {
    ...newest.scope,
    ...(run === undefined ? {} : { run }),
    ...(actor === undefined ? {} : { actor }),
  }
  const lineage: Lineage = {
    id,
    rows: rows.map((row) => row.id),
    began: BigInt((rows[0] as Row).ver),
    newest: newest.id,
    writtenAt: body.updatedAt,
  }
  if (body.status === 'tombstoned') return { kind: 'deletion', at, scope, key, lineage }
  if (NOT_BELIEVED.has(body.status) || hasEnded({ body, leavesAt: body.expiresAt }, context.acceptedAt))
    return settled({ at, outcome: 'retired', id, key })
  try {
    const input = readEntry(entryOf(body), `memories.${at}`)
    return {
      kind: 'statement',
      at,
      scope,
      input,
      precisions: precisionsOf(body),
      saidAt: lastSaidAt(rows),
      statedAs: body.sourceClass,
      lineage,
      dropped: [],
    }
  } catch (error) {
    return settled({ ...refusedEntry(at, error, key), id })
  }
}

/** When a memory was last said: by the version that gave it its value, or counted it again. What only marked it says nothing. */
const lastSaidAt = (rows: readonly Row[]): number => {
  const bodies = rows.flatMap(({ body }) => (body === null ? [] : [unpackBody(body)])).toReversed()
  const [newest] = bodies as [VersionBody]
  const other = bodies.findIndex(
    ({ contentSha256, reinforcementCount }) =>
      contentSha256 !== newest.contentSha256 || reinforcementCount !== newest.reinforcementCount,
  )
  return (bodies.at(other === -1 ? -1 : other - 1) as VersionBody).updatedAt
}

/** What an archive says was not, or not yet, believed where it comes from. */
const NOT_BELIEVED: ReadonlySet<VersionBody['status']> = new Set(['superseded', 'rejected', 'proposed'])

const COPIED = [
  'key',
  'value',
  'type',
  'tags',
  'entities',
  'relations',
  'files',
  'confidence',
  'onExpire',
  'sourceResourceId',
  'sourceTrace',
  'origin',
  'sensitivity',
] as const satisfies readonly (keyof VersionBody)[]

/** A body as the input of a write. It holds from when it was said, where it does not say since when. */
const entryOf = (body: VersionBody): Readonly<Record<string, unknown>> => {
  const validAt = body.validAt ?? body.temporalAnchor ?? body.updatedAt
  const { validTo, temporalAnchor, expiresAt } = body
  const times = Object.entries({ validAt, validTo, temporalAnchor, expiresAt }).flatMap(([name, at]) =>
    at === null ? [] : [[name, new Date(at).toISOString()] as const],
  )
  const fields = COPIED.flatMap((name) => (body[name] === null && name !== 'value' ? [] : [[name, body[name]] as const]))
  // What came from outside does not become more trusted on the way.
  const sourceClass = body.sourceClass === 'external' ? 'external' : 'imported'
  return { ...Object.fromEntries([...fields, ...times]), sourceClass, onEmbedFailure: 'queue' }
}

const precisionsOf = (body: VersionBody): Precisions => {
  const { validAt, validAtPrecision, validToPrecision, temporalAnchorPrecision } = body
  return {
    validAtPrecision: validAt === null ? temporalAnchorPrecision : validAtPrecision,
    validToPrecision,
    temporalAnchorPrecision,
  }
}

/** The text of a statement, from which a key is made where it has none. */
export const statedText = (arrival: Extract<Arrival, { kind: 'statement' }>): string => textOf(arrival.input.value)

/** The identity that an arrival would be written under, as text. */
export const scopeName = (scope: BoundScope): string => {
  const { org, namespace, agent, user, session } = resolve(scope)
  return JSON.stringify([org, namespace, agent ?? [], user === undefined ? [] : user, session ?? []])
}
