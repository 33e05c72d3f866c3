import { lockInForce } from '../../../src/domain/guards.js'
import { idsNamedIn } from '../../../src/domain/lineage.js'
import type { Lasting } from '../../../src/domain/version.js'
import type { Inspection } from '../../../src/schema/bulk.js'
import { countAudited } from '../../store/audit-list.js'
import { partsOf } from '../../store/inspection.js'
import { unjudgedAmong } from '../../store/reviews.js'
import { usageOf } from '../../store/usage.js'
import { headToRow } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { traceSensitive } from '../memory/read.js'
import { headAbout, linksWithin } from '../provenance/about.js'
import { reportOf } from '../usage/outcome.js'

const endOf = ({ body: { validTo }, leavesAt }: Lasting): number | null =>
  validTo === null || leavesAt === null ? (validTo ?? leavesAt) : Math.min(validTo, leavesAt)

/** Everything that is stored about the memory under a key, as far as the handle may know. */
export const inspect = async (
  engine: Engine,
  context: CallContext,
  input: { readonly key: string },
): Promise<Inspection | null> => {
  const { store } = engine
  const { db } = store
  const identities = store.book.visible(context.scope).map(({ identity }) => identity)
  const links = (await linksWithin(engine, context, identities)).filter(({ isSensitive }) => !isSensitive)
  const found = headAbout(engine, context, input)
  if (found === null) return null
  const { head, scope } = found
  const { memory, memoryId, body } = head
  const row = headToRow(head, scope)
  traceSensitive(engine, context, 'memory.inspect', [row])
  return {
    row,
    ...partsOf(db, memory),
    duplicates: links.filter(({ duplicateOf }) => duplicateOf === memoryId).map(({ id }) => id),
    derived: links.filter(({ sourceResourceId }) => idsNamedIn(sourceResourceId).includes(memoryId)).map(({ id }) => id),
    usage: reportOf(usageOf(db, memory, identities, context.acceptedAt)),
    leavesAt: endOf(head),
    locked: lockInForce(body, context.acceptedAt) !== null,
    unjudged: unjudgedAmong(db, [memory]).has(memory),
    audited: countAudited(db, identities, memoryId),
    scope,
  }
}
