import type {
  DocumentOptions,
  DocumentRemoval,
  DocumentResult,
  DocumentRow,
  DocumentsFilter,
  DocumentsResult,
  DocumentTargetOptions,
  SectionRow,
} from '../schema/neighbours/knowledge.js'
import type { Abortable } from './abortable.js'

/** Documents: anything longer than a claim. Found by search section by section, and cited as `document#section`. */
export interface KnowledgeCalls {
  /**
   * Add a document in Markdown, HTML or plain text. It is divided at its headings; each section is searched like a memory and has an address of its
   * own, made from its heading. A hit names its document by `parentKey`.
   *
   * Rejects with PRECONDITION_FAILED when there is a document of that name, INVALID_ARGUMENT, FORBIDDEN, BLACKLISTED (nothing is written then),
   * STORAGE_FULL.
   *
   * ```ts
   * await memory.knowledge.add('manual', '# Kettle\n\n## Descaling\n\nDescale it every two months.')
   * ```
   */
  readonly add: (document: string, content: string, options?: DocumentOptions & Abortable) => Promise<DocumentResult>
  /**
   * Add a document, or replace what it says: sections that say the same stay as they are, with their vectors. Facts of the handle's own scope
   * whose `sourceResourceId` names the document, or a section that has changed, are tagged `source-changed` when it no longer says what they were taken
   * from.
   *
   * Rejects as `add` otherwise, and with LOCKED.
   *
   * ```ts
   * const { sections, sourceChanged } = await memory.knowledge.upsert('manual', '# Kettle\n\n## Descaling\n\nDescale it every month.')
   * ```
   */
  readonly upsert: (document: string, content: string, options?: DocumentOptions & Abortable) => Promise<DocumentResult>
  /**
   * A document with its outline, or one section with its text, or null.
   *
   * ```ts
   * const section = await memory.knowledge.get('manual#descaling')
   * ```
   */
  readonly get: (source: string, options?: Abortable) => Promise<DocumentRow | SectionRow | null>
  /** Documents that the handle may read, by name, a page at a time. */
  readonly list: (filter?: DocumentsFilter & Abortable) => Promise<DocumentsResult>
  /** Delete a document of the handle's own scope with all its sections. Facts that were taken from it are tagged `source-changed`. */
  readonly remove: (document: string, options?: DocumentTargetOptions & Abortable) => Promise<DocumentRemoval>
}
