import { age } from './phrasing.js'

type Attribute = string | number | boolean | ((event: Event) => void)

/** What may stand inside an element. Strings become text nodes, never markup: what is remembered may be hostile. */
export type Child = Node | string | null

/**
 * An element with attributes, listeners (`onclick: …`) and children. True stands for an attribute without a value, false for
 * none.
 */
export const el = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else if (typeof value === 'boolean') element.toggleAttribute(name, value)
    else element.setAttribute(name, String(value))
  }
  element.append(...children.filter((child) => child !== null))
  return element
}

/** The one element that a selector names; the page and its scripts are written together. */
export const find = <Type extends HTMLElement>(selector: string, type: new () => Type): Type => {
  const element = document.querySelector(selector)
  if (!(element instanceof type)) throw new Error(`The page has no ${selector}.`)
  return element
}

/** A moment as its age, kept right by `refreshAges`. */
export const timeNode = (at: number): HTMLTimeElement =>
  el('time', { datetime: new Date(at).toISOString(), title: new Date(at).toLocaleString() }, age(at, Date.now()))

/** Brings all ages on the page up to date. */
export const refreshAges = (): void => {
  for (const node of document.querySelectorAll('time')) node.textContent = age(Date.parse(node.dateTime), Date.now())
}

/** Brings the children of a list into the order given, leaving in place what already stands right. */
export const arrange = (list: Element, nodes: readonly Element[]): void => {
  const wanted = new Set(nodes)
  for (const child of [...list.children]) if (!wanted.has(child)) child.remove()
  nodes.forEach((node, i) => {
    if (list.children[i] !== node) list.insertBefore(node, list.children[i] ?? null)
  })
}
