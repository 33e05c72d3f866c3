import type { Scope } from '../../../src/schema/scope.js'
import { type LinkRow, linksAfter } from '../../store/links.js'
import type { Head } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { answersToKey, nearestHead } from '../memory/read.js'
import { takeTurn } from '../turn.js'

/** Memories looked at in one turn: other calls get theirs in between. */
const PAGE = 1_000

/** The memory that a question about a key means: what `get` answers with, else the newest that ever stood there. */
export const headAbout = (
  engine: Engine,
  context: CallContext,
  input: { readonly key: string },
): { readonly head: Head; readonly scope: Scope } | null =>
  nearestHead(engine, context, input, answersToKey(context)) ?? nearestHead(engine, context, input, () => true)

/** What all memories that the handle may read say of each other. */
export const linksWithin = async (
  { store }: Engine,
  context: CallContext,
  identities: readonly number[],
): Promise<readonly LinkRow[]> => {
  const rows: LinkRow[] = []
  for (;;) {
    const page = linksAfter(store.db, identities, rows.at(-1)?.memory ?? 0, PAGE)
    rows.push(...page)
    if (page.length < PAGE) return rows
    await takeTurn(context)
  }
}
