import type { WordChange } from '../schema/history.js'

/** Cells of the largest table that is filled: beyond, what differs is told as a whole. */
const MOST_CELLS = 4_000_000

/** Words, single characters of scripts that set no spaces, white space, and marks one by one. */
const TOKENS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]\p{M}*|[\p{L}\p{N}\p{M}_]+|\s+|[^]/gu

/**
 * How one text became another, word by word: what stays and what goes make up the first, what stays and what comes the second. Two
 * long texts that share little are told as one removal and one addition.
 */
export const diffWords = (before: string, after: string): readonly WordChange[] => {
  const [a, b] = [tokensOf(before), tokensOf(after)]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return joined([
    ...a.slice(0, start).map(as('same')),
    ...between(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(as('same')),
  ])
}

const tokensOf = (text: string): readonly string[] => text.match(TOKENS) ?? []

const as =
  (kind: WordChange['kind']) =>
  (text: string): WordChange => ({ kind, text })

/** By the longest common run of tokens, filled from the end so that it can be read from the start. */
const between = (a: readonly string[], b: readonly string[]): readonly WordChange[] => {
  if (a.length * b.length > MOST_CELLS || a.length === 0 || b.length === 0)
    return [...a.map(as('removed')), ...b.map(as('added'))]
  const width = b.length + 1
  const longest = new Uint16Array((a.length + 1) * width)
  const at = (i: number, j: number): number => longest[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const changes: WordChange[] = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      changes.push({ kind: 'same', text: a[i++] as string })
      j++
    } else if (j === b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1)))
      changes.push({ kind: 'removed', text: a[i++] as string })
    else changes.push({ kind: 'added', text: b[j++] as string })
  }
  return changes
}

/** Neighbours of one kind as one; between two texts that stay, what goes stands before what comes. */
const joined = (changes: readonly WordChange[]): readonly WordChange[] => {
  const all: WordChange[] = []
  let removed = ''
  let added = ''
  const flush = (): void => {
    if (removed !== '') all.push({ kind: 'removed', text: removed })
    if (added !== '') all.push({ kind: 'added', text: added })
    removed = added = ''
  }
  for (const { kind, text } of changes) {
    if (kind === 'removed') removed += text
    else if (kind === 'added') added += text
    else {
      flush()
      const last = all.at(-1)
      if (last?.kind === 'same') all[all.length - 1] = { kind, text: last.text + text }
      else all.push({ kind, text })
    }
  }
  flush()
  return all
}
