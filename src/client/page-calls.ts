import type { CallName } from '../protocol/calls.js'

/** How a call is made from the page. */
interface PageCall {
  /** What is given before the options, in order. */
  readonly takes?: readonly string[]
  readonly writes?: true
}

/** Every call that crosses to the worker, by its wire name. */
export const PAGE_CALLS: { readonly [Name in CallName]: PageCall } = {
  'memory.set': { writes: true },
  'memory.update': { writes: true },
  'memory.updateById': { writes: true },
  'memory.bulkSet': { takes: ['entries'], writes: true },
  'memory.get': { takes: ['key'] },
  'memory.getById': { takes: ['id'] },
  'memory.list': {},
  'memory.history': { takes: ['key'] },
  'memory.delete': { takes: ['key'], writes: true },
  'memory.restore': { takes: ['key'], writes: true },
  'memory.pin': { writes: true },
  'memory.unpin': { writes: true },
  'memory.lock': { takes: ['key'], writes: true },
  'memory.unlock': { takes: ['key'], writes: true },
  'memory.reject': { takes: ['key', 'reason'], writes: true },
  'memory.search': { takes: ['query'] },
  'memory.storage': {},
  'memory.settled': {},
  'memory.export': {},
  'memory.import': { takes: ['archive'], writes: true },
  'conflicts.list': {},
  'conflicts.resolve': { writes: true },
  'proposals.list': {},
  'proposals.decide': { writes: true },
  'namespaces.register': { writes: true },
  'namespaces.get': {},
  'namespaces.audit': {},
  'embedder.get': {},
  'embedder.pause': {},
  'embedder.resume': {},
  'embedder.cancel': {},
  'blacklist.add': { writes: true },
  'blacklist.list': {},
  'blacklist.remove': { writes: true },
  'calibration.get': {},
  'memory.verify': { takes: ['key'], writes: true },
  'memory.provenance': { takes: ['key'] },
  'memory.lineage': { takes: ['key'] },
  'memory.evidence': { takes: ['key'] },
  'audit.list': {},
  'memory.outcome': { takes: ['key', 'outcome'], writes: true },
  'runs.complete': { writes: true },
  'memory.apply': { writes: true },
  'memory.promote': { takes: ['key'], writes: true },
  'memory.related': { takes: ['key'] },
  'memory.inspect': { takes: ['key'] },
  'memory.diff': { takes: ['key'] },
  'memory.timeline': {},
  'memory.undo': { writes: true },
  'memory.redact': { takes: ['key', 'version', 'reason'], writes: true },
  'memory.verifyHistory': {},
  'namespaces.rollback': { writes: true },
}
