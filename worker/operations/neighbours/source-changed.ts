import { textOf } from '../../../src/domain/canonical.js'
import { stillSays } from '../../../src/domain/neighbours/source.js'
import { resolve } from '../../../src/domain/scope.js'
import { headsFromSources } from '../../store/sources.js'
import type { Head } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { append } from '../memory/lifecycle.js'
import type { Change } from '../memory/recorded.js'
import { sourceOf } from './documents.js'
import { changeOf } from './put.js'

/** Says that the source of a fact no longer says it. */
export const SOURCE_CHANGED = 'source-changed'

/**
 * Tags the facts of the handle's own scope that were taken from a document, or from one of its sections that has changed, when it no longer says
 * what they say.
 */
export const markFacts = (
  engine: Engine,
  context: CallContext,
  document: string,
  held: readonly Head[],
  texts: readonly string[],
  changed: readonly string[],
): readonly Change[] => {
  const { store } = engine
  const identity = store.book.find(resolve(context.scope))
  if (identity === null || changed.length === 0) return []
  const sources = [document, ...changed.map((slug) => sourceOf(document, slug))]
  const before = held.map(({ body }) => textOf(body.value)).join('\n')
  const after = texts.join('\n')
  return headsFromSources(store.db, identity, sources)
    .filter(({ body }) => !body.tags.includes(SOURCE_CHANGED) && body.type !== '~section')
    .filter(({ body }) => !stillSays(textOf(body.value), before, after))
    .map((head) =>
      changeOf(engine, append(engine, context, head, 'set', { ...head.body, tags: [...head.body.tags, SOURCE_CHANGED] })),
    )
}
