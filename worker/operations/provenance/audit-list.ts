import { resolve } from '../../../src/domain/scope.js'
import { invalidArgument } from '../../../src/protocol/errors.js'
import type { AuditListResult } from '../../../src/schema/provenance.js'
import { auditBefore } from '../../store/audit-list.js'
import type { CallContext, Engine } from '../context.js'

interface AuditInput {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly action?: string | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** What was done, and what was refused, by handles of scopes that this one may read and to memories that it may read. */
export const listAudit = (
  { store }: Engine,
  context: CallContext,
  { from, to, action, limit, cursor }: AuditInput,
): AuditListResult => {
  const identities = store.book.visible(context.scope).map(({ identity }) => identity)
  const range = {
    from: from === undefined ? null : Date.parse(from),
    to: to === undefined ? null : Date.parse(to),
    action: action ?? null,
    before: cursor === undefined ? null : readCursor(cursor),
    limit: limit + 1,
  }
  const found = auditBefore(store.db, identities, range)
  const page = found.slice(0, limit)
  return {
    rows: page.map(({ entry: _entry, identity, ...row }) => ({ ...row, scope: store.book.scopeOf(identity) })),
    nextCursor: found.length > limit ? String(page.at(-1)?.entry) : null,
    scope: resolve(context.scope),
  }
}

const readCursor = (cursor: string): number => {
  if (!/^\d{1,15}$/.test(cursor)) throw invalidArgument('cursor', 'is not one that audit.list has given')
  return Number(cursor)
}
