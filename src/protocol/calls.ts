import * as schema from '../schema/calls.js'
import type { SeldomName } from './seldom-calls.js'

/**
 * The calls that the worker's own script answers, with the schema of their input and whether they write. The name is the wire name,
 * the TypeScript call and the log entry.
 */
export const CALLS = {
  'memory.set': { input: schema.SetInput, writes: true },
  'memory.update': { input: schema.UpdateInput, writes: true },
  'memory.updateById': { input: schema.UpdateByIdInput, writes: true },
  'memory.bulkSet': { input: schema.BulkSetInput, writes: true },
  'memory.pin': { input: schema.SetInput, writes: true },
  'memory.get': { input: schema.KeyInput, writes: false },
  'memory.getById': { input: schema.IdInput, writes: false },
  'memory.list': { input: schema.ListInput, writes: false },
  'memory.search': { input: schema.SearchInput, writes: false },
  'memory.storage': { input: schema.NoInput, writes: false },
  'memory.settled': { input: schema.NoInput, writes: false },
  'embedder.get': { input: schema.NoInput, writes: false },
} as const

export type OftenName = keyof typeof CALLS

/** Every call that crosses to the worker. */
export type CallName = OftenName | SeldomName
