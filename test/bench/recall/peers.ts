import { create, insertMultiple, search } from '@orama/orama'
import MiniSearch from 'minisearch'
import { type Recall, recallOf } from './figures.js'
import type { Conversation } from './locomo.js'

/** Finds ids in one conversation, best first. */
type Index = (question: string) => Promise<readonly string[]>

const STOP = new Set(
  (
    'a about an and any are as at be been but by can could did do does for from had has have he her his how i if in into is it its me my ' +
    'not of on or our she should so than that the their them then there they this to us was we were what when where which who whom ' +
    'why will with would you your'
  ).split(' '),
)

const light = (word: string): string => {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`
  const cut = word.replace(/(?:ing|ed)$/, '')
  if (cut !== word && cut.length > 2) return cut.replace(/(.)\1$/, '$1')
  return word.length > 3 ? word.replace(/s$/, '').replace(/e$/, '') : word
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ')

const dated = (at: string): string => `${at.slice(8, 10)} ${MONTHS[Number(at.slice(5, 7)) - 1]} ${at.slice(0, 4)}`

const miniPlain = ({ turns }: Conversation): Index => {
  const index = new MiniSearch({ fields: ['text'] })
  index.addAll(turns.map(({ id, text }) => ({ id, text })))
  return async (question) => index.search(question).map(({ id }) => String(id))
}

/** With stop words, a light stemmer, speaker and date: what a careful app gets from keywords. */
const miniCareful = ({ turns }: Conversation): Index => {
  const index = new MiniSearch({
    fields: ['text'],
    tokenize: (text) => text.replace(/['’]s\b/g, '').split(/[^\p{L}\p{N}]+/u),
    processTerm: (term) => {
      const word = term.toLowerCase()
      return word === '' || STOP.has(word) ? null : light(word)
    },
  })
  index.addAll(turns.map(({ id, speaker, text, at }) => ({ id, text: `${speaker}: ${text} ${dated(at)}` })))
  return async (question) => index.search(question).map(({ id }) => String(id))
}

const orama = async ({ turns }: Conversation): Promise<Index> => {
  const db = create({ schema: { text: 'string' } })
  await insertMultiple(
    db,
    turns.map(({ id, speaker, text }) => ({ id, text: `${speaker}: ${text}` })),
  )
  return async (question) => (await search(db, { term: question, limit: 10 })).hits.map(({ id }) => String(id))
}

export const PEERS: Readonly<Record<string, (conversation: Conversation) => Index | Promise<Index>>> = {
  'minisearch 7.2.0, default': miniPlain,
  'minisearch 7.2.0, stop words, stemmer, speaker, date': miniCareful,
  'Orama 3.1.18, default': orama,
}

/** What another library finds for every question of its own conversation. */
export const measurePeer = async (
  build: (conversation: Conversation) => Index | Promise<Index>,
  conversations: readonly Conversation[],
): Promise<readonly Recall[]> => {
  const recalls: Recall[] = []
  for (const conversation of conversations) {
    const find = await build(conversation)
    for (const question of conversation.questions) recalls.push(recallOf(question, await find(question.question)))
  }
  return recalls
}
