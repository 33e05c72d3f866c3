import { textOf } from '../../../src/domain/canonical.js'
import { type HeadFilter, headsAmong } from '../../store/heads.js'
import { headById, headToRow } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { isAttested, newestFirst, type Telling, tellingOf } from './telling.js'

/** Longest text of the other side that is told. */
const LONGEST = 300

/** What is to be told with all that contradicts it, the newer side first. */
export const withOtherSides = (
  engine: Engine,
  context: CallContext,
  filter: HeadFilter,
  told: readonly Telling[],
): readonly Telling[] => {
  const { store } = engine
  const identities = store.book.visible(context.scope, filter.tiers).map(({ identity }) => identity)
  const other = (id: string): readonly Telling[] => {
    const head = headById(store.db, identities, id)
    // Only what a read of this handle serves: not what has ended, is highly sensitive or was filtered away.
    const served = head === null ? [] : headsAmong(store.db, [head.memory], identities, filter, context.acceptedAt)
    return served
      .map((one) => headToRow(one, store.book.scopeOf(one.identity)))
      .filter(isAttested)
      .map((row) => tellingOf(engine, identities, row, textOf(row.value).slice(0, LONGEST)))
  }
  const done = new Set<string>()
  return told.flatMap((one) => {
    if (done.has(one.row.id)) return []
    const others = one.row.conflictWith
      .filter((id) => !done.has(id))
      .flatMap((id) =>
        told.filter(({ row }) => row.id === id).concat(told.some(({ row }) => row.id === id) ? [] : other(id)),
      )
    const sides = [one, ...others].sort(newestFirst)
    for (const { row } of sides) done.add(row.id)
    return sides
  })
}
