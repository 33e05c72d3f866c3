import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'vitest'
import { type Datasets, readDatasets } from '../../model/datasets.js'
import { pairCorrelation, turnRecall } from '../../model/measures.js'
import { type LaunchedBrowser, launchBrowser } from '../support/chromium.js'
import type { ModelServer } from '../support/model-page.js'
import { type Embedding, embedAll, NAMES, type Name, startEmbedding, startEmbeddingServer } from './embedding.js'

/*
 * npm run bench:embedder. What each embedder finds, how fast it is and what it takes, in Chromium, as one table. PALIMPSEST_DATA
 * names the folder with the evaluation sets; without it, speed and memory alone are measured. Wall times of one machine: compare
 * the rows.
 */

const DATA = process.env['PALIMPSEST_DATA']
/** For speed alone: sentences of usual length. */
const SENTENCES = Array.from(
  { length: 512 },
  (_, i) => `Note ${i}: Alice moved her bicycle from the ${i % 7}th floor to the cellar.`,
)

/** Highest resident memory of the largest page process so far, in megabytes; null where the system does not say. */
const peakMegabytes = (browser: LaunchedBrowser): number | null => {
  try {
    const peaks = readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .filter((entry) => readOr(`/proc/${entry}/cmdline`).includes(`--type=renderer`))
      .filter(
        (entry) => readOr(`/proc/${entry}/cmdline`).includes(browser.userDataDir) || isBelow(Number(entry), browser.pid),
      )
      .map((entry) => Number(/VmHWM:\s+(\d+)/.exec(readOr(`/proc/${entry}/status`))?.[1] ?? 0))
    return peaks.length === 0 ? null : Math.round(Math.max(...peaks) / 1024)
  } catch {
    return null
  }
}

const readOr = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const isBelow = (pid: number, ancestor: number): boolean => {
  for (let at = pid; at > 1; at = Number(/^PPid:\s+(\d+)/m.exec(readOr(`/proc/${at}/status`))?.[1] ?? 0))
    if (at === ancestor) return true
  return false
}

const textsOf = ({ stsb, sick, locomo }: Datasets): readonly string[] => [
  ...new Set([
    ...[...stsb, ...sick].flatMap(({ a, b }) => [a, b]),
    ...locomo.flatMap(({ turns, questions }) => [...turns, ...questions.map(({ text }) => text)]),
  ]),
]

const quality = async (embed: Embedding['embed'], datasets: Datasets): Promise<readonly number[]> => {
  const vectors = await embedAll(embed, textsOf(datasets))
  const encode = (text: string): Float32Array => vectors.get(text) ?? new Float32Array(0)
  const { stsb, sick, locomo } = datasets
  return [
    pairCorrelation(stsb, encode),
    pairCorrelation(sick, encode),
    turnRecall(locomo, 5, encode),
    turnRecall(locomo, 10, encode),
  ]
}

const measure = async (server: ModelServer, name: Name): Promise<readonly (string | number)[]> => {
  const browser = await launchBrowser()
  try {
    const page = await server.openPage(browser.context)
    page.setDefaultTimeout(0)
    const { readyMs, embed } = await startEmbedding(page, name)
    const rounds = name === 'MiniLM int8' ? 3 : 50
    await embed(SENTENCES.slice(0, 64), rounds)
    const single = (await embed(SENTENCES.slice(0, 1), rounds)).ms
    const batch = (await embed(SENTENCES, rounds)).ms / SENTENCES.length
    const memory = peakMegabytes(browser)
    const figures = DATA === undefined ? ['-', '-', '-', '-'] : await quality(embed, readDatasets(DATA))
    return [
      ...figures.map((figure) => (typeof figure === 'number' ? figure.toFixed(2) : figure)),
      readyMs.toFixed(0),
      (single * 1000).toFixed(0),
      (batch * 1000).toFixed(1),
      memory ?? '-',
    ]
  } finally {
    await browser.close()
  }
}

test('embedders', async () => {
  const server = await startEmbeddingServer()
  const columns = 'STS-B dev | SICK tune | LoCoMo R@5 | R@10 | ready ms | one text us | each of 512 us | peak MB'
  const lines = [`embedder | ${columns}`]
  for (const name of NAMES) lines.push([name, ...(await measure(server, name))].join(' | '))
  await server.close()
  console.log(lines.join('\n'))
})
