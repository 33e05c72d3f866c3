import { textOf } from '../../../src/domain/canonical.js'
import type { ForgetRequest } from '../../../src/domain/extract/found.js'
import { speakerSegment } from '../../../src/domain/extract/subject.js'
import { lockInForce } from '../../../src/domain/guards.js'
import { idsNamedIn } from '../../../src/domain/lineage.js'
import { resolve } from '../../../src/domain/scope.js'
import { isServed } from '../../../src/domain/version.js'
import type { LearnedFact } from '../../../src/schema/learning.js'
import { headsAmong, memoriesMatching } from '../../store/heads.js'
import { type Head, headById } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { unlinkConflict } from '../memory/conflicts.js'
import { bury } from '../memory/lifecycle.js'
import type { Change } from '../memory/recorded.js'
import { TURN } from '../neighbours/turns.js'

/** What a request did: what is gone, and why something is not. */
interface Forgotten {
  readonly forgotten: readonly { readonly id: string; readonly key: string }[]
  readonly changes: readonly Change[]
  readonly kept: readonly string[]
}

/** Deletes what a speaker asks to have forgotten, with the turns it was learned from. Runs inside a transaction. */
export const forgetNow = (
  engine: Engine,
  context: CallContext,
  request: ForgetRequest,
  speaker: string | null,
  written: readonly LearnedFact[],
): Forgotten => {
  const own = engine.store.book.find(resolve(context.scope))
  const heads = own === null ? [] : servedOf(engine, context, own)
  const meant = chosen(heads, request, speaker, written)
  if (meant.length === 0) return { forgotten: [], changes: [], kept: ['nothing_to_forget'] }
  const changes: Change[] = []
  const forgotten: { id: string; key: string }[] = []
  const kept: string[] = []
  for (const head of meant) {
    const isKept = head.body.pinned
      ? 'PINNED_CONFLICT'
      : lockInForce(head.body, context.acceptedAt) !== null
        ? 'LOCKED'
        : null
    if (isKept !== null) {
      kept.push(isKept)
      continue
    }
    for (const gone of [head, ...turnsBehind(engine, context, own ?? 0, head)])
      changes.push(...unlinkConflict(engine.store, context, gone), bury(engine, context, gone))
    forgotten.push({ id: head.memoryId, key: head.body.key })
  }
  return { forgotten, changes, kept }
}

const servedOf = ({ store }: Engine, context: CallContext, own: number): readonly Head[] =>
  [false, true].flatMap((isSensitive) => {
    const filter = { isSensitive, includeDuplicates: true }
    const memories = [...memoriesMatching(store.db, [own], filter, context.acceptedAt)]
    return headsAmong(store.db, memories, [own], filter, context.acceptedAt).filter(({ body }) => body.type !== 'episodic')
  })

const chosen = (
  heads: readonly Head[],
  { what, words }: ForgetRequest,
  speaker: string | null,
  written: readonly LearnedFact[],
): readonly Head[] => {
  // What was written by hand is not taken away by a sentence that names nothing.
  const learned = heads.filter(({ body }) => body.sourceClass === 'extracted')
  if (what === 'everything')
    return speaker === null
      ? learned
      : learned.filter(({ body }) => isAbout(body.key, speaker) || body.entities.includes(speaker))
  if (what === 'last') {
    const last = written.at(-1)?.id
    const newest = learned.reduce<Head | null>(
      (newer, head) => (newer === null || head.ver > newer.ver ? head : newer),
      null,
    )
    const found = heads.find(({ memoryId }) => memoryId === last) ?? newest
    return found === null ? [] : [found]
  }
  const wanted = wordsOf(words)
  if (wanted.length === 0) return []
  const matching = heads.filter(({ body }) => {
    const said = new Set(wordsOf(`${body.key.replace(/[/-]/gu, ' ')} ${textOf(body.value)}`))
    return wanted.every((word) => said.has(word))
  })
  const ofSpeaker = matching.filter(({ body }) => isAbout(body.key, speaker))
  // `My birthday` is nobody else's; a name means all that is known of it.
  return /\p{Lu}/u.test(words.replace(/\bI\b/gu, '')) || ofSpeaker.length === 0 ? matching : ofSpeaker
}

const isAbout = (key: string, speaker: string | null): boolean => key.split('/')[0] === speakerSegment(speaker)

/** The turns that a fact names as its source. */
const turnsBehind = ({ store }: Engine, { acceptedAt }: CallContext, own: number, { body }: Head): readonly Head[] =>
  idsNamedIn(body.sourceTrace).flatMap((id) => {
    const head = headById(store.db, [own], id)
    return head !== null && head.body.type === TURN && isServed(head, acceptedAt) ? [head] : []
  })

const EMPTY = new Set(
  'a an the my me i our we us your you of to in on at for about with that this is am are was were be have has had do does did not no and or what said told ever know it its from by as live lives moved'.split(
    ' ',
  ),
)

/** Words that say something, cut so that forms of one word are equal. */
const wordsOf = (text: string): readonly string[] =>
  (text.toLowerCase().match(/\p{Script=Han}+|[\p{L}\p{N}]+/gu) ?? [])
    .filter((word) => !EMPTY.has(word))
    .map((word) => word.replace(/(?:ing|ies|es|ed|s|y|e)$/u, '') || word)
