import { alternativeKey, keySegment } from '../../../src/domain/mint-key.js'
import { invalidArgument } from '../../../src/protocol/errors.js'
import { McpEntity, McpRelation } from '../../../src/schema/foreign.js'
import { parse } from '../../parse.js'
import type { CallContext } from '../context.js'
import { type Arrival, readEntry, refusedEntry } from './arrival.js'

/** A line of the file, or an element of the graph. */
export interface McpElement {
  readonly at: number
  /** Undefined when it is not JSON. */
  readonly given: unknown
}

const typeOf = (given: unknown): unknown => (given as { readonly type?: unknown } | null | undefined)?.type

const isMcp = (given: unknown): boolean => typeOf(given) === 'entity' || typeOf(given) === 'relation'

/** The elements in a text of the MCP reference memory server: its file, or the graph it answers with. Null when it is something else. */
export const mcpElements = (text: string, whole: unknown): readonly McpElement[] | null => {
  const graph = whole as { readonly entities?: unknown; readonly relations?: unknown } | undefined | null
  if (Array.isArray(graph?.entities)) {
    const relations = Array.isArray(graph.relations) ? graph.relations : []
    const typed = (type: string) => (one: unknown) => (typeof one === 'object' && one !== null ? { ...one, type } : one)
    const elements = [...graph.entities.map(typed('entity')), ...relations.map(typed('relation'))]
    return elements.map((given, i) => ({ at: i + 1, given }))
  }
  const elements = text
    .split('\n')
    .map((line, i) => ({ at: i + 1, line }))
    .filter(({ line }) => line.trim() !== '')
    .map(({ at, line }) => ({ at, given: jsonOf(line) }))
  return elements.some(({ given }) => isMcp(given)) ? elements : null
}

const jsonOf = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Elements as statements: one for each observation, and one for each relation. */
export const mcpArrivals = (context: CallContext, elements: readonly McpElement[]): readonly Arrival[] => {
  const types = new Map<string, string>()
  const keys = new Map<string, string>()
  return elements.flatMap(({ at, given }) => {
    try {
      return statementsOf(given, at, types).map((statement) => arrivalOf(context, at, withKey(statement, keys)))
    } catch (error) {
      return [{ kind: 'settled', entry: refusedEntry(at, error) } as const]
    }
  })
}

interface Statement {
  readonly key: string
  readonly value: string
  readonly [field: string]: unknown
}

/** One fact per key: what shares its first words with another statement gets a key of its own. */
const withKey = (statement: Statement, keys: Map<string, string>): Statement => {
  for (let n = 1; ; n++) {
    const key = n === 1 ? statement.key : alternativeKey(statement.key, n)
    const held = keys.get(key)
    if (held !== undefined && held !== statement.value) continue
    keys.set(key, statement.value)
    return { ...statement, key }
  }
}

const statementsOf = (given: unknown, at: number, types: Map<string, string>): readonly Statement[] => {
  const path = `lines.${at}`
  if (given === undefined) throw invalidArgument(path, 'is not JSON')
  if (typeOf(given) === 'relation') return [relationOf(parse(McpRelation, given, path), types)]
  if (typeOf(given) !== 'entity') throw invalidArgument(`${path}.type`, 'is neither entity nor relation')
  const entity = parse(McpEntity, given, path)
  types.set(entity.name, entity.entityType)
  return observationsOf(entity)
}

const placeOf = (name: string, type: string): string => `${keySegment(type)}/${keySegment(name)}`

const observationsOf = ({ name, entityType, observations }: McpEntity): readonly Statement[] => {
  const base = placeOf(name, entityType)
  const shared = { tags: [entityType], entities: [name] }
  if (observations.length === 0) return [{ key: base, value: `${name} is of the type ${entityType}.`, ...shared }]
  return observations.map((observation) => ({
    key: `${base}/${keySegment(observation)}`,
    // Found and judged by itself, so it says whom it is about.
    value: observation.toLowerCase().includes(name.toLowerCase()) ? observation : `${name}: ${observation}`,
    ...shared,
  }))
}

const relationOf = ({ from, to, relationType }: McpRelation, types: ReadonlyMap<string, string>): Statement => {
  const predicate = relationType.replace(/[_-]+/gu, ' ').trim() || relationType
  return {
    key: `${placeOf(from, types.get(from) ?? 'entity')}/${keySegment(predicate)}/${keySegment(to)}`,
    value: `${from} ${predicate} ${to}.`,
    entities: [from, to],
    relations: [{ subject: from, predicate, object: to }],
  }
}

const arrivalOf = ({ scope }: CallContext, at: number, statement: Statement): Arrival => {
  try {
    const entry = { ...statement, sourceClass: 'imported', origin: 'mcp-memory', onEmbedFailure: 'queue' }
    const input = readEntry(entry, `lines.${at}`)
    return {
      kind: 'statement',
      at,
      scope,
      input,
      precisions: {},
      saidAt: null,
      statedAs: 'imported',
      lineage: null,
      dropped: [],
    }
  } catch (error) {
    return { kind: 'settled', entry: refusedEntry(at, error) }
  }
}
