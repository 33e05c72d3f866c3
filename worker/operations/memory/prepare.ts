import { scannedText } from '../../../src/domain/blacklist.js'
import type { GivenFields } from '../../../src/domain/body.js'
import { textOf } from '../../../src/domain/canonical.js'
import { isSearchable } from '../../../src/domain/memory-type.js'
import { leadOf, passagesOf } from '../../../src/domain/passage.js'
import { resolve } from '../../../src/domain/scope.js'
import { detectSensitivity } from '../../../src/domain/sensitivity.js'
import { isStatement } from '../../../src/domain/statement.js'
import { isMemoryError, MemoryError } from '../../../src/protocol/errors.js'
import type { UpdateByIdInput } from '../../../src/schema/calls.js'
import type { Sensitivity } from '../../../src/schema/records.js'
import { isSensitive } from '../../store/heads.js'
import type { PassageVectors } from '../../store/search-index.js'
import type { CallContext, Engine } from '../context.js'
import { ownTimeZone, readDate } from './dates.js'
import { blacklistRefusal, rulesInForce } from './rules.js'

/** A write with everything that takes time done: from here on nothing is awaited. */
export interface PreparedWrite {
  readonly fields: GivenFields
  /** Per embedder one vector for each passage of the given value; none when there is nothing to embed or embedding failed and may. */
  readonly vectors: readonly PassageVectors[]
  readonly degraded: readonly string[]
  /** How sensitive the given value looks. Counts where the writer does not say. */
  readonly detected: Sensitivity
  /** Ids of the rules that held when it was looked at. */
  readonly rules: readonly string[]
  /** Which rule refuses it, or null. */
  readonly blacklisted: MemoryError | null
  /** Why it cannot be written: the embedder failed, and the write may not wait for it. */
  readonly refused?: MemoryError
}

/** Any write's input, as far as its fields go. */
export type Fields = { readonly [Name in keyof UpdateByIdInput]?: UpdateByIdInput[Name] | undefined } & {
  readonly key?: string | undefined
  readonly pinned?: boolean | undefined
}

/** Reads the fields of writes, and embeds their texts in one go. */
export const prepare = async (
  engine: Engine,
  inputs: readonly Fields[],
  context: CallContext,
): Promise<readonly PreparedWrite[]> => {
  const looked = await lookOver(engine, inputs, context)
  const identity = engine.store.book.find(resolve(context.scope))
  // What is refused, or must not leave, does not reach the embedder, which may be elsewhere.
  const texts = looked.map(({ fields, detected, blacklisted }, i) =>
    blacklisted !== null || (identity !== null && staysSensitive(engine, identity, inputs[i] ?? {}))
      ? []
      : textsToEmbed(fields, detected, inputs[i]?.key),
  )
  const flat = texts.flat()
  const [embedded, hasLanguage] = await Promise.all([embed(engine, flat, context), engine.language.ready()])
  const lacking = hasLanguage ? [] : ['language']
  let at = 0
  return looked.map((given, i) => {
    const count = texts[i]?.length ?? 0
    if (count === 0) return { ...given, vectors: [], degraded: [] }
    if (embedded instanceof MemoryError)
      return inputs[i]?.onEmbedFailure === 'queue'
        ? { ...given, vectors: [], degraded: ['unjudged', 'unembedded'] }
        : { ...given, vectors: [], degraded: [], refused: embedded }
    at += count
    const own = embedded.map(({ embedder, packed }) => ({ embedder, packed: packed.slice(at - count, at) }))
    return { ...given, vectors: own, degraded: lacking }
  })
}

export type Looked = Pick<PreparedWrite, 'fields' | 'detected' | 'rules' | 'blacklisted'>

/** Reads the fields of writes: holds them against the blacklist, and looks for what is sensitive. */
export const lookOver = async (
  engine: Engine,
  inputs: readonly Fields[],
  context: CallContext,
): Promise<readonly Looked[]> => {
  const held = rulesInForce(engine, context)
  const rules = held.map(({ id }) => id)
  const looked: Looked[] = []
  for (const input of inputs) {
    const fields = fieldsOf(input, context.acceptedAt)
    const detected =
      fields.value === undefined || fields.sensitivity !== undefined ? 'none' : detectSensitivity(fields.value, input.key)
    const blacklisted = held.length === 0 ? null : await blacklistRefusal(engine, held, scannedText(fields, input.key))
    looked.push({ fields, detected, rules, blacklisted })
  }
  return looked
}

/** Whether other rules hold by now than when writes were looked at. */
export const areRulesOutdated = (engine: Engine, context: CallContext, prepared: readonly PreparedWrite[]): boolean => {
  const now = rulesInForce(engine, context).map(({ id }) => id)
  return prepared.some(({ rules }) => rules.join() !== now.join())
}

/** One vector per text and embedder, or why there are none. */
const embed = async (
  engine: Engine,
  texts: readonly string[],
  context: CallContext,
): Promise<readonly PassageVectors[] | MemoryError> => {
  try {
    return await engine.ladder.embedForWrite(texts, context.signal)
  } catch (error) {
    if (isMemoryError(error, 'EMBEDDING_FAILED')) return error
    throw error
  }
}

/** Whether the write leaves a highly sensitive memory so: its text must not reach the embedder, which may be elsewhere. */
const staysSensitive = (engine: Engine, identity: number, input: Fields): boolean =>
  input.sensitivity === undefined && isSensitive(engine.store.db, identity, input)

const textsToEmbed = (fields: GivenFields, detected: Sensitivity, key: string | undefined): readonly string[] => {
  if (fields.value === undefined || !isSearchable(fields.type ?? 'semantic', fields.sensitivity ?? detected)) return []
  const text = textOf(fields.value)
  const passages = passagesOf(text).map(({ start, end }) => text.slice(start, end))
  if (passages.length > 1 || isStatement(fields.value)) return passages
  // It is read with its key. Where that is not known yet, its vector follows.
  return key === undefined ? [] : [leadOf(key, fields.value) + text]
}

/** Parts of an input that say where and how to write, not what. */
const NOT_CONTENT = new Set(['key', 'id', 'ifMatchSha256', 'idempotencyKey', 'dryRun', 'onEmbedFailure', 'onPinned'])

const fieldsOf = (input: Fields, nowMs: number): GivenFields => {
  const { ttlSeconds, validAt, validTo, temporalAnchor, expiresAt, timeZone, ...rest } = input
  const given = Object.fromEntries(Object.entries(rest).filter(([name]) => !NOT_CONTENT.has(name)))
  const times = { validAt, validTo, temporalAnchor, expiresAt }
  const instants = Object.fromEntries(
    Object.entries(times).flatMap(([name, text]): [string, unknown][] => {
      if (text === undefined) return []
      const edge = name === 'validTo' || name === 'expiresAt' ? 'end' : 'begin'
      const date = text === null ? null : readDate(text, timeZone ?? ownTimeZone(), edge)
      const precise: [string, unknown][] = name === 'expiresAt' ? [] : [[`${name}Precision`, date?.precision ?? null]]
      return [[name, date?.instant ?? null], ...precise]
    }),
  )
  const expiry = ttlSeconds === undefined ? {} : { expiresAt: nowMs + Math.ceil(ttlSeconds * 1000) }
  return { ...given, ...instants, ...expiry } as GivenFields
}
