import { bodyProblem, rowProblem } from '../../../src/domain/row.js'
import { runningSha256 } from '../../../src/domain/sha256.js'
import {
  ARCHIVE_VERSION,
  type ArchiveCounts,
  ArchivedNamespace,
  ArchivedRule,
  ArchivedUsage,
  ArchiveHeader,
  ArchiveTrailer,
} from '../../../src/schema/archive.js'
import { ArchivedErasure } from '../../../src/schema/erasing.js'
import { Row, RowBody } from '../../../src/schema/row.js'
import { parse } from '../../parse.js'
import { damaged, requireVersion } from './damaged.js'
import { type Line, linesOf } from './lines.js'

/** What an archive begins with. */
export const ARCHIVE_START = '{"type":"palimpsest-archive"'
const TRAILER_START = '{"type":"end"'

/** A memory of an archive: its versions, oldest first, each proved by its hashes. */
export interface ArchivedMemory {
  /** Its place among the memories, from 1. */
  readonly at: number
  readonly rows: readonly Row[]
}

/** What an archive holds beside memories, once all of it was read. */
export interface ArchiveEnd {
  readonly header: ArchiveHeader
  readonly rules: readonly ArchivedRule[]
  readonly namespaces: readonly ArchivedNamespace[]
  readonly usage: readonly ArchivedUsage[]
  readonly erasures: readonly ArchivedErasure[]
  readonly counts: ArchiveCounts
  /** Names the archive: no other has this hash. */
  readonly sha256: string
}

/**
 * Reads an archive and checks everything: form, hashes, chains, counts. Gives memories as they are complete, and throws at the first thing
 * that is not as it was written; only who has come to the end knows that all of it was good.
 */
export async function* readArchive(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<readonly ArchivedMemory[], ArchiveEnd> {
  const reader = createReader()
  for await (const lines of linesOf(stream)) {
    const memories = lines.flatMap((line) => reader.take(line))
    if (memories.length > 0) yield memories
  }
  const { last, end } = reader.end()
  if (last.length > 0) yield last
  return end
}

const createReader = () => {
  const hash = runningSha256()
  const seenMemories = new Set<string>()
  const seenRows = new Set<string>()
  const rules: ArchivedRule[] = []
  const namespaces: ArchivedNamespace[] = []
  const usage: ArchivedUsage[] = []
  const erasures: ArchivedErasure[] = []
  let header: ArchiveHeader | null = null
  let trailer: ArchiveTrailer | null = null
  /** The memory whose versions are being read. */
  let current = new Map<string, Row>()
  let newest = 0n

  const finishMemory = (): readonly ArchivedMemory[] => {
    if (current.size === 0) return []
    const memory = { at: seenMemories.size, rows: [...current.values()] }
    current = new Map()
    newest = 0n
    return [memory]
  }

  const takeRow = (given: unknown, number: number): readonly ArchivedMemory[] => {
    const row = parse(Row, given, `archive.lines.${number}`)
    const [first] = current.values()
    const done = first !== undefined && first.memory !== row.memory ? finishMemory() : []
    if (current.size === 0 && seenMemories.has(row.memory)) throw damaged('belongs to a memory that was complete', number)
    const problem = seenRows.has(row.id) ? 'is there twice' : rowProblem(row, current)
    if (problem !== null) throw damaged(problem, number)
    if (BigInt(row.ver) < newest) throw damaged('is older than the version before it', number)
    if (row.body !== null) {
      const body = parse(RowBody, jsonOf(row.body, number), `archive.lines.${number}.body`)
      const wrong = bodyProblem(row.body, body)
      if (wrong !== null) throw damaged(`has a body that ${wrong}`, number)
    }
    seenMemories.add(row.memory)
    seenRows.add(row.id)
    current.set(row.id, row)
    newest = BigInt(row.ver)
    return done
  }

  const takeHeader = (given: unknown): void => {
    requireVersion(given, ARCHIVE_VERSION)
    header = parse(ArchiveHeader, given, 'archive.lines.1')
  }

  const take = ({ text, bytes, number }: Line): readonly ArchivedMemory[] => {
    if (trailer !== null) throw damaged('comes after the last one', number)
    if (text.startsWith(TRAILER_START)) {
      trailer = parse(ArchiveTrailer, jsonOf(text, number), `archive.lines.${number}`)
      return []
    }
    hash.update(bytes)
    const given = jsonOf(text, number)
    if (header === null) {
      takeHeader(given)
      return []
    }
    const { type, ...rest } = (typeof given === 'object' && given !== null ? given : {}) as Readonly<Record<string, unknown>>
    const at = `archive.lines.${number}`
    if (type === 'version') return takeRow(rest, number)
    if (type === 'rule') rules.push(parse(ArchivedRule, rest, at))
    else if (type === 'erasure') erasures.push(parse(ArchivedErasure, rest, at))
    else if (type === 'usage') usage.push(parse(ArchivedUsage, rest, at))
    else if (type === 'namespace') namespaces.push(parse(ArchivedNamespace, rest, at))
    else throw damaged('is of no kind that an archive has', number)
    return []
  }

  const end = (): { readonly last: readonly ArchivedMemory[]; readonly end: ArchiveEnd } => {
    const last = finishMemory()
    if (header === null || trailer === null) throw damaged('was cut short: its last line is missing')
    if (trailer.sha256 !== hash.hex()) throw damaged('was altered: it does not have the hash it gives')
    const counts: ArchiveCounts = {
      versions: seenRows.size,
      memories: seenMemories.size,
      rules: rules.length,
      namespaces: namespaces.length,
      usage: usage.length,
      erasures: erasures.length,
    }
    for (const [name, count] of Object.entries(counts))
      if (trailer.counts[name as keyof ArchiveCounts] !== count) throw damaged(`does not have the ${name} it counts`)
    return { last, end: { header, rules, namespaces, usage, erasures, counts, sha256: trailer.sha256 } }
  }

  return { take, end }
}

const jsonOf = (text: string, number: number): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw damaged('is not JSON', number)
  }
}
