import type { RestoreResult } from '../../src/schema/going-back.js'
import type { DiffResult, RedactResult, TimelineResult, VerifyReport } from '../../src/schema/history.js'
import type { ListResult } from '../../src/schema/records.js'
import { ALICE, type Fields, open } from './engine-calls.js'

/** A memory with the calls on its history, in Alice's scope unless another is given. */
export const openHistory = async (options: Parameters<typeof open>[0] = {}) => {
  const memory = await open(options)
  const { call } = memory
  return {
    ...memory,
    diff: (key: string, more: Fields = {}, scope = ALICE) => call<DiffResult>('memory.diff', { key, ...more }, scope),
    timeline: (input: Fields, scope = ALICE) => call<TimelineResult>('memory.timeline', input, scope),
    undo: (input: Fields, scope = ALICE) => call<RestoreResult>('memory.undo', { dryRun: false, ...input }, scope),
    rollback: (to: number, more: Fields = {}, scope = ALICE) =>
      call<RestoreResult>('namespaces.rollback', { to: iso(to), dryRun: false, ...more }, scope),
    redact: (key: string, version: string, more: Fields = {}, scope = ALICE) =>
      call<RedactResult>('memory.redact', { key, version, reason: 'She asked for it.', ...more }, scope),
    verify: (input: Fields = {}, scope = ALICE) => call<VerifyReport>('memory.verifyHistory', input, scope),
    served: async (scope = ALICE) => {
      const { rows } = await call<ListResult>('memory.list', { limit: 1000, includeDuplicates: true }, scope)
      return Object.fromEntries(
        rows
          .map(({ key, value, tags, status }) => [key, { value, tags, status }] as const)
          .toSorted(([a], [b]) => (a < b ? -1 : 1)),
      )
    },
  }
}

export const iso = (ms: number): string => new Date(ms).toISOString()
