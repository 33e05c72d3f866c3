import * as schema from '../schema/calls.js'
import * as guards from '../schema/guards.js'

/**
 * Every call that crosses to the worker, with the schema of its input and whether it writes. The name is the wire name, the
 * TypeScript call and the log entry.
 */
export const CALLS = {
  'memory.set': { input: schema.SetInput, writes: true },
  'memory.update': { input: schema.UpdateInput, writes: true },
  'memory.updateById': { input: schema.UpdateByIdInput, writes: true },
  'memory.bulkSet': { input: schema.BulkSetInput, writes: true },
  'memory.delete': { input: schema.TargetInput, writes: true },
  'memory.restore': { input: schema.TargetInput, writes: true },
  'memory.pin': { input: schema.SetInput, writes: true },
  'memory.unpin': { input: guards.UnpinInput, writes: true },
  'memory.lock': { input: guards.LockInput, writes: true },
  'memory.unlock': { input: guards.UnlockInput, writes: true },
  'memory.get': { input: schema.KeyInput, writes: false },
  'memory.getById': { input: schema.IdInput, writes: false },
  'memory.list': { input: schema.ListInput, writes: false },
  'memory.history': { input: schema.HistoryInput, writes: false },
  'memory.search': { input: schema.SearchInput, writes: false },
  'memory.storage': { input: schema.NoInput, writes: false },
  'memory.settled': { input: schema.NoInput, writes: false },
  'conflicts.list': { input: schema.ConflictsInput, writes: false },
  'conflicts.resolve': { input: schema.ResolveInput, writes: true },
  'embedder.get': { input: schema.NoInput, writes: false },
  'embedder.pause': { input: schema.NoInput, writes: false },
  'embedder.resume': { input: schema.NoInput, writes: false },
  'embedder.cancel': { input: schema.NoInput, writes: false },
  'blacklist.add': { input: guards.BlacklistAddInput, writes: true },
  'blacklist.list': { input: schema.NoInput, writes: false },
  'blacklist.remove': { input: guards.BlacklistRemoveInput, writes: true },
  'calibration.get': { input: schema.NoInput, writes: false },
} as const

export type CallName = keyof typeof CALLS
