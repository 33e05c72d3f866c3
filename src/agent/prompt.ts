import { between, quotedLines, quotedMemory } from '../domain/asking/fence.js'
import { canonicalForm, textOf } from '../domain/canonical.js'
import type { Citation, Quoted, QuotedRow, RenderAnswer, Rendered } from './block.js'

/** Characters of one memory, or of one stretch of text, that a prompt shows. */
const LONGEST_SHOWN = 2_000

interface Part {
  readonly name: string
  readonly lines: readonly string[]
  readonly isQuoted: boolean
}

/** The text for a prompt while it is made, part by part. */
export class Prompt {
  readonly #parts: Part[] = []
  readonly #ids = new Set<string>()
  readonly #forms = new Set<string>()
  #numbers = 0
  readonly rendered: Rendered[] = []
  readonly citations: Citation[] = []
  /** What memories say in it. */
  readonly served: string[] = []
  /** What the app says in it. */
  readonly told: string[] = []

  has(memory: string | { readonly id: string }): boolean {
    return typeof memory === 'string' ? this.#forms.has(canonicalForm(memory)) : this.#ids.has(memory.id)
  }

  quote(rows: readonly QuotedRow[], heading?: string): Quoted | null {
    const fresh = rows.filter((row) => isAttested(row) && !this.has(row) && !this.has(textOf(row.value)))
    const shown = fresh.map((row) => {
      const text = shorten(textOf(row.value), row.excerpt)
      return { row, text, n: ++this.#numbers }
    })
    if (shown.length === 0) return null
    return {
      quoted: [
        ...headed(heading),
        ...shown.map(({ row, text, n }) => `[${n}] ${quotedMemory({ ...row, text, day: dayOf(row) })}`),
      ],
      citations: shown.map(({ row: { key, id, version, tier }, text, n }) => ({ n, key, id, version, tier, text })),
      served: shown.map(({ row }) => textOf(row.value)),
      told: [],
    }
  }

  quoteText(text: string, heading?: string, { isSaid = false } = {}): Quoted | null {
    if (text.trim() === '' || this.has(text)) return null
    return {
      quoted: [...headed(heading), ...quotedLines(shorten(text))],
      citations: [],
      served: [],
      told: isSaid ? [] : [text],
    }
  }

  /** Takes in what a block has given. */
  add(name: string, answer: RenderAnswer): void {
    if (answer === null || answer === undefined) return
    if (typeof answer === 'string') {
      if (answer.trim() === '') return
      this.#parts.push({ name, lines: [answer], isQuoted: false })
      this.#forms.add(canonicalForm(answer))
      this.told.push(answer)
      this.rendered.push({ name, text: answer, memories: [] })
      return
    }
    this.#parts.push({ name, lines: answer.quoted, isQuoted: true })
    for (const { id, text } of answer.citations) {
      this.#ids.add(id)
      this.#forms.add(canonicalForm(text))
    }
    this.citations.push(...answer.citations)
    this.served.push(...answer.served)
    this.told.push(...answer.told)
    this.rendered.push({ name, text: answer.quoted.join('\n'), memories: answer.citations.map(({ id }) => id) })
  }

  /** Quoted parts that follow one another stand between the same fences, which are made by chance: no memory can hold them. */
  text(fence: string): string {
    const texts: string[] = []
    for (let i = 0; i < this.#parts.length; ) {
      const { isQuoted } = this.#parts[i] as Part
      const end = this.#parts.findIndex((part, at) => at > i && part.isQuoted !== isQuoted)
      const run = this.#parts.slice(i, end === -1 ? undefined : end).flatMap(({ lines }) => lines)
      texts.push(isQuoted ? between(run, fence) : run.join('\n\n'))
      i = end === -1 ? this.#parts.length : end
    }
    return texts.join('\n\n')
  }
}

const headed = (heading: string | undefined): readonly string[] => (heading === undefined ? [] : [`## ${heading}`])

const isAttested = ({ sourceClass, verification }: QuotedRow): boolean =>
  sourceClass !== 'external' || verification === 'human'

const shorten = (text: string, excerpt = text): string => {
  if (text.length <= LONGEST_SHOWN) return text
  const cut = excerpt.slice(0, LONGEST_SHOWN)
  // Half of a pair of surrogates is no character.
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}

const dayOf = ({ validAt, temporalAnchor, updatedAt }: QuotedRow): string =>
  new Date(validAt ?? temporalAnchor ?? updatedAt).toISOString().slice(0, 10)
