import { isConsolidated } from '../../../src/domain/belief.js'
import { lockInForce } from '../../../src/domain/guards.js'
import { idsNamedIn } from '../../../src/domain/lineage.js'
import { emptiedBody } from '../../../src/domain/redacted.js'
import { resolve } from '../../../src/domain/scope.js'
import { isQuote, scrubbedResult } from '../../../src/domain/scrub.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { RedactResult } from '../../../src/schema/history.js'
import { dropBeliefSources } from '../../store/beliefs.js'
import {
  findVersion,
  memoriesHolding,
  type Redaction,
  scrubAudit,
  scrubResults,
  scrubVectors,
  scrubVersion,
  wholeVersions,
} from '../../store/redactions.js'
import { noteUnjudged } from '../../store/reviews.js'
import { unindexMemory } from '../../store/search-index.js'
import { noteUnfinished, unfinished } from '../../store/unfinished.js'
import { type Head, headById, headOf } from '../../store/versions.js'
import { type CallContext, DEFAULT_ACTOR, type Engine } from '../context.js'
import { restate, unlinkConflict } from '../memory/conflicts.js'
import { releaseDuplicates } from '../memory/duplicates.js'
import { locked } from '../memory/guard.js'
import { append, recordingOf } from '../memory/lifecycle.js'
import { type Change, recorded } from '../memory/recorded.js'
import { requireWritable } from '../memory/set.js'
import { scrub } from './scrub.js'

interface RedactInput {
  readonly key: string
  readonly version: string
  readonly reason: string
  readonly idempotencyKey?: string | undefined
  readonly dryRun?: boolean | undefined
}

/** Scrubs the value that one version holds, everywhere this store keeps it. */
export const redact = (engine: Engine, context: CallContext, input: RedactInput): Promise<RedactResult> => {
  const recording = recordingOf('memory.redact', input)
  requireWritable(engine, context, recording)
  return engine.inOrder(async () => {
    const { db } = engine.store
    // What is taken out is overwritten at once, also where the file cannot be written anew.
    if (!recording.dryRun) db.script('pragma secure_delete = on')
    const result = recorded<RedactResult>(engine, context, recording, () => redacted(engine, context, input))
    await db.durable()
    if (recording.dryRun) return result
    return { ...result, scrubbed: await scrub(engine) }
  })
}

const redacted = (
  engine: Engine,
  context: CallContext,
  { key, version, reason, dryRun = false }: RedactInput,
): { readonly result: RedactResult; readonly changes: readonly Change[] } => {
  const { store } = engine
  const { db } = store
  const found = find(engine, context, key, version)
  const head = headOf(db, found.memory) as Head
  const scope = store.book.scopeOf(head.identity)
  const answer = { id: head.memoryId, key, versions: [version], tombstoned: false, quotes: 0, elsewhere: [] }
  const state = { scrubbed: !dryRun && unfinished(db, 'scrub') === null, noop: found.body === null, dryRun, scope }
  if (found.body === null) return { result: { ...answer, ...state }, changes: [] }
  if (lockInForce(head.body, context.acceptedAt) !== null) throw locked(key, head.body.lockUntil)

  const sha256 = (JSON.parse(found.body) as { contentSha256: string }).contentSha256
  const redaction = { at: context.acceptedAt, actor: context.scope.actor ?? DEFAULT_ACTOR, reason }
  const tombstoned = head.body.contentSha256 === sha256
  // An attestation goes on with a memory when its value changes, and names the value by its hash.
  const carriers = wholeVersions(db, head.memory).filter(
    ({ body }) => body.contentSha256 === sha256 || body.verifiedSha256 === sha256,
  )
  const freed = tombstoned ? emptyHead(engine, context, head, reason) : []
  if (!tombstoned && head.body.verifiedSha256 === sha256)
    restate(store, context, head, { verifiedBy: null, verifiedSha256: null })
  const quoting = quotingMemories(engine, head)
  for (const carrier of carriers) scrubVersion(db, carrier, redaction)
  const quotes = quoting.map(
    (memory) =>
      scrubQuotes(engine, context, memory, redaction) +
      scrubMade(engine, context, memory, (id) => id === head.memoryId, redaction),
  )
  scrubAudit(db, head.memoryId, sha256)
  scrubResults(db, head.memoryId, sha256, (result) => scrubbedResult(result, sha256))
  scrubVectors(db, head.memory)
  noteUnfinished(db, 'scrub', 1)
  const result = {
    ...answer,
    versions: carriers.map(({ ver }) => ver.toString()),
    tombstoned,
    quotes: quotes.reduce((sum, count) => sum + count, 0),
    elsewhere: elsewhere(engine, context, head, sha256),
    ...state,
    scrubbed: false,
  }
  return { result, changes: [{ id: head.memoryId, key, contentSha256: null, scope }, ...freed] }
}

/** The version that is meant, in the handle's own scope. */
const find = ({ store }: Engine, context: CallContext, key: string, version: string) => {
  const own = store.book.find(resolve(context.scope))
  const readable = store.book.visible(context.scope).map(({ identity }) => identity)
  const ver = BigInt(version)
  const found = own === null ? undefined : findVersion(store.db, [own], key, ver)
  if (found !== undefined) return found
  if (findVersion(store.db, readable, key, ver) !== undefined)
    throw new MemoryError('FORBIDDEN', 'This handle may read that version but not change it.', { reason: 'other_scope' })
  throw new MemoryError('NOT_FOUND', `${key} has no such version in this scope.`, { key })
}

/** The memory still says it, or is a tombstone with its hash: it ends with a tombstone that tells nothing. */
const emptyHead = (engine: Engine, context: CallContext, head: Head, reason: string): readonly Change[] => {
  const { store } = engine
  const freed = unlinkConflict(store, context, head)
  const gone = append(engine, context, head, 'tomb', emptiedBody(head.body, reason, context.acceptedAt))
  unindexMemory(store, gone.memory)
  noteUnjudged(store.db, gone.memory, false)
  releaseDuplicates(store, context, head, gone)
  return freed
}

/** Memories that were ever linked to one: what a rule decided between them may quote its value. Whoever they belong to. */
const quotingMemories = ({ store }: Engine, head: Head): readonly number[] => {
  const { db, book } = store
  const named = wholeVersions(db, head.memory).flatMap(({ body }) => [
    ...body.conflictWith,
    body.duplicateOf,
    body.supersededBy,
  ])
  const relatives = book.relatives(head.identity)
  const linked = [...new Set(named)].flatMap((id) => (id === null ? [] : (headById(db, relatives, id)?.memory ?? [])))
  const linking = memoriesHolding(db, head.memoryId).map(({ memory }) => memory)
  return [...new Set([...linked, ...linking])].filter((memory) => memory !== head.memory)
}

/** Scrubs the versions of a memory that only say what a rule decided about it: its value stands in the versions beneath. */
export const scrubQuotes = ({ store }: Engine, context: CallContext, memory: number, redaction: Redaction): number => {
  const { db } = store
  const quotes = wholeVersions(db, memory).filter(({ body }) => isQuote(body.statusReason))
  if (quotes.length === 0) return 0
  const head = headOf(db, memory) as Head
  if (isQuote(head.body.statusReason)) restate(store, context, head, { statusReason: null })
  for (const quote of quotes) scrubVersion(db, quote, redaction)
  const isReadable = store.book.visible(context.scope).some(({ identity }) => identity === head.identity)
  return isReadable ? quotes.length : 0
}

/** Scrubs what was merged from memories, in any version of it: it repeats the value. A new merge says the rest again. */
export const scrubMade = (
  engine: Engine,
  context: CallContext,
  memory: number,
  isSource: (memoryId: string) => boolean,
  redaction: Redaction,
): number => {
  const { store } = engine
  const { db } = store
  const made = wholeVersions(db, memory).filter(
    ({ body }) => isConsolidated(body) && idsNamedIn(body.sourceResourceId).some(isSource),
  )
  const head = headOf(db, memory)
  if (made.length === 0 || head === null) return 0
  if (made.some(({ body }) => body.contentSha256 === head.body.contentSha256))
    emptyHead(engine, context, head, redaction.reason)
  for (const version of made) {
    scrubVersion(db, version, redaction)
    scrubAudit(db, head.memoryId, version.body.contentSha256)
    scrubResults(db, head.memoryId, version.body.contentSha256, (result) =>
      scrubbedResult(result, version.body.contentSha256),
    )
  }
  scrubVectors(db, memory)
  dropBeliefSources(db, memory)
  return made.length
}

/** Other memories that this handle may read and that hold the very same value. */
const elsewhere = ({ store }: Engine, context: CallContext, head: Head, sha256: string): RedactResult['elsewhere'] => {
  const { db, book } = store
  const readable = new Set(book.visible(context.scope).map(({ identity }) => identity))
  return memoriesHolding(db, sha256)
    .filter(({ memory, identity }) => memory !== head.memory && readable.has(identity))
    .flatMap(({ memory }) => {
      const other = headOf(db, memory)
      return other === null || other.body.sensitivity === 'high' ? [] : [{ id: other.memoryId, key: other.body.key }]
    })
}
