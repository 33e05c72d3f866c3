import { type BoundScope, narrow, writeProblem } from '../../../src/domain/scope.js'
import { invalidArgument } from '../../../src/protocol/errors.js'
import { Mem0Memory } from '../../../src/schema/foreign.js'
import { ScopePatch } from '../../../src/schema/scope.js'
import { parse } from '../../parse.js'
import type { CallContext } from '../context.js'
import { type Arrival, readEntry, refusedEntry } from './arrival.js'

/** The memories in a text of mem0: a list, or an answer that holds one. Null when it is something else. */
export const mem0Memories = (whole: unknown): readonly unknown[] | null => {
  const answer = whole as { readonly results?: unknown; readonly memories?: unknown } | null
  const list = [whole, answer?.results, answer?.memories].find(Array.isArray)
  const isOurs = list?.some((one: unknown) => typeof one === 'object' && one !== null && 'memory' in one)
  return isOurs === true ? (list as readonly unknown[]) : null
}

/** One of them as a statement: without a key, since mem0 has none, and under the user and agent that it names. */
export const mem0Arrival = (context: CallContext, given: unknown, at: number): Arrival => {
  try {
    const memory = parse(Mem0Memory, given, `entries.${at}`)
    const scope = scopeOf(context, memory, at)
    if (scope === null) return { kind: 'settled', entry: { at, outcome: 'outside' } }
    const saidAt = timeOf(memory.updated_at) ?? timeOf(memory.created_at)
    const entry = {
      value: memory.memory,
      tags: [...new Set(memory.categories ?? [])],
      sourceClass: 'imported',
      origin: 'mem0',
      ...(memory.id == null ? {} : { sourceResourceId: String(memory.id) }),
      ...(saidAt === null ? {} : { validAt: new Date(saidAt).toISOString() }),
      ...expiryOf(memory),
      onEmbedFailure: 'queue',
    }
    const input = readEntry(entry, `entries.${at}`)
    return {
      kind: 'statement',
      at,
      scope,
      input,
      precisions: {},
      saidAt,
      statedAs: 'imported',
      lineage: null,
      dropped: droppedOf(memory),
    }
  } catch (error) {
    return { kind: 'settled', entry: refusedEntry(at, error) }
  }
}

/** Null when the memory belongs to somebody whom the handle does not cover. */
const scopeOf = ({ scope }: CallContext, memory: Mem0Memory, at: number): BoundScope | null => {
  const { user_id: user, agent_id: agent, run_id: run } = memory
  const named = {
    ...(user == null ? {} : { user }),
    ...(agent == null ? {} : { agent }),
    // Who wrote it. A handle that says so itself is believed.
    ...(run == null || scope.run !== undefined ? {} : { run }),
  }
  const narrowed = narrow(scope, parse(ScopePatch, named, `entries.${at}`))
  if (!narrowed.ok) return null
  const problem = writeProblem(narrowed.scope)
  if (problem !== null) throw invalidArgument(`entries.${at}.${problem.level}_id`, 'names nobody')
  return narrowed.scope
}

const ZONED = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*(?:Z|[+-]\d{2}:?\d{2})$/u

/** A time that names its zone; any other says nothing that is the same everywhere. */
const timeOf = (text: string | null | undefined): number | null => {
  const at = text != null && ZONED.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : at
}

const DAY = /^\d{4}-\d{2}-\d{2}$/u

/** The day on which it goes, which mem0 gives without a time. */
const expiryOf = (memory: Mem0Memory): { readonly expiresAt?: string } => {
  const { expiration_date: day } = memory as { readonly expiration_date?: unknown }
  return typeof day === 'string' && DAY.test(day) ? { expiresAt: `${day}T00:00:00Z` } : {}
}

const TAKEN = new Set(['memory', 'id', 'user_id', 'agent_id', 'run_id', 'categories', 'created_at', 'updated_at'])
/** What says nothing of the memory itself. */
const BESIDE = new Set(['hash', 'score'])

const droppedOf = (memory: Mem0Memory): readonly string[] => {
  const isDated = timeOf(memory.updated_at) !== null || timeOf(memory.created_at) !== null
  const undated = isDated ? [] : (['created_at', 'updated_at'] as const).filter((name) => memory[name] != null)
  const others = Object.entries(memory).filter(
    ([name, held]) =>
      !TAKEN.has(name) &&
      !BESIDE.has(name) &&
      !isNothing(held) &&
      !(name === 'expiration_date' && 'expiresAt' in expiryOf(memory)),
  )
  return [...undated, ...others.map(([name]) => name.slice(0, 100))].slice(0, 20)
}

const isNothing = (held: unknown): boolean =>
  held == null || held === '' || (typeof held === 'object' && Object.keys(held).length === 0)
