import { readFileSync } from 'node:fs'
import { createEncode } from '../worker/adapters/static-encode.js'
import { parseStaticTable, type StaticTable } from '../worker/adapters/static-table.js'
import { readDatasets } from './datasets.js'
import { type Encode, pairCorrelation, turnRecall } from './measures.js'

const DIMS = 256
const USAGE = 'usage: tsx model/evaluate.ts [--data <folder>] <table> ...   (or PALIMPSEST_DATA=<folder>)'

const main = (args: readonly string[]): void => {
  const named = args.indexOf('--data')
  const folder = named === -1 ? process.env['PALIMPSEST_DATA'] : args[named + 1]
  const tables = args.filter((_, at) => named === -1 || (at !== named && at !== named + 1))
  if (folder === undefined || tables.length === 0) throw new Error(USAGE)

  const { stsb, sick, locomo } = readDatasets(folder)
  for (const file of tables) {
    const bytes = readFileSync(file)
    const encode = createEncode(tableOf(bytes))
    const figures = {
      'STS-B dev': pairCorrelation(stsb, encode),
      'SICK tune': pairCorrelation(sick, encode),
      'LoCoMo R@5': turnRecall(locomo, 5, encode),
      'LoCoMo R@10': turnRecall(locomo, 10, encode),
      'us/sentence': microseconds(
        encode,
        stsb.flatMap(({ a, b }) => [a, b]),
      ),
    }
    const cells = Object.entries(figures).map(([name, value]) => `${name} ${value.toFixed(2)}`)
    console.log(`${file}: ${bytes.length} bytes, ${cells.join(', ')}`)
  }
}

const tableOf = (bytes: Buffer): StaticTable => {
  const copy = new Uint8Array(bytes)
  const parsed = parseStaticTable(copy.buffer, DIMS)
  if (!parsed.ok) throw new Error(`This is not a table of ${DIMS} dims: ${JSON.stringify(parsed.problem)}`)
  return parsed.value
}

/** The time of a sentence once everything is warm. */
const microseconds = (encode: Encode, texts: readonly string[]): number => {
  const round = (): number => {
    const started = performance.now()
    for (const text of texts) encode(text)
    return ((performance.now() - started) * 1000) / texts.length
  }
  return Math.min(...Array.from({ length: 10 }, round))
}

main(process.argv.slice(2))
