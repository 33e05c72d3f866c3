import { mkdirSync, writeFileSync } from 'node:fs'
import { test } from 'vitest'
import type { Embedder } from '../../worker/ports.js'
import { type Chat, readBeam } from './recall/beam.js'
import { miniLm, staticEmbedder } from './recall/embedders.js'
import {
  answerable,
  auroc,
  DRAGON,
  RECALL_COLUMNS,
  type Recall,
  recallOf,
  recallRow,
  refusedAtFive,
} from './recall/figures.js'
import { type Conversation, readLocomo } from './recall/locomo.js'
import { measurePeer, PEERS } from './recall/peers.js'
import { asRows, fillStore, type RecallStore } from './recall/stores.js'
import { table } from './search/report.js'

/*
 * npm run bench:recall. What searches find and refuse, through the whole engine in Node, with two embedders, beside other libraries
 * for the browser in the same run. PALIMPSEST_DATA names the folder with the sets, which belong to others. EMBEDDERS and
 * PARTS choose less; the report is written when nothing is left out.
 */

const DATA = process.env['PALIMPSEST_DATA']
/** What is measured: recall, gate, updates, peers. */
const PARTS = process.env['PARTS']?.split(',') ?? ['recall', 'gate', 'updates', 'peers']
const NAMES = process.env['EMBEDDERS']?.split(',') ?? ['static', 'MiniLM']

/** Ranking is measured with the gate open; what the gate does is measured apart. */
const OPEN = { minConfidence: 0 }

const three = (value: number): string => value.toFixed(3)

const found = async (store: RecallStore, user: string, query: string): Promise<readonly string[]> =>
  (await store.ask(user, query, OPEN)).hits.map(({ key }) => key.split('/').at(-1) ?? '')

const measureRecall = async (store: RecallStore, conversations: readonly Conversation[]): Promise<readonly Recall[]> => {
  const recalls: Recall[] = []
  for (const { id, questions } of conversations)
    for (const question of questions) recalls.push(recallOf(question, await found(store, id, question.question)))
  return recalls
}

/** Confidence and refusals for questions of a store asked of it, or of another one. */
const measureGate = async (
  store: RecallStore,
  conversations: readonly Conversation[],
  asked: (conversation: Conversation) => readonly { readonly question: string }[],
  shift = 0,
): Promise<{ readonly confidences: number[]; readonly refused: number; readonly wrongSubject: number }> => {
  const confidences: number[] = []
  let [refused, wrongSubject] = [0, 0]
  for (const [i, conversation] of conversations.entries()) {
    const user = conversations[(i + shift) % conversations.length]?.id ?? ''
    for (const { question } of asked(conversation)) {
      const { abstained, abstainCode } = await store.ask(user, question)
      if (abstained) refused++
      if ((abstainCode as string) === 'wrong_subject') wrongSubject++
      confidences.push((await store.ask(user, question, OPEN)).confidence)
    }
  }
  return { confidences, refused: refused / confidences.length, wrongSubject: wrongSubject / confidences.length }
}

const gateRows = async (name: string, store: RecallStore, conversations: readonly Conversation[]) => {
  const own = await measureGate(store, conversations, answerable)
  const unrelated = await measureGate(store, conversations, answerable, 2)
  const adversarial = await measureGate(store, conversations, ({ questions }) =>
    questions.filter(({ category }) => category === 'adversarial'),
  )
  const row = (kind: string, { confidences, refused, wrongSubject }: typeof own, isOwn = false) => [
    name,
    kind,
    confidences.length,
    three(refused),
    three(wrongSubject),
    isOwn ? '-' : three(refusedAtFive(own.confidences, confidences)),
    isOwn ? '-' : three(auroc(own.confidences, confidences)),
  ]
  return [
    row('has an answer', own, true),
    row('of another conversation', unrelated),
    row('of another person (adversarial)', adversarial),
  ]
}

/** Where both statements are among the first twenty, how often the newer stands first. */
const updateRow = async (name: string, store: RecallStore, chats: readonly Chat[]) => {
  let [asked, both, newerFirst, newerFound] = [0, 0, 0, 0]
  for (const { id, updates } of chats)
    for (const { question, older, newer } of updates) {
      const { hits } = await store.ask(`beam-${id}`, question, { ...OPEN, limit: 20 })
      const ids = hits.map(({ key }) => Number(key.split('/')[1]))
      const place = (wanted: readonly number[]): number => ids.findIndex((one) => wanted.includes(one))
      const [old, young] = [place(older), place(newer)]
      asked++
      if (young >= 0 && young < 10) newerFound++
      if (old < 0 || young < 0) continue
      both++
      if (young < old) newerFirst++
    }
  return [name, asked, three(newerFound / asked), both, three(newerFirst / Math.max(1, both))]
}

test('recall', async () => {
  if (DATA === undefined) throw new Error('Set PALIMPSEST_DATA to the folder with the sets.')
  const [conversations, chats] = [readLocomo(DATA), readBeam(DATA)]
  const model = miniLm()
  const embedders: Readonly<Record<string, Embedder>> = { static: staticEmbedder(), MiniLM: model.embedder }
  const [recall, gates, updates]: (readonly (string | number)[])[][] = [[], [], []]
  for (const name of NAMES) {
    const isAsked = PARTS.includes('recall') || PARTS.includes('gate')
    const store = await fillStore(
      embedders[name] as Embedder,
      isAsked ? conversations : [],
      PARTS.includes('updates') ? chats : [],
      asRows,
    )
    const started = performance.now()
    if (PARTS.includes('recall')) recall?.push(recallRow(`palimpsest, ${name}`, await measureRecall(store, conversations)))
    const each = (performance.now() - started) / conversations.flatMap(({ questions }) => questions).length
    console.log(`${name}: ${each.toFixed(1)} ms a question`)
    if (PARTS.includes('gate')) gates?.push(...(await gateRows(name, store, conversations)))
    if (PARTS.includes('updates')) updates?.push(await updateRow(name, store, chats))
    await store.close()
  }
  await model.close()
  for (const [name, build] of PARTS.includes('peers') ? Object.entries(PEERS) : [])
    recall?.push(recallRow(name, await measurePeer(build, conversations)))
  recall?.push(DRAGON)
  const report = [
    '## LoCoMo, turns\n',
    table(RECALL_COLUMNS, recall ?? []),
    '\n## Refusals\n',
    table(
      ['embedder', 'questions', 'n', 'refused', 'as wrong_subject', 'refused at 5 % of the answerable', 'AUROC'],
      gates ?? [],
    ),
    '\n## BEAM, knowledge updates\n',
    table(['embedder', 'questions', 'newer in ten', 'both in twenty', 'newer first'], updates ?? []),
  ].join('\n')
  console.log(report)
  if (NAMES.length < 2 || PARTS.length < 4) return
  mkdirSync('docs/bench', { recursive: true })
  writeFileSync('docs/bench/recall.md', `${HEAD}\n${report}\n`)
})

const HEAD = `# Recall

Written by \`npm run bench:recall\`: what searches find and refuse, through the whole engine, on the tuning halves of public sets, without a
language model. R@k is the share of a question's evidence among the first k. Ranking is measured with the gate open
(\`minConfidence: 0\`), refusals with it as it ships; the last two columns tell what the confidence would allow.
`
