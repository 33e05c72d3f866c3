import { type Child, el, timeNode } from './dom.js'
import type { Cited, Exchange, Reply, SearchedBy } from './exchange.js'
import { embedderName } from './model.js'
import { type PackFor, packedView } from './packed-view.js'
import { ordinal, plural, toSecondPerson } from './phrasing.js'
import { weighedView } from './weighed-view.js'
import type { Choice, Stand } from './weighing.js'

/** What can be clicked in a reply. */
export interface ReplyActions {
  readonly undo: () => void
  readonly keep: () => void
  readonly forget: (key: string) => void
  /** Opens the memory in the panel. */
  readonly reveal: (key: string) => void
  readonly decide: (choice: Choice) => void
  readonly packFor: PackFor
}

/** How what an exchange changed stands by now. */
export interface Standing {
  readonly undoable: boolean
  /** Null where nothing is to be decided. */
  readonly stand: Stand | null
}

interface Context extends Standing {
  readonly actions: ReplyActions
  readonly undone: boolean
}

/** The reply to one line, with the memories it rests on beside it. */
export const replyView = ({ said, reply, undone }: Exchange, standing: Standing, actions: ReplyActions): HTMLElement => {
  const context = { actions, ...standing, undone }
  const packed = reply.kind === 'answer' ? packedView(said, actions.packFor) : null
  return el('div', { class: `reply ${reply.kind}${undone ? ' undone' : ''}` }, ...partsOf(reply, context), packed)
}

const partsOf = (reply: Reply, context: Context): Child[] => {
  switch (reply.kind) {
    case 'talk':
      return [el('p', { class: 'words' }, reply.text)]
    case 'learned':
      return learned(reply, context)
    case 'known':
      return [
        el('p', { class: 'words' }, `I knew that already. You have told me ${plural(reply.times, 'time', 'times')}.`),
        el('p', { class: 'meta' }, keyButton(reply.key, context), tag('same words')),
      ]
    case 'answer':
      return [el('div', { class: 'words' }, reply.text), gloss(reply, context)]
    case 'unknown':
      return [
        el('p', { class: 'words' }, 'I don’t know: nothing I remember fits. ', el('span', { class: 'hedge' }, reply.advice)),
        reply.searchedBy === undefined ? null : el('p', { class: 'meta' }, searchedBy(reply.searchedBy)),
      ]
    case 'forgot':
      return [
        el(
          'p',
          { class: 'words' },
          context.undone ? 'Brought back: ' : 'Forgotten: ',
          context.undone ? reply.value : el('del', {}, reply.value),
        ),
        el('p', { class: 'meta' }, keyButton(reply.key, context), undoButton('Bring it back', context)),
      ]
    case 'which':
      return [el('p', { class: 'words' }, 'Which of these shall I forget?'), choice(reply.cited, context)]
    case 'passed':
      return [
        el(
          'p',
          { class: 'words' },
          'I did not take that for a fact. ',
          el('span', { class: 'hedge' }, WHY[reply.why] ?? ''),
        ),
        el(
          'p',
          { class: 'meta' },
          tag(reply.why),
          el('button', { type: 'button', class: 'plain', onclick: context.actions.keep }, 'Keep it as it is'),
        ),
      ]
    case 'failed':
      return [
        el('p', { class: 'words' }, reply.title),
        el('p', { class: 'meta' }, el('span', {}, reply.advice), tag(reply.code)),
      ]
  }
}

/** Why a line was not learned from, as the library names it. */
const WHY: { readonly [why: string]: string } = {
  question: 'It asks.',
  hypothetical: 'It says what would be.',
  quote: 'Somebody else said it.',
  joke: 'It is meant in fun.',
  fiction: 'It tells a story.',
  code: 'It is code.',
  request: 'It wants something done.',
  small_talk: 'It tells nothing to keep.',
  over_cap: 'It tells too much at once.',
}

const VERDICTS: { readonly [verdict: string]: string } = {
  clear: 'new',
  refines: 'refines',
  duplicate: 'much the same',
  conflict: 'contradicts',
  rejected: 'proposed',
}

const LEARNED: { readonly [verdict: string]: string } = {
  conflict: 'I will remember that, though I believe something else as well.',
  duplicate: 'I know that in other words.',
  rejected: 'That goes against something that is pinned.',
}

const learned = (reply: Extract<Reply, { kind: 'learned' }>, context: Context): Child[] => [
  reply.before === null
    ? el('p', { class: 'words' }, context.undone ? 'Taken back.' : acknowledged(reply))
    : el(
        'div',
        { class: 'layers' },
        el('p', { class: 'under' }, el('span', { class: 'which' }, 'was: '), el('del', {}, reply.before)),
        el('p', { class: 'over' }, el('span', { class: 'which' }, 'now: '), el('ins', {}, reply.value)),
      ),
  reply.weighed === undefined || context.stand === null || context.undone
    ? null
    : weighedView(reply.weighed, context.stand, {
        keyButton: (key) => keyButton(key, context),
        decide: context.actions.decide,
      }),
  el(
    'p',
    { class: 'meta' },
    keyButton(reply.key, context),
    tag(
      context.undone ? 'undone' : reply.before === null ? (VERDICTS[reply.verdict] ?? reply.verdict) : 'written over',
      reply.verdict,
    ),
    reply.about === undefined ? null : tag(reply.about),
    undoButton('Undo', context),
  ),
]

/** What was read out of a line is named, since a line may hold several things. */
const acknowledged = ({ verdict, about, value }: Extract<Reply, { kind: 'learned' }>): string =>
  LEARNED[verdict] ?? (about === undefined ? 'I will remember that.' : `I will remember: ${toSecondPerson(value)}`)

const tag = (text: string, verdict?: string): HTMLElement =>
  el('span', { class: 'tag', ...(verdict !== undefined && { title: `Verdict: ${verdict}` }) }, text)

const keyButton = (key: string, { actions }: Context): HTMLElement =>
  el(
    'button',
    { type: 'button', class: 'key', title: `Show ${key} in the memory panel`, onclick: () => actions.reveal(key) },
    key,
  )

const undoButton = (label: string, { actions, undoable }: Context): HTMLElement | null =>
  undoable ? el('button', { type: 'button', class: 'plain', onclick: actions.undo }, label) : null

const choice = (cited: readonly Cited[], context: Context): HTMLElement =>
  el(
    'ul',
    { class: 'choice' },
    ...cited.map(({ key, value }) =>
      el(
        'li',
        {},
        el('span', { class: 'value' }, value),
        el('button', { type: 'button', class: 'plain', onclick: () => context.actions.forget(key) }, 'Forget'),
      ),
    ),
  )

/** The margin of an answer: the memories it was made from, and what was nearly used. */
const gloss = ({ cited, by, searchedBy: embedder }: Extract<Reply, { kind: 'answer' }>, context: Context): HTMLElement =>
  el(
    'aside',
    { class: 'gloss', 'aria-label': 'Memories used' },
    el(
      'h3',
      {},
      'From memory',
      embedder === undefined ? null : el('span', { class: 'by' }, foundBy(embedder, cited)),
      by === undefined ? null : el('span', { class: 'by' }, `put into words by ${by}`),
    ),
    el('ol', {}, ...cited.map((memory) => citedView(memory, context))),
  )

const searchedBy = (embedder: SearchedBy): string =>
  embedder === null ? 'searched by words alone' : `searched with ${embedderName(embedder)}`

/** Words find as well, and may be all that found. */
const foundBy = (embedder: SearchedBy, cited: readonly Cited[]): string => {
  if (embedder === null) return 'found by words alone'
  const byMeaning = cited.some(({ used, legs }) => used && legs?.some(({ leg }) => leg === 'vector'))
  return byMeaning ? `found with ${embedderName(embedder)}` : `found by words, not by ${embedderName(embedder)}`
}

const citedView = ({ key, value, at, used, score, legs, via }: Cited, context: Context): HTMLElement =>
  el(
    'li',
    { class: used ? 'used' : 'unused' },
    el('span', { class: 'value' }, value),
    el(
      'span',
      { class: 'meta' },
      keyButton(key, context),
      timeNode(at),
      used ? null : el('span', {}, 'not used'),
      via === undefined ? null : el('span', {}, `by way of ${via.join(' → ')}`),
    ),
    legs === undefined ? null : bars(legs, score ?? 0),
  )

const LEG_NAMES = { vector: 'meaning', lexical: 'words' } as const

/** How a memory was found: the cosine of its meaning, and its place by words, whose scores have no scale of their own. */
export const bars = (legs: NonNullable<Cited['legs']>, score: number): HTMLElement =>
  el(
    'span',
    { class: 'bars', title: `Score ${score.toFixed(4)}` },
    ...(['vector', 'lexical'] as const).map((name) => {
      const leg = legs.find((found) => found.leg === name)
      const share = leg === undefined ? 0 : name === 'vector' ? leg.score : 1 / Math.sqrt(leg.rank)
      const fill = el('i', {})
      fill.style.setProperty('--share', share.toFixed(3))
      return el(
        'span',
        { class: `bar ${name}` },
        el('b', {}, LEG_NAMES[name]),
        fill,
        el('em', {}, leg === undefined ? '–' : name === 'vector' ? leg.score.toFixed(2) : ordinal(leg.rank)),
      )
    }),
  )
