import type { ExportOptions, ImportOptions, ImportReport } from '../schema/archive.js'
import type { Abortable } from './abortable.js'

/** Taking memories out of a store, and into one. */
export interface ArchiveCalls {
  /**
   * Everything that belongs to the handle's scope, as one file: all versions with their hashes, deletions, rules, and what namespaces
   * have settled. A handle of a user takes out that user's rows; one that is bound to nothing takes out the whole store. Compressed
   * where the browser can, encrypted under a `passphrase`. Highly sensitive memories go in only then, or with `includeSensitive`.
   * Progress comes as `onProgress` of phase `export`.
   *
   * Rejects with INVALID_ARGUMENT, with FORBIDDEN for a passphrase on a page that is neither https nor localhost, and with ABORTED.
   *
   * ```ts
   * const archive = await memory.export({ passphrase: 'correct horse battery staple' })
   * ```
   */
  readonly export: (options?: ExportOptions & Abortable) => Promise<Blob>
  /**
   * Take in what `export` gave, an export of mem0, or the file of the MCP reference memory server. An archive is checked to its end first.
   * An empty store then holds the same versions, byte for byte, or nothing; in any other store every statement is judged as a write is,
   * and what was deleted here stays deleted. Progress comes as phases `check` and `import`.
   *
   * Rejects with INVALID_ARGUMENT for what was cut short or altered, and for a wrong passphrase; with SCHEMA_TOO_NEW, FORBIDDEN,
   * STORAGE_FULL, and ABORTED (details: how many memories stay written).
   *
   * ```ts
   * const { mode, outcomes } = await memory.import(archive, { passphrase: 'correct horse battery staple' })
   * ```
   */
  readonly import: (
    archive: Blob | string | ReadableStream<Uint8Array>,
    options?: ImportOptions & Abortable,
  ) => Promise<ImportReport>
}
