import type { PackResult } from 'palimpsest'
import { el } from './dom.js'
import { plural } from './phrasing.js'

/** Packs what would go into a prompt about a question. */
export type PackFor = (question: string) => Promise<PackResult>

/** What a language model would be shown of the memories, read when it is opened. */
export const packedView = (question: string, packFor: PackFor): HTMLElement => {
  const heading = el('summary', {}, 'As a prompt')
  const body = el('div', { class: 'packed-body' })
  const view = el('details', { class: 'packed', ontoggle: () => void show() }, heading, body)
  const show = async (): Promise<void> => {
    if (!view.open) return
    try {
      const { text, tokens, tokenBudget, sections, leftOut } = await packFor(question)
      heading.replaceChildren(`As a prompt: ${tokens} of ${tokenBudget} tokens`)
      const filled = sections.filter(({ memories }) => memories.length > 0)
      const counts = filled.map(({ name, memories }) => `${name} ${memories.length}`).join(' · ')
      const left = leftOut === 0 ? '' : ` · ${plural(leftOut, 'memory', 'memories')} did not fit`
      body.replaceChildren(el('p', { class: 'meta' }, counts + left), el('pre', { tabindex: 0 }, text))
    } catch {
      body.replaceChildren(el('p', { class: 'meta' }, 'It could not be packed.'))
    }
  }
  return view
}
