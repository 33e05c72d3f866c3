import { type Bytes, concat } from './bytes.js'

/** The text compressed, or null in a browser that cannot: the server takes both. */
export const gzipped = async (text: string): Promise<Bytes | null> => {
  if (typeof CompressionStream === 'undefined') return null
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
  const parts: Uint8Array[] = []
  const reader = stream.getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) parts.push(part.value)
  return concat(...parts)
}
