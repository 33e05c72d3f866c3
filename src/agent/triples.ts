import type { Memory } from '../protocol/api.js'
import { invalidArgument, isMemoryError, MemoryError } from '../protocol/errors.js'
import { newId } from '../protocol/new-id.js'
import type { RecordFields, RecordRow } from '../schema/neighbours/records.js'
import { canonicalPredicate, canonicalThing } from './predicate.js'
import type { ForUser } from './scratch.js'
import { holdsAt, type TimedTriple, withEnds } from './triple-time.js'

/** A statement of three parts. Times are epoch milliseconds. */
export interface Triple extends TimedTriple {
  readonly id: string
  /** The predicate as it was written. */
  readonly said: string
}

export interface AddTriple extends ForUser {
  readonly subject: string
  /** In any spelling: `Name_Is`, `name is` and `nameIs` are one. */
  readonly predicate: string
  readonly object: string
  /** From when on it holds, as an instant of ISO 8601. Default now. */
  readonly validFrom?: string
  /** Until when, that instant not included. */
  readonly validUntil?: string
  /** Whether the subject has one object at a time, so that a later one ends it. Default as the namespace's `attributes` say, else false. */
  readonly singleValued?: boolean
}

export interface TripleFilter extends ForUser {
  readonly subject?: string
  readonly predicate?: string
  readonly object?: string
  /** What held at an instant. Default now; null gives all that ever held, with its times. */
  readonly asOf?: string | null
  /** What was known at an instant. */
  readonly recordedBy?: string
}

/** Statements about one user's world, with the times at which they hold. */
export interface TripleCalls {
  readonly add: (triple: AddTriple) => Promise<Triple>
  /** Triples that fit, the one that holds the longest first. */
  readonly query: (filter?: TripleFilter) => Promise<readonly Triple[]>
  /** Says that a triple holds no more, from now on or from an instant. Rejects with NOT_FOUND. */
  readonly close: (id: string, options?: ForUser & { readonly at?: string }) => Promise<Triple>
}

const COLLECTION = 'agent-facts'
const INSTANT = { type: 'instant', required: true } as const
const TEXT = { type: 'text', required: true } as const

/** What is compared stands beside what was written. */
const FIELDS: RecordFields = {
  subject: TEXT,
  subjectForm: TEXT,
  predicate: TEXT,
  predicateForm: TEXT,
  object: TEXT,
  validFrom: INSTANT,
  validUntil: { type: 'instant' },
  closedAt: { type: 'instant' },
  recordedAt: INSTANT,
  single: { type: 'boolean', required: true },
}

export const createTripleCalls = (person: (given: ForUser) => Memory): TripleCalls => {
  const rowsOf = async (memory: Memory, where: Record<string, string>): Promise<readonly RecordRow[]> => {
    const rows: RecordRow[] = []
    try {
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const filter = { where, sort: [{ field: 'validFrom' }], limit: 1_000, ...(cursor === undefined ? {} : { cursor }) }
        const page = await memory.records.list(COLLECTION, filter)
        rows.push(...page.rows)
        cursor = page.nextCursor
      }
    } catch (error) {
      // Nobody has added any.
      if (!isMemoryError(error, 'NOT_FOUND')) throw error
    }
    return rows
  }

  return {
    add: async (input) => {
      const memory = person(input)
      const { subject, predicate, object } = input
      const form = formOf(predicate)
      for (const [name, text] of Object.entries({ subject, object })) requireText(name, text)
      const now = new Date().toISOString()
      const { validFrom = now, validUntil } = input
      requireInstants({ validFrom, validUntil })
      if (validUntil !== undefined && Date.parse(validUntil) <= Date.parse(validFrom))
        throw invalidArgument('validUntil', 'must be later than validFrom')
      const single = input.singleValued ?? (await isRegisteredSingle(memory, form))
      await memory.records.define(COLLECTION, FIELDS)
      const row = await memory.records.put(COLLECTION, newId(), {
        subject,
        subjectForm: canonicalThing(subject),
        predicate,
        predicateForm: form,
        object,
        validFrom,
        ...(validUntil === undefined ? {} : { validUntil }),
        recordedAt: now,
        single,
      })
      return tripleOf(row)
    },
    query: async (filter = {}) => {
      const { subject, predicate, object, asOf, recordedBy } = filter
      const memory = person(filter)
      requireInstants({ asOf: asOf ?? undefined, recordedBy })
      const where = {
        ...(subject === undefined ? {} : { subjectForm: canonicalThing(subject) }),
        ...(predicate === undefined ? {} : { predicateForm: formOf(predicate) }),
      }
      const known = recordedBy === undefined ? Number.POSITIVE_INFINITY : Date.parse(recordedBy)
      const rows = (await rowsOf(memory, where)).filter(({ fields }) => timeOf(fields['recordedAt']) <= known)
      const at = asOf === undefined ? Date.now() : asOf === null ? null : Date.parse(asOf)
      return withEnds(rows.map((row) => tripleOf(row, known)))
        .filter((triple) => at === null || holdsAt(triple, at))
        .filter((triple) => object === undefined || canonicalThing(triple.object) === canonicalThing(object))
    },
    close: async (id, options = {}) => {
      const memory = person(options)
      const now = new Date().toISOString()
      const { at = now } = options
      requireInstants({ at })
      const row = await memory.records.get(COLLECTION, id).catch((error: unknown) => {
        if (isMemoryError(error, 'NOT_FOUND')) return null
        throw error
      })
      if (row === null || row.scope.user === undefined)
        throw new MemoryError('NOT_FOUND', 'There is no such triple.', { id })
      if (Date.parse(at) <= timeOf(row.fields['validFrom'])) throw invalidArgument('at', 'must be later than validFrom')
      return tripleOf(await memory.records.put(COLLECTION, id, { validUntil: at, closedAt: now }))
    },
  }
}

const formOf = (predicate: string): string => {
  const form = typeof predicate === 'string' ? canonicalPredicate(predicate) : ''
  if (form === '') throw invalidArgument('predicate', 'must hold a letter or a digit')
  return form
}

const requireText = (name: string, text: unknown): void => {
  if (typeof text !== 'string' || text.trim() === '') throw invalidArgument(name, 'must be a text')
}

const requireInstants = (instants: Readonly<Record<string, string | undefined>>): void => {
  for (const [name, text] of Object.entries(instants))
    if (
      text !== undefined &&
      (typeof text !== 'string' || !/T.*(?:Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(Date.parse(text)))
    )
      throw invalidArgument(name, 'must be an instant of ISO 8601 with a zone')
}

/** What the namespace has settled of an attribute of that name. */
const isRegisteredSingle = async (memory: Memory, form: string): Promise<boolean> => {
  const { attributes } = await memory.namespaces.get()
  const known = attributes?.find(({ attribute }) => canonicalPredicate(attribute) === form)
  return known?.cardinality === 'one'
}

const timeOf = (value: unknown): number => Date.parse(String(value))

/** @param known what was recorded later than this is not looked at */
const tripleOf = ({ record, fields }: RecordRow, known = Number.POSITIVE_INFINITY): Triple => {
  const { subject, predicate, predicateForm, object, validFrom, validUntil, closedAt, recordedAt, single } = fields
  const isClosedLater = closedAt !== undefined && timeOf(closedAt) > known
  return {
    id: record,
    subject: String(subject),
    predicate: String(predicateForm),
    said: String(predicate),
    object: String(object),
    validFrom: timeOf(validFrom),
    validUntil: validUntil === undefined || isClosedLater ? null : timeOf(validUntil),
    recordedAt: timeOf(recordedAt),
    single: single === true,
  }
}
