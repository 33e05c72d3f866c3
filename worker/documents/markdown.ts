import { lexer, type Token, type Tokens } from 'marked'
import type { Part } from '../../src/domain/neighbours/sections.js'

/** A Markdown text in parts, one for each heading, as it is written. Headings inside quotes and lists divide nothing. */
export const readMarkdown = (text: string): readonly Part[] => {
  const parts: { level: number; heading: string; text: string }[] = [{ level: 0, heading: '', text: '' }]
  for (const token of lexer(text)) {
    if (isHeading(token)) parts.push({ level: token.depth, heading: plain(token.tokens), text: '' })
    const part = parts.at(-1)
    if (part !== undefined) part.text += token.raw
  }
  return parts
}

const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading'

/** The words of inline marks. */
const plain = (tokens: readonly Token[]): string =>
  tokens
    .map((token) =>
      'tokens' in token && token.tokens !== undefined ? plain(token.tokens) : 'text' in token ? token.text : '',
    )
    .join('')
    .trim()
