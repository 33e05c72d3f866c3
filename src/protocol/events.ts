import type { Scope } from '../schema/scope.js'
import type { StorageReport } from '../schema/storage.js'

/** What changed, without any value: enough to decide whether to read again. */
export interface ChangeEvent {
  readonly type: 'changed'
  readonly changes: readonly { readonly key: string; readonly id: string; readonly scope: Scope }[]
}

/** How far a long step is. `ratio` never goes backwards within a phase. */
export interface ProgressEvent {
  readonly type: 'progress'
  readonly phase:
    | 'engine'
    | 'database'
    | 'embedder'
    | 'indexing'
    | 'recovery'
    | 'export'
    | 'check'
    | 'import'
    | 'apply'
    | 'consolidate'
    | 'rollback'
    | 'erase'
    | 'verify'
  readonly loaded: number
  readonly total: number | null
  readonly ratio: number
  readonly file?: string
}

/** The storage report changed: the tab took the lead, or a recovery happened. */
export interface StorageEvent {
  readonly type: 'storage'
  readonly report: Pick<StorageReport, 'backend' | 'durable' | 'leader' | 'reason' | 'recovery'>
}

/** What a worker tells its page unasked. */
export type WorkerEvent = ChangeEvent | ProgressEvent | StorageEvent
