/** What was done about a damaged database. */
export interface RecoveryReport {
  readonly at: number
  readonly cause: string
  /** Where the damaged file was put, never deleted; null when there was no file left to keep. */
  readonly quarantinedAs: string | null
  readonly versionsRecovered: number
  readonly versionsUnreadable: boolean
}

/** Answer of `storage`. */
export interface StorageReport {
  readonly backend: 'opfs' | 'idb' | 'memory'
  readonly durable: 'yes' | 'best-effort' | 'no'
  readonly persisted: boolean
  readonly usage: number | null
  readonly quota: number | null
  /** `evictable`: the browser may clear it under pressure. `volatile`: gone with the page. */
  readonly risk: 'ok' | 'evictable' | 'volatile'
  /** Why this backend, in a sentence. */
  readonly reason: string
  readonly lastExportAt: number | null
  readonly lastSyncAt: number | null
  /** True in the tab whose worker holds the database. */
  readonly leader: boolean
  readonly memories: number
  readonly unsynced: number
  readonly embedder: string
  readonly recovery: RecoveryReport | null
}
