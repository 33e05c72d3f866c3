import { textOf } from '../../../src/domain/canonical.js'
import { ECHO_MS, MOST_SERVED, watermarksOf } from '../../../src/domain/echo.js'
import { resolve, writeProblem } from '../../../src/domain/scope.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { SourceClass } from '../../../src/schema/records.js'
import type { JsonValue } from '../../../src/schema/scalars.js'
import type { Scope } from '../../../src/schema/scope.js'
import { countServed, noteServedHashes } from '../../store/served.js'
import type { CallContext, Engine } from '../context.js'

/** Source classes of what was learned by listening: only there can a memory hear itself. */
const LEARNED: ReadonlySet<SourceClass> = new Set(['extracted', 'observed'])

/** The person of a scope: what one agent or session was told may be heard again by another. */
const personOf = (scope: Scope): Scope => {
  const { org, namespace, user } = scope
  return { org, namespace, ...(user === undefined ? {} : { user }) }
}

/**
 * Notes texts that were handed out to be told, by hashes of their sentences, and says how many. Called where memories are put into words
 * for a person or a model, never by an ordinary search, which would pay a write for it. Never rejects: what could not be noted is lost.
 */
export const noteServed = (engine: Engine, context: CallContext, texts: readonly string[]): Promise<number> =>
  note(engine, context, texts, engine.store.auditSalt)

/** The same for words of the app's own, which no memory holds. */
export const noteTold = (engine: Engine, context: CallContext, texts: readonly string[]): Promise<number> =>
  note(engine, context, texts, toldKey(engine))

/** Numbers of their own: what was served may be learned anew once it is not believed any more, and this never. */
const toldKey = ({ store }: Engine): string => `${store.auditSalt} told`

const note = (engine: Engine, context: CallContext, texts: readonly string[], key: string): Promise<number> => {
  const { store } = engine
  const hashes = [...new Set(texts.flatMap((text) => watermarksOf(text, key)))]
  if (hashes.length === 0 || writeProblem(context.scope) !== null) return Promise.resolve(0)
  const nowMs = context.acceptedAt
  return engine
    .inOrder(async () => {
      store.write(() => {
        const identity = store.book.take(personOf(resolve(context.scope)))
        noteServedHashes(store.db, identity, hashes, { nowMs, since: nowMs - ECHO_MS, most: MOST_SERVED })
      })
      await store.db.durable()
      return hashes.length
    })
    .catch(() => 0)
}

/** Whether every telling sentence of a text was handed out to the person of a handle, or to nobody in particular, in the last 30 days. */
export const wasServed = (engine: Engine, context: CallContext, text: string): boolean =>
  isNoted(engine, context, text, engine.store.auditSalt)

/** Whether a text is of the app's own words, as {@link noteTold} has noted them. */
export const wasTold = (engine: Engine, context: CallContext, text: string): boolean =>
  isNoted(engine, context, text, toldKey(engine))

const isNoted = ({ store }: Engine, context: CallContext, text: string, key: string): boolean => {
  const hashes = watermarksOf(text, key)
  if (hashes.length === 0) return false
  const person = personOf(resolve(context.scope))
  const { org, namespace } = person
  const identities = [store.book.find(person), store.book.find({ org, namespace })].filter((found) => found !== null)
  return countServed(store.db, identities, hashes, context.acceptedAt - ECHO_MS) === hashes.length
}

/** Why something that was learned is not stored: this memory has said it itself, so that hearing it proves nothing. Null when it may be. */
export const echoRefusal = (
  engine: Engine,
  context: CallContext,
  { sourceClass, value }: { readonly sourceClass: SourceClass; readonly value: JsonValue },
): MemoryError | null =>
  LEARNED.has(sourceClass) && wasServed(engine, context, textOf(value))
    ? new MemoryError('FORBIDDEN', 'This memory has handed out that text itself. Hearing it again is no evidence for it.', {
        reason: 'echo',
      })
    : null
