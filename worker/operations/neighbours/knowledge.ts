import { type Part, type Section, sectionsOf } from '../../../src/domain/neighbours/sections.js'
import { resolve } from '../../../src/domain/scope.js'
import { invalidArgument, MemoryError } from '../../../src/protocol/errors.js'
import type { DocumentRemoval, DocumentResult } from '../../../src/schema/neighbours/knowledge.js'
import { type JsonValue, Value } from '../../../src/schema/scalars.js'
import { readHtml } from '../../documents/html.js'
import { readMarkdown } from '../../documents/markdown.js'
import { parse } from '../../parse.js'
import { heldUnder } from '../../store/rooms.js'
import type { Head } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { DOCUMENT, documentKey, type Format, SECTION, sectionPrefix, sectionToEntry, sourceOf } from './documents.js'
import { changeOf, type Entry, liveHere, lookOverAll, put, recordingFor, type Writing, writing } from './put.js'
import { buryUnlocked } from './rows.js'
import { markFacts } from './source-changed.js'

/** Most sections of one document. */
const MAX_SECTIONS = 1_000

interface DocumentInput extends Writing {
  readonly document: string
  readonly content: string
  readonly format: Format
  readonly title?: string | undefined
  readonly origin?: string | undefined
  readonly sourceClass: 'derived' | 'external' | 'imported'
}

export const addDocument = (engine: Engine, context: CallContext, input: DocumentInput): Promise<DocumentResult> =>
  writeDocument(engine, context, 'knowledge.add', input)

export const upsertDocument = (engine: Engine, context: CallContext, input: DocumentInput): Promise<DocumentResult> =>
  writeDocument(engine, context, 'knowledge.upsert', input)

/** Writes a document and those of its sections that differ from what stands there, in one transaction. */
const writeDocument = (
  engine: Engine,
  context: CallContext,
  action: 'knowledge.add' | 'knowledge.upsert',
  input: DocumentInput,
): Promise<DocumentResult> => {
  const { document } = input
  return writing(
    engine,
    context,
    recordingFor(action, input),
    async () => {
      const key = documentKey(document)
      const before = liveHere(engine, context, key)
      if (action === 'knowledge.add' && before?.body.type === DOCUMENT)
        throw new MemoryError('PRECONDITION_FAILED', `There is a document ${document}. Upsert it to replace what it says.`, {
          key,
          currentSha256: before.body.contentSha256,
        })
      const sections = read(input)
      const entries = entriesOf(input, key, sections)
      const looked = await lookOverAll(engine, context, entries)
      const refused = looked.find(({ blacklisted }) => blacklisted !== null)?.blacklisted
      if (refused != null) throw refused
      return { key, sections, entries, looked, held: sectionsHeld(engine, context, document) }
    },
    ({ key, sections, entries, looked, held }) => {
      const done = entries.map((entry, i) => put(engine, context, entry, looked[i] ?? never()))
      const [, ...own] = done
      const kept = new Set(own.map(({ head }) => head.memory))
      const gone = held.filter(({ memory }) => !kept.has(memory))
      const buried = gone.map((head) => buryUnlocked(engine, context, head))
      const marked = markFacts(
        engine,
        context,
        document,
        held,
        sections.map(({ text }) => text),
        changedIn(held, own, gone),
      )
      const written = done.filter(({ outcome }) => outcome !== 'same').map(({ head }) => changeOf(engine, head))
      engine.wakeIndexing()
      return {
        result: {
          document,
          key,
          sections: sections.map(({ slug, heading, level }, i) => ({
            source: sourceOf(document, slug),
            heading,
            level,
            outcome: own[i]?.outcome ?? 'same',
          })),
          removed: gone.map((head) => sourceOf(document, slugOf(head))),
          sourceChanged: marked.map((change) => change.key),
          scope: resolve(context.scope),
        },
        changes: [...written, ...buried, ...marked],
      }
    },
  )
}

const never = (): never => {
  throw new TypeError('every entry was looked over')
}

const read = ({ content, format }: DocumentInput): readonly Section[] => {
  const sections = sectionsOf(partsOf(content, format))
  if (sections.length === 0) throw invalidArgument('content', 'holds no text')
  if (sections.length > MAX_SECTIONS) throw invalidArgument('content', `has more than ${MAX_SECTIONS} sections`)
  return sections
}

const partsOf = (content: string, format: Format): readonly Part[] => {
  if (format === 'text') return [{ level: 0, heading: '', text: content }]
  try {
    return format === 'html' ? readHtml(content) : readMarkdown(content)
  } catch (error) {
    // What is nested deeper than calls may be.
    if (error instanceof RangeError) throw invalidArgument('content', `cannot be read as ${format}`)
    throw error
  }
}

/** The document's own row first. */
const entriesOf = (input: DocumentInput, key: string, sections: readonly Section[]): readonly Entry[] => {
  const { document, format, origin, sourceClass } = input
  const title = input.title ?? sections.find(({ heading }) => heading !== '')?.heading ?? document
  const outline = sections.map(({ slug, heading, level, above }) => ({ slug, heading, level, above: [...above] }))
  const value: JsonValue = parse(Value, { title, format, sections: outline }, 'content')
  const common = { sourceClass, ...(origin === undefined ? {} : { origin }) }
  return [
    { key, type: DOCUMENT, value, ...common },
    ...sections.map((section) => ({ ...sectionToEntry(document, title, section), ...common })),
  ]
}

const sectionsHeld = ({ store }: Engine, context: CallContext, document: string): readonly Head[] => {
  const identity = store.book.find(resolve(context.scope))
  const held = identity === null ? [] : heldUnder(store.db, identity, sectionPrefix(document))
  return held.filter(({ body }) => body.type === SECTION)
}

const slugOf = ({ body }: Head): string => body.key.slice(body.key.lastIndexOf('/') + 1)

/** Slugs of sections that said something else before, or were there. */
const changedIn = (
  held: readonly Head[],
  own: readonly { readonly head: Head }[],
  gone: readonly Head[],
): readonly string[] => {
  const now = new Map(own.map(({ head }) => [head.memory, head.body.contentSha256]))
  const changed = held.filter(({ memory, body }) => now.has(memory) && now.get(memory) !== body.contentSha256)
  return [...changed, ...gone].map(slugOf)
}

/** Deletes a document with its sections. */
export const removeDocument = (
  engine: Engine,
  context: CallContext,
  input: Writing & { readonly document: string },
): Promise<DocumentRemoval> => {
  const { document } = input
  return writing(
    engine,
    context,
    recordingFor('knowledge.remove', input),
    () => ({ live: liveHere(engine, context, documentKey(document)), held: sectionsHeld(engine, context, document) }),
    ({ live, held }) => {
      const own = live?.body.type === DOCUMENT ? [live] : []
      const buried = [...own, ...held].map((head) => buryUnlocked(engine, context, head))
      const marked = markFacts(engine, context, document, held, [], held.map(slugOf))
      return {
        result: {
          found: own.length > 0,
          sections: held.length,
          sourceChanged: marked.map(({ key }) => key),
          scope: resolve(context.scope),
        },
        changes: [...buried, ...marked],
      }
    },
  )
}
