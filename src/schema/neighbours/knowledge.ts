import * as z from 'zod/mini'
import type { SourceClass } from '../records.js'
import { Label, Text } from '../scalars.js'
import type { Scope } from '../scope.js'
import { Name, paging, writing } from './names.js'

/** Longest document in characters. */
export const MAX_DOCUMENT_LENGTH = 2_000_000

const DocumentName = Name.check(z.refine((name) => !name.includes('#'), 'contains #'))

const shape = {
  document: DocumentName,
  content: Text.check(
    z.maxLength(MAX_DOCUMENT_LENGTH),
    z.refine((text) => text.trim() !== '', 'is blank'),
  ),
  /** What it is written in. Default `markdown`. */
  format: z._default(z.enum(['markdown', 'html', 'text']), 'markdown'),
  /** Default: its first heading, else its name. */
  title: z.optional(Label),
  /** Where it came from, such as the address of a page. */
  origin: z.optional(Label),
  /** Default `imported`. What is `external` is told apart until a person verifies it. */
  sourceClass: z._default(z.enum(['derived', 'external', 'imported']), 'imported'),
  ...writing,
}

/** Input of `knowledge.add` and `knowledge.upsert`. */
export const DocumentInput = z.strictObject(shape)
export type DocumentOptions = Omit<z.input<typeof DocumentInput>, 'document' | 'content'>

/** Input of `knowledge.get`: a document, or a section of it as `document#section`. */
export const SourceInput = z.strictObject({ source: Text.check(z.minLength(1), z.maxLength(500)) })

/** Input of `knowledge.list`. */
export const DocumentsInput = z.strictObject(paging)
export type DocumentsFilter = z.input<typeof DocumentsInput>

/** Input of `knowledge.remove`. */
export const DocumentTarget = z.strictObject({ document: DocumentName, ...writing })
export type DocumentTargetOptions = Omit<z.input<typeof DocumentTarget>, 'document'>

/** A section in the outline of a document. */
export interface OutlineEntry {
  /** Its address: `document#section`. */
  readonly source: string
  readonly heading: string
  /** Of its heading, 1 to 6; 0 for what stands before the first. */
  readonly level: number
}

interface Stored {
  readonly document: string
  readonly title: string
  readonly sourceClass: SourceClass
  readonly origin: string | null
  readonly contentSha256: string
  readonly createdAt: number
  readonly updatedAt: number
  /** Of the memory that holds it: `history` and the others take its key. */
  readonly key: string
  readonly id: string
  readonly version: string
  readonly scope: Scope
}

/** A document as it is read. */
export interface DocumentRow extends Stored {
  readonly kind: 'document'
  readonly format: 'markdown' | 'html' | 'text'
  readonly sections: readonly OutlineEntry[]
}

/** A section as it is read. */
export interface SectionRow extends Stored, OutlineEntry {
  readonly kind: 'section'
  /** Key of its document. */
  readonly parentKey: string
  /** Headings above it, the uppermost first. */
  readonly above: readonly string[]
  readonly text: string
}

/** Answer of `knowledge.add` and `knowledge.upsert`. */
export interface DocumentResult {
  readonly document: string
  readonly key: string
  /** In the order of the document. */
  readonly sections: readonly (OutlineEntry & { readonly outcome: 'new' | 'changed' | 'same' })[]
  /** Addresses of sections that are no longer in it. */
  readonly removed: readonly string[]
  /** Keys of facts that were tagged `source-changed`: what they were taken from is no longer said. */
  readonly sourceChanged: readonly string[]
  readonly scope: Scope
}

/** Answer of `knowledge.list`. */
export interface DocumentsResult {
  readonly rows: readonly DocumentRow[]
  readonly nextCursor: string | null
  readonly scope: Scope
}

/** Answer of `knowledge.remove`. */
export interface DocumentRemoval {
  readonly found: boolean
  readonly sections: number
  readonly sourceChanged: readonly string[]
  readonly scope: Scope
}
