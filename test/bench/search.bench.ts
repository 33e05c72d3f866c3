import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { launchBrowser } from '../support/chromium.js'
import { type Name, PEERS, type Running, startContender, startContenderServer } from './search/contenders.js'
import { measureEndToEnd } from './search/end-to-end.js'
import { type Point, plot, table } from './search/report.js'

/*
 * npm run bench:search. How fast the nearest ten are found, in a dedicated worker of headless Chromium: our scan, a probe that only reads
 * as many bytes, and other libraries for the browser, over the same vectors in the same run. Then search and set of the whole library.
 * SIZES, ALONE, PEERS and MEMORIES choose less; what is left out is left out of the report. Wall times of one machine: look at the ratios.
 */

const listed = (name: string, usual: readonly (string | number)[]): readonly string[] =>
  process.env[name]?.split(',').filter((part) => part !== '') ?? usual.map(String)

const SIZES = listed('SIZES', [1_000, 10_000, 100_000]).map(Number)
/** Sizes without peers, with the dimensions. */
const ALONE = listed('ALONE', ['100000x384', '1000000x256', '1000000x384'])
const CHOSEN = PEERS.filter((peer) => listed('PEERS', PEERS).includes(peer))
const MEMORIES = listed('MEMORIES', [1_000, 10_000, 100_000]).map(Number)

const DIMS = 256
const ROUNDS = 7
const QUERIES = 40
const TITLES: Readonly<Record<Name, string>> = {
  ours: 'palimpsest',
  exact: 'float vectors in JavaScript',
  orama: 'Orama 3.1.18',
  'sqlite-vec': 'sqlite-vec 0.1.9',
  pglite: 'PGlite 0.5.14, pgvector HNSW',
}

/** Others use the machine as well: the best round is the one they disturbed least. */
const best = (times: readonly number[]): number => Math.min(...times)

const shown = (ms: number): string => (ms < 1 ? ms.toFixed(3) : ms.toFixed(2))

/** So many queries that a round takes some tens of milliseconds, and no more than there are. */
const countFor = async (one: Running): Promise<number> => {
  const ms = await one.ask(0, 3)
  return Math.max(3, Math.min(150, Math.round(40 / ms)))
}

const recall = (found: readonly (readonly number[])[], wanted: readonly (readonly number[])[]): number =>
  found.reduce((sum, numbers, i) => sum + numbers.filter((n) => wanted[i]?.includes(n)).length, 0) / wanted.flat().length

interface Row {
  readonly cells: readonly (string | number)[]
  readonly points: readonly Point[]
}

const beside = async (page: Page, vectors: number, ours: Running, wanted: number[][], name: Name): Promise<Row> => {
  const peer = await startContender(page, name)
  try {
    const fillMs = await peer.fill(vectors, DIMS)
    const [ownCount, count] = [await countFor(ours), await countFor(peer)]
    const [own, theirs]: [number[], number[]] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      own.push(await ours.ask(round, ownCount))
      theirs.push(await peer.ask(round, count))
    }
    const ms = best(theirs)
    const found = recall(await peer.nearest(QUERIES), wanted)
    return {
      cells: [
        vectors.toLocaleString('en'),
        TITLES[name],
        (fillMs / 1_000).toFixed(1),
        shown(ms),
        found.toFixed(3),
        `${(ms / best(own)).toFixed(1)} x ours (${shown(best(own))} ms beside it)`,
      ],
      points: [{ system: TITLES[name], vectors, ms }],
    }
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n')[0] : String(error)
    return { cells: [vectors.toLocaleString('en'), TITLES[name], '-', '-', '-', `could not be run: ${why}`], points: [] }
  } finally {
    await peer.stop()
  }
}

/** Ours and the probe in turn, as often as the others. */
const alone = async (ours: Running, vectors: number, dims: number) => {
  const count = await countFor(ours)
  const rounds: { own: number; exact: number; probe: number; facts: Readonly<Record<string, number>> }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const own = await ours.ask(round, count)
    const facts = await ours.facts()
    rounds.push({ own, exact: facts['exactMs'] ?? 0, probe: facts['probeMs'] ?? 0, facts })
  }
  const own = best(rounds.map((round) => round.own))
  const exact = best(rounds.map((round) => round.exact))
  const probe = best(rounds.map((round) => round.probe))
  const { recall10 = 0, recall50 = 0, megabytes = 0 } = rounds[0]?.facts ?? {}
  return {
    own,
    cells: [
      `${vectors.toLocaleString('en')} x ${dims}`,
      shown(own),
      shown(exact),
      shown(probe),
      `${(exact / probe).toFixed(2)} x`,
      `${recall10.toFixed(3)} / ${recall50.toFixed(3)}`,
      megabytes.toFixed(0),
    ],
    points:
      dims === DIMS
        ? [
            { system: 'palimpsest', vectors, ms: own },
            { system: 'probe', vectors, ms: probe },
          ]
        : [],
  }
}

test('search', async () => {
  const server = await startContenderServer()
  const browser = await launchBrowser()
  const page = await browser.context.newPage()
  page.setDefaultTimeout(0)
  await page.goto(`${server.origin}/pages/blank.html`)
  const scans: Row[] = []
  const peers: Row[] = []
  const say = (row: Row): Row => {
    process.stdout.write(`${row.cells.join(' | ')}\n`)
    return row
  }
  for (const vectors of SIZES) {
    const exact = await startContender(page, 'exact')
    await exact.fill(vectors, DIMS)
    const wanted = (await exact.nearest(QUERIES)).map((numbers) => [...numbers])
    await exact.stop()
    const ours = await startContender(page, 'ours')
    const fillMs = await ours.fill(vectors, DIMS)
    const scan = await alone(ours, vectors, DIMS)
    scans.push(say(scan))
    const found = recall(await ours.nearest(QUERIES), wanted).toFixed(3)
    peers.push(
      say({
        cells: [vectors.toLocaleString('en'), TITLES.ours, (fillMs / 1_000).toFixed(1), shown(scan.own), found, ''],
        points: [],
      }),
    )
    for (const name of CHOSEN) peers.push(say(await beside(page, vectors, ours, wanted, name)))
    await ours.stop()
  }
  for (const size of ALONE) {
    const [vectors = 0, dims = 0] = size.split('x').map(Number)
    const ours = await startContender(page, 'ours')
    await ours.fill(vectors, dims)
    scans.push(say(await alone(ours, vectors, dims)))
    await ours.stop()
  }
  await page.close()
  const whole = await measureEndToEnd(browser, server, MEMORIES)
  const version = browser.context.browser()?.version() ?? ''
  await browser.close()
  await server.close()

  const report = `# Search, measured

\`npm run bench:search\`, ${new Date().toISOString().slice(0, 10)}, headless Chromium ${version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}. Everything ran in
dedicated workers of one browser, in turns; times are the best of ${ROUNDS} rounds and belong to this machine, so that the ratios are what counts.

Vectors are those of the shipped table (${DIMS} dimensions) over real sentences: the examples and definitions of WordNet, 200 of the examples
kept back as questions. Beyond the 160,000 that there are, a text is an example with a definition after it. With more dimensions
than the table has, components of a second text follow.

## The scan, and a probe that reads as many bytes

"ms" is what a search pays for the nearest ten: exact up to 300,000 vectors, and beyond it by sketches of a bit per component, with the
likeliest 3,000 compared exactly. "exact" is the exact scan at any size, in short turns with the probe: the fastest turn of each, and
their ratio. A few thousand vectors lie in the processor's cache, where the probe reads faster than anything can multiply. Recall here is
against the exact scan, of the nearest 10 and 50.

${table(
  ['vectors', 'ms', 'exact ms', 'probe ms', 'exact to probe', 'recall@10 / @50', 'MB'],
  scans.map(({ cells }) => cells),
)}

## Beside others

Recall of ten for ${QUERIES} questions against float vectors, compared one by one; ours are kept as a byte per component. The last column
sets a system against ours, asked in turns with it. For PGlite the narrowest search of the index was taken that finds 99 of 100 of what
its own scan finds (\`hnsw.ef_search\` of 40, 100, 200 or 400). Orama and PGlite run as published; of sqlite-vec's module two
lines of the loader are changed, without which it does not start.

${table(
  ['vectors', 'system', 'filled in s', 'ms', 'recall@10', ''],
  peers.map(({ cells }) => cells),
)}

![Milliseconds per query by number of vectors](search.svg)

## The whole library

From the page, in the private file system: embedding, both legs, fusion, rows; 200 searches and 200 single writes at each size.

${table(
  ['memories', 'search p50 ms', 'search p95 ms', 'set per s', 'bulkSet rows per s'],
  whole.map(({ memories, p50, p95, setsPerSecond, bulkPerSecond }) => [
    memories.toLocaleString('en'),
    p50.toFixed(1),
    p95.toFixed(1),
    setsPerSecond.toFixed(0),
    bulkPerSecond.toFixed(0),
  ]),
)}
`
  process.stdout.write(`\n${report}`)
  mkdirSync('docs/bench', { recursive: true })
  writeFileSync('docs/bench/search.md', report)
  const points = [...scans, ...peers].flatMap((row) => row.points)
  if (points.length > 0) writeFileSync('docs/bench/search.svg', plot('Milliseconds per query by number of vectors', points))
})
