import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createWordPiece } from '../src/domain/wordpiece.js'
import { type Basis, principalBasis, project } from './basis.js'
import { buildCorpus, type Part } from './corpus.js'
import { prepareMiniLm } from './minilm.js'
import { packTable, quantise, usedRows } from './pack.js'
import { startTable } from './start.js'
import { createTeacher, TEACHER_DIMS, type Teacher } from './teacher.js'
import { sentencesOf, train } from './train.js'
import { type Cache, hashOf, type OnShard, pieceVectors, textVectors } from './vectors.js'
import { readWordNet } from './wordnet.js'

const DIMS = 256
const EPOCHS = 8
const RATE = 0.003
/** How far the narrow directions of the teacher's space are widened: 0 keeps their shares of the variance, 1 makes all equal. */
const WIDENING = 0.2
/** Every so many vectors say where the principal directions lie. */
const SAMPLED = 7

const CACHE_FOLDER = fileURLToPath(new URL('../.cache/model/vectors', import.meta.url))
const TABLE_FILE = fileURLToPath(new URL('static-256.bin', import.meta.url))

const main = async (out: string): Promise<void> => {
  const { folder } = await prepareMiniLm()
  const model = new Uint8Array(readFileSync(join(folder, 'onnx/model_quantized.onnx')))
  const teacher = await createTeacher(model, readVocabulary(join(folder, 'tokenizer.json')))
  const cache = { folder: CACHE_FOLDER, teacherHash: hashOf(model) }
  const pieces = await pieceVectors(teacher, cache, createProgress('pieces', teacher.vocabulary.length))

  const { ids, unknownId } = createWordPiece(teacher.vocabulary)
  const knownIds = (text: string): number[] => ids(text).filter((id) => id !== unknownId)
  const parts = buildCorpus(readWordNet(), (text) => knownIds(text).length)
  const vectors = await partVectors(teacher, cache, parts)
  const basis = principalBasis(everyNth(vectors, SAMPLED), TEACHER_DIMS)

  const table = startTable(unitRows(pieces, TEACHER_DIMS), teacher.vocabulary, basis, DIMS)
  train(table, {
    dims: DIMS,
    sentences: sentencesOf(parts.flatMap(({ texts }) => texts.map(knownIds))),
    targets: unitRows(project(vectors, basis, DIMS), DIMS),
    epochs: EPOCHS,
    rate: RATE,
    onEpoch: (epoch, loss) => say(`epoch ${epoch} of ${EPOCHS}: one minus cosine ${loss.toFixed(5)}`),
  })
  const file = tableFile(widened(table, basis), teacher.vocabulary)
  writeFileSync(out, file)
  say(`${out}: ${file.length} bytes, sha256 ${createHash('sha256').update(file).digest('hex')}`)
}

/** The vocabulary of a tokenizer.json, in the order of its ids. */
const readVocabulary = (file: string): string[] => {
  const { model } = JSON.parse(readFileSync(file, 'utf8')) as { model: { vocab: Readonly<Record<string, number>> } }
  return Object.entries(model.vocab)
    .sort(([, a], [, b]) => a - b)
    .map(([piece]) => piece)
}

/** One part after the other. */
const partVectors = async (teacher: Teacher, cache: Cache, parts: readonly Part[]): Promise<Int16Array> => {
  const total = parts.reduce((sum, { texts }) => sum + texts.length, 0)
  const all = new Int16Array(total * TEACHER_DIMS)
  let at = 0
  for (const { name, texts } of parts) {
    all.set(await textVectors(teacher, cache, texts, createProgress(name, texts.length)), at * TEACHER_DIMS)
    at += texts.length
  }
  return all
}

/** Says how far it is, and when it will be done if the rest takes as long as what was computed so far. */
const createProgress = (name: string, total: number): OnShard => {
  const started = performance.now()
  let computed = 0
  let last = 0
  return (done, fresh) => {
    if (fresh) computed += done - last
    last = done
    const seconds = computed === 0 ? 0 : ((performance.now() - started) / 1000 / computed) * (total - done)
    say(`${name}: ${done} of ${total}${fresh ? `, ${Math.ceil(seconds / 60)} min left` : ' (from the cache)'}`)
  }
}

const everyNth = (vectors: Int16Array, nth: number): Float32Array => {
  const count = Math.ceil(vectors.length / TEACHER_DIMS / nth)
  const sample = new Float32Array(count * TEACHER_DIMS)
  for (let at = 0; at < count; at++) {
    const from = at * nth * TEACHER_DIMS
    sample.set(vectors.subarray(from, from + TEACHER_DIMS), at * TEACHER_DIMS)
  }
  return sample
}

/** The rows at unit length. */
const unitRows = (rows: ArrayLike<number>, dims: number): Float32Array => {
  const units = new Float32Array(rows.length)
  for (let from = 0; from < rows.length; from += dims) {
    let square = 0
    for (let d = 0; d < dims; d++) square += (rows[from + d] as number) ** 2
    const factor = square === 0 ? 0 : 1 / Math.sqrt(square)
    for (let d = 0; d < dims; d++) units[from + d] = (rows[from + d] as number) * factor
  }
  return units
}

/** The narrow directions count a little more than the teacher lets them: fine differences show. */
const widened = (table: Float32Array, { shares }: Basis): Float32Array => {
  const factors = Float64Array.from({ length: DIMS }, (_, d) => ((shares[d] as number) * DIMS) ** (-WIDENING / 2))
  return table.map((value, at) => value * (factors[at % DIMS] as number))
}

const tableFile = (table: Float32Array, vocabulary: readonly string[]): Uint8Array => {
  const rows = usedRows(vocabulary)
  const kept = new Float32Array(rows.length * DIMS)
  for (const [at, row] of rows.entries()) kept.set(table.subarray(row * DIMS, (row + 1) * DIMS), at * DIMS)
  return packTable(
    rows.map((row) => vocabulary[row] as string),
    DIMS,
    quantise(kept, DIMS),
  )
}

const say = (line: string): void => console.log(`${Math.round(performance.now() / 1000)} s  ${line}`)

await main(process.argv[2] ?? TABLE_FILE)
