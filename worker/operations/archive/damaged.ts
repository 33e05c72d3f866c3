import { invalidArgument, MemoryError } from '../../../src/protocol/errors.js'

/** What refuses an archive that is not as it was written, naming the line where there is one. */
export const damaged = (how: string, line?: number): MemoryError =>
  invalidArgument(line === undefined ? 'archive' : `archive.lines.${line}`, how)

/** Refuses what a newer build has written. Says nothing of what is no version at all. */
export const requireVersion = (header: unknown, supported: number): void => {
  const found = (header as { readonly version?: unknown } | null)?.version
  if (typeof found === 'number' && Number.isInteger(found) && found > supported)
    throw new MemoryError('SCHEMA_TOO_NEW', 'This archive was written by a newer version of the library.', {
      supported,
      found,
    })
}
