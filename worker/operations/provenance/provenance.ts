import { type LineageLinks, type LineageStep, linksOf, missingSources, walk } from '../../../src/domain/lineage.js'
import { tierOf } from '../../../src/domain/scope.js'
import { isUsable, ownTrust, trustAlong } from '../../../src/domain/trust.js'
import { verificationOf } from '../../../src/domain/verification.js'
import type { Lineage, LineageEntry, Provenance } from '../../../src/schema/provenance.js'
import { type Head, headById, statementOf } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { headAbout, linksWithin } from './about.js'

/** How the memory under a key came here, and how far it can be relied on. */
export const provenance = async (
  engine: Engine,
  context: CallContext,
  input: { readonly key: string },
): Promise<Provenance | null> => {
  const identities = identitiesOf(engine, context)
  const links = linksOf(await linksWithin(engine, context, identities))
  // Looked up after the links: nothing is awaited from here on.
  const found = headAbout(engine, context, input)
  if (found === null) return null
  const { head, scope } = found
  const { db } = engine.store
  const { trust, weakest } = trustReader(engine, identities, links)(head.memoryId)
  const stated = statementOf(db, head)
  const { body } = head
  return {
    id: head.memoryId,
    key: body.key,
    version: head.ver.toString(),
    status: body.status,
    actor: body.actor,
    statedBy: stated.by,
    statedAt: stated.at,
    sourceClass: body.sourceClass,
    origin: body.origin,
    sourceResourceId: body.sourceResourceId,
    sourceTrace: body.sourceTrace,
    run: body.run,
    createdAt: body.createdAt,
    updatedAt: body.updatedAt,
    contentSha256: body.contentSha256,
    verifiedBy: body.verifiedBy,
    verification: verificationOf(body),
    trust,
    weakest: weakest === head.memoryId ? null : named(headById(db, identities, weakest)),
    usable: isUsable(trust),
    scope,
    tier: tierOf(scope),
  }
}

/** Reads the trust of memories by their ids, as the least along what they were derived from. */
export const trustReader =
  ({ store: { db } }: Engine, identities: readonly number[], links: LineageLinks) =>
  (memoryId: string): ReturnType<typeof trustAlong> =>
    trustAlong(
      memoryId,
      (id) => (links.from.get(id) ?? []).filter(({ why }) => why === 'source').map(({ to }) => to),
      (id) => {
        const source = headById(db, identities, id)
        // What has gone since its link was read was not seen.
        return source === null ? 'external' : ownTrust({ ...source.body, statedBy: statementOf(db, source).by })
      },
    )

const identitiesOf = ({ store }: Engine, context: CallContext): readonly number[] =>
  store.book.visible(context.scope).map(({ identity }) => identity)

/** The key of what is highly sensitive is told to nobody who did not ask for it. */
const named = (head: Head | null): Provenance['weakest'] =>
  head === null || head.body.sensitivity === 'high' ? null : { id: head.memoryId, key: head.body.key }

/** What the memory under a key came from, and what came of it, as far as the handle may read. */
export const lineage = async (
  engine: Engine,
  context: CallContext,
  input: { readonly key: string; readonly depth: number; readonly limit: number },
): Promise<Lineage | null> => {
  const identities = identitiesOf(engine, context)
  const rows = await linksWithin(engine, context, identities)
  const found = headAbout(engine, context, input)
  if (found === null) return null
  const { head, scope } = found
  const links = linksOf(rows)
  const hidden = new Set(rows.filter(({ isSensitive }) => isSensitive).map(({ id }) => id))
  const entries = (steps: readonly LineageStep[]): readonly LineageEntry[] =>
    steps.flatMap((step) => {
      const reached = hidden.has(step.id) ? null : headById(engine.store.db, identities, step.id)
      return reached === null ? [] : [toEntry(reached, step)]
    })
  const from = walk(head.memoryId, links.from, input)
  const into = walk(head.memoryId, links.into, input)
  return {
    id: head.memoryId,
    key: head.body.key,
    status: head.body.status,
    from: entries(from.steps),
    missing: missingSources(rows, new Set([head.memoryId, ...from.steps.map(({ id }) => id)])),
    into: entries(into.steps),
    truncated: from.truncated || into.truncated,
    scope,
  }
}

const toEntry = ({ memoryId, body }: Head, { why, via, depth }: LineageStep): LineageEntry => ({
  id: memoryId,
  key: body.key,
  status: body.status,
  sourceClass: body.sourceClass,
  actor: body.actor,
  updatedAt: body.updatedAt,
  why,
  via,
  depth,
})
