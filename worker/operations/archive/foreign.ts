import { sha256Hex } from '../../../src/domain/sha256.js'
import { invalidArgument } from '../../../src/protocol/errors.js'
import type { ImportReport } from '../../../src/schema/archive.js'
import type { CallContext } from '../context.js'
import type { Arrival } from './arrival.js'
import { damaged } from './damaged.js'
import { piecesOf } from './lines.js'
import { mcpArrivals, mcpElements } from './mcp-memory.js'
import { mem0Arrival, mem0Memories } from './mem0.js'

/** Bytes of another system's export: it is read as a whole. */
const LARGEST = 64 * 1024 * 1024

/** What another system has exported, as statements. */
export interface Foreign {
  readonly format: ImportReport['format']
  readonly arrivals: readonly Arrival[]
  readonly sha256: string
}

/** Reads what is no archive of ours: an export of mem0, or what the MCP reference memory server keeps. */
export const readForeign = async (context: CallContext, stream: ReadableStream<Uint8Array>): Promise<Foreign> => {
  const text = await textOf(stream)
  const whole = jsonOf(text)
  const sha256 = sha256Hex(text)
  const memories = mem0Memories(whole)
  if (memories !== null)
    return { format: 'mem0', sha256, arrivals: memories.map((memory, i) => mem0Arrival(context, memory, i + 1)) }
  const elements = mcpElements(text, whole)
  if (elements !== null) return { format: 'mcp-memory', sha256, arrivals: mcpArrivals(context, elements) }
  throw damaged('is no archive of this library, no export of mem0, and no file of the MCP memory server')
}

const textOf = async (stream: ReadableStream<Uint8Array>): Promise<string> => {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let size = 0
  const decode = (bytes?: Uint8Array): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })
    } catch {
      throw damaged('is not UTF-8')
    }
  }
  for await (const piece of piecesOf(stream)) {
    size += piece.length
    if (size > LARGEST) throw invalidArgument('archive', `is larger than ${LARGEST} bytes, and no archive of this library`)
    text += decode(piece)
  }
  return text + decode()
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
