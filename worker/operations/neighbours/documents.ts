import { namesIn, roomKey, roomPrefix } from '../../../src/domain/neighbours/room.js'
import type { Section } from '../../../src/domain/neighbours/sections.js'
import type { DocumentRow, DocumentsResult, OutlineEntry, SectionRow } from '../../../src/schema/neighbours/knowledge.js'
import type { JsonValue } from '../../../src/schema/scalars.js'
import type { Head } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { type Entry, fitting } from './put.js'
import { addressOf, type Paging, pageOf, rowAt } from './rows.js'

export const DOCUMENT = '~document'
export const SECTION = '~section'

export type Format = DocumentRow['format']

/** What a document's row holds: its outline. */
export interface Outline {
  readonly title: string
  readonly format: Format
  readonly sections: readonly {
    readonly slug: string
    readonly heading: string
    readonly level: number
    readonly above: readonly string[]
  }[]
}

export const documentKey = (document: string): string => fitting(roomKey('~knowledge', document), 'document')
export const sectionPrefix = (document: string): string => roomPrefix('~knowledge', document)
export const sourceOf = (document: string, slug: string): string => `${document}#${slug}`

/** Longest trace that a row may have. */
const MAX_TRACE = 500

/** A section as the memory that holds it, found by the words of the headings above it too. */
export const sectionToEntry = (document: string, title: string, { slug, heading, above, text }: Section): Entry => ({
  key: fitting(roomKey('~knowledge', document, slug), 'document'),
  type: SECTION,
  value: text,
  sourceTrace:
    [title, ...above, heading]
      .filter((part) => part !== '')
      .join(' › ')
      .slice(0, MAX_TRACE)
      .replace(/[\uD800-\uDBFF]$/, '') || document,
  sourceResourceId: document,
})

/** The outline in a row; an empty one where somebody else has put something of another form there. */
export const outlineOf = (value: JsonValue, document: string): Outline =>
  typeof value === 'object' && value !== null && 'sections' in value
    ? (value as unknown as Outline)
    : { title: document, format: 'text', sections: [] }

const storedOf = (engine: Engine, head: Head) => ({
  sourceClass: head.body.sourceClass,
  origin: head.body.origin,
  ...addressOf(engine, head),
})

const entryOf = (document: string, { slug, heading, level }: Outline['sections'][number]): OutlineEntry => ({
  source: sourceOf(document, slug),
  heading,
  level,
})

const toDocument =
  (engine: Engine) =>
  (head: Head): DocumentRow => {
    const [document = ''] = namesIn(head.body.key)
    const { title, format, sections } = outlineOf(head.body.value, document)
    return {
      kind: 'document',
      document,
      title,
      format,
      sections: sections.map((one) => entryOf(document, one)),
      ...storedOf(engine, head),
    }
  }

/** A document, or a section of it, of the nearest tier that has one. */
export const getSource = (
  engine: Engine,
  context: CallContext,
  { source }: { readonly source: string },
): DocumentRow | SectionRow | null => {
  const at = source.indexOf('#')
  const document = at < 0 ? source : source.slice(0, at)
  const parentKey = documentKey(document)
  const parent = rowAt(engine, context, 'knowledge.get', parentKey, DOCUMENT)
  if (parent === null || at < 0) return parent === null ? null : toDocument(engine)(parent)
  const slug = source.slice(at + 1)
  const { title, sections } = outlineOf(parent.body.value, document)
  const listed = sections.find((one) => one.slug === slug)
  const head = rowAt(engine, context, 'knowledge.get', roomKey('~knowledge', document, slug), SECTION)
  if (listed === undefined || head === null) return null
  return {
    kind: 'section',
    document,
    title,
    ...entryOf(document, listed),
    above: listed.above,
    text: String(head.body.value),
    parentKey,
    ...storedOf(engine, head),
  }
}

export const listDocuments = (engine: Engine, context: CallContext, input: Paging): DocumentsResult =>
  pageOf(engine, context, input, { type: DOCUMENT, prefix: roomPrefix('~knowledge') }, toDocument(engine))
