import { idsNamedIn } from '../../../src/domain/lineage.js'
import { isServed } from '../../../src/domain/version.js'
import type { Evidence } from '../../../src/schema/provenance.js'
import { type Head, headById, headsByKey, headToRow } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { TURN } from '../neighbours/turns.js'
import { headAbout } from './about.js'

/** The turns behind what the memory under a key says: episodic memories and turns of conversations that its source or trace names, by id or by key. */
export const evidence = (engine: Engine, context: CallContext, input: { readonly key: string }): Evidence => {
  const found = headAbout(engine, context, input)
  if (found === null) return []
  const { db, book } = engine.store
  const identities = book.visible(context.scope).map(({ identity }) => identity)
  const names = [found.head.body.sourceTrace, found.head.body.sourceResourceId]
  const named = names.flatMap((name) => [
    ...idsNamedIn(name).map((id) => headById(db, identities, id)),
    ...(name === null ? [] : headsByKey(db, identities, name)),
  ])
  const turns = new Map<number, Head>()
  for (const head of named) if (head !== null && isTurn(head, context)) turns.set(head.memory, head)
  return [...turns.values()]
    .sort((a, b) => a.body.createdAt - b.body.createdAt || a.memory - b.memory)
    .map((head) => headToRow(head, book.scopeOf(head.identity)))
}

/** What has been deleted since speaks for nothing, and what is highly sensitive is read by its key only. */
const isTurn = (head: Head, { acceptedAt }: CallContext): boolean =>
  (head.body.type === 'episodic' || head.body.type === TURN) &&
  head.body.sensitivity !== 'high' &&
  isServed(head, acceptedAt)
