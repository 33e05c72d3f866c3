/** A token table in memory: per vocabulary entry a row of int8 weights and the scale that turns them into numbers. */
export interface StaticTable {
  readonly dims: number
  readonly vocabulary: readonly string[]
  readonly scales: Float32Array
  /** Row after row, `dims` weights each. */
  readonly weights: Int8Array
}

/** Why bytes are not a usable table. */
export type TableProblem =
  | { readonly kind: 'not-a-table'; readonly startsWith: string }
  | { readonly kind: 'wrong-dims'; readonly expected: number; readonly found: number }
  | { readonly kind: 'wrong-size'; readonly expected: number; readonly found: number }
  | { readonly kind: 'bad-vocabulary'; readonly reason: string }
  | { readonly kind: 'bad-scales'; readonly row: number }

/** A value that was read, or why it could not be. */
export type TableResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: TableProblem }

/** What the first bytes announce. */
export interface TableHeader {
  readonly rows: number
  readonly dims: number
  readonly vocabularyBytes: number
  /** Exact size of the whole file. */
  readonly size: number
}

/** Bytes that have to be there before {@link readTableHeader} can tell anything. */
export const TABLE_HEADER_BYTES = 16

/** "SET1" in little-endian order. */
const MAGIC = 0x31544553

/** No table of ours comes near: refuse before so much memory is asked for. */
const MAX_TABLE_BYTES = 67_108_864

/** Reads magic, sizes and dims from the first {@link TABLE_HEADER_BYTES} of a file; more bytes do no harm. */
export const readTableHeader = (bytes: Uint8Array, dims: number): TableResult<TableHeader> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < TABLE_HEADER_BYTES || view.getUint32(0, true) !== MAGIC)
    return { ok: false, problem: { kind: 'not-a-table', startsWith: firstCharacters(bytes) } }
  const rows = view.getUint32(4, true)
  const found = view.getUint32(8, true)
  const vocabularyBytes = view.getUint32(12, true)
  if (found !== dims) return { ok: false, problem: { kind: 'wrong-dims', expected: dims, found } }
  const size = scalesOffset(vocabularyBytes) + rows * Float32Array.BYTES_PER_ELEMENT + rows * dims
  if (size > MAX_TABLE_BYTES) return { ok: false, problem: { kind: 'wrong-size', expected: MAX_TABLE_BYTES, found: size } }
  return { ok: true, value: { rows, dims, vocabularyBytes, size } }
}

/**
 * Reads a whole file: header, vocabulary (UTF-8 lines), padding to a multiple of four, scales (f32), weights (int8), all
 * little-endian. Scales and weights are views of `file`, not copies.
 */
export const parseStaticTable = (file: ArrayBuffer, dims: number): TableResult<StaticTable> => {
  const header = readTableHeader(new Uint8Array(file), dims)
  if (!header.ok) return header
  const { rows, vocabularyBytes, size } = header.value
  if (file.byteLength !== size) return { ok: false, problem: { kind: 'wrong-size', expected: size, found: file.byteLength } }

  const vocabulary = readVocabulary(new Uint8Array(file, TABLE_HEADER_BYTES, vocabularyBytes))
  if (vocabulary === null) return badVocabulary('it is not UTF-8')
  if (vocabulary.length !== rows) return badVocabulary(`it has ${vocabulary.length} entries for ${rows} rows`)
  if (!vocabulary.includes('[UNK]')) return badVocabulary('it has no [UNK]')

  const scales = new Float32Array(file, scalesOffset(vocabularyBytes), rows)
  const row = scales.findIndex((scale) => !Number.isFinite(scale))
  if (row !== -1) return { ok: false, problem: { kind: 'bad-scales', row } }

  const weights = new Int8Array(file, scales.byteOffset + scales.byteLength, rows * dims)
  return { ok: true, value: { dims, vocabulary, scales, weights } }
}

/** A problem in words, as the end of a sentence about the file. */
export const describeTableProblem = (problem: TableProblem): string => {
  switch (problem.kind) {
    case 'not-a-table':
      return `it is not a token table: it starts with ${JSON.stringify(problem.startsWith)}`
    case 'wrong-dims':
      return `it holds vectors of ${problem.found} numbers instead of ${problem.expected}`
    case 'wrong-size':
      return `it has ${problem.found} bytes instead of ${problem.expected}`
    case 'bad-vocabulary':
      return `its vocabulary is broken: ${problem.reason}`
    case 'bad-scales':
      return `the scale of row ${problem.row} is not a number`
  }
}

const scalesOffset = (vocabularyBytes: number): number => Math.ceil((TABLE_HEADER_BYTES + vocabularyBytes) / 4) * 4

const badVocabulary = (reason: string): TableResult<never> => ({ ok: false, problem: { kind: 'bad-vocabulary', reason } })

const readVocabulary = (bytes: Uint8Array): readonly string[] | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes).split('\n')
  } catch {
    return null
  }
}

/** Enough to recognise a web page by, with nothing unprintable in it. */
const firstCharacters = (bytes: Uint8Array): string =>
  String.fromCharCode(...bytes.subarray(0, TABLE_HEADER_BYTES)).replace(/[^ -~]/g, '.')
