import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import type { Part } from '../../src/domain/neighbours/sections.js'

type Node = DefaultTreeAdapterTypes.Node

/** What nobody reads. */
const UNSEEN = new Set(['script', 'style', 'template', 'noscript', 'head', 'svg', 'iframe', 'object', 'nav'])

/** What stands in a line of its own. */
const BLOCKS =
  /^(address|article|aside|blockquote|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|hr|li|main|ol|p|pre|section|table|td|th|tr|ul)$/

/** An HTML page in parts, one for each heading, as text: what is seen of it, a line for each block. */
export const readHtml = (text: string): readonly Part[] => {
  const parts: { level: number; heading: string; text: string }[] = [{ level: 0, heading: '', text: '' }]
  const last = () => parts.at(-1) ?? { level: 0, heading: '', text: '' }
  // By a list of one's own: pages nest deeper than calls may.
  const rest: (Node | string)[] = [parse(text)]
  while (rest.length > 0) {
    const node = rest.pop()
    if (typeof node === 'string') last().text += node
    else if (node !== undefined && 'value' in node && node.nodeName === '#text') last().text += spaced(node.value)
    else if (node?.nodeName === 'br') last().text += '\n'
    else if (node !== undefined && 'childNodes' in node && !UNSEEN.has(node.nodeName)) {
      const level = Number(/^h([1-6])$/.exec(node.nodeName)?.[1] ?? 0)
      if (level > 0) parts.push({ level, heading: textIn(node), text: '' })
      const breaks = BLOCKS.test(node.nodeName) ? ['\n'] : []
      rest.push(...breaks, ...[...node.childNodes].reverse(), ...breaks)
    }
  }
  return parts.map((part) => ({ ...part, text: part.text.replace(/ *\n */g, '\n').replace(/\n{3,}/g, '\n\n') }))
}

const spaced = (text: string): string => text.replace(/\s+/g, ' ')

const textIn = (node: Node): string => {
  let text = ''
  const rest: Node[] = [node]
  while (rest.length > 0) {
    const one = rest.pop()
    if (one !== undefined && 'value' in one && one.nodeName === '#text') text += one.value
    else if (one !== undefined && 'childNodes' in one) rest.push(...[...one.childNodes].reverse())
  }
  return spaced(text).trim()
}
