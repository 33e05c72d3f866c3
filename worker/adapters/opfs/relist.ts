import { DATABASE_PATH, LOG_PATH, poolNames } from './names.js'
import { patiently } from './patience.js'
import { writeQuarantine } from './quarantine-file.js'

/*
 * Every file of the pool starts with a sector of the pool's own: 512 bytes of path, four of flags, eight of digest. A file
 * whose sector does not add up is emptied by the pool when it is installed, whatever it holds (read in its source: "Disassociating
 * file with bad digest"). So one damaged sector, or a crash in the middle of writing it, would cost the database. This
 * looks at the sectors first, and lists such files again.
 */

const SECTOR = 4096
const PATH_SIZE = 512
const CORPUS_SIZE = 516

// SQLite's open flags, as the pool stores them.
const MAIN_DB = 0x100
const WAL = 0x80000
const PERSISTENT = MAIN_DB | WAL | 0x800 | 0x4000
const DELETE_ON_CLOSE = 0x8
const HAS_DIGEST = 0x80

interface Sector {
  readonly listed: boolean
  readonly path: string
  /** What the bytes after the sector say about themselves. */
  readonly holds: 'database' | 'log' | 'unknown' | 'nothing'
}

/** Puts files with a damaged sector back on the pool's list, or copies them to quarantine when they cannot be told. */
export const relist = async (name: string): Promise<void> => {
  const directory = await poolDirectory(name)
  if (directory === null) return
  const files: { readonly handle: FileSystemFileHandle; readonly sector: Sector }[] = []
  for await (const handle of directory.values())
    if (handle.kind === 'file') files.push({ handle, sector: await readSector(handle) })
  const listed = new Set(files.filter(({ sector }) => sector.listed).map(({ sector }) => sector.path))
  for (const { handle, sector } of files) {
    if (sector.listed || sector.holds === 'nothing') continue
    const path = sector.holds === 'database' ? DATABASE_PATH : sector.holds === 'log' ? LOG_PATH : null
    if (path === null || listed.has(path)) await copyOut(name, handle)
    else {
      await writeSector(handle, path, sector.holds === 'log' ? WAL : MAIN_DB)
      listed.add(path)
    }
  }
}

/** Whether a pool holds a database, without taking it. */
export const opfsHolds = async (name: string): Promise<boolean> => {
  const directory = await poolDirectory(name)
  if (directory === null) return false
  for await (const handle of directory.values())
    if (handle.kind === 'file' && (await readSector(handle)).holds !== 'nothing') return true
  return false
}

const poolDirectory = async (name: string): Promise<FileSystemDirectoryHandle | null> => {
  try {
    let directory = await navigator.storage.getDirectory()
    for (const part of [...poolNames(name).directory.split('/'), '.opaque'])
      directory = await directory.getDirectoryHandle(part)
    return directory
  } catch (error) {
    if (error instanceof Error && error.name === 'NotFoundError') return null
    throw error
  }
}

const readSector = async (handle: FileSystemFileHandle): Promise<Sector> => {
  const file = await handle.getFile()
  const bytes = new Uint8Array(await file.slice(0, SECTOR + 16).arrayBuffer())
  if (bytes.length < SECTOR + 16) return { listed: true, path: '', holds: 'nothing' }
  const view = new DataView(bytes.buffer)
  const flags = view.getUint32(PATH_SIZE)
  const stored = [view.getUint32(CORPUS_SIZE, true), view.getUint32(CORPUS_SIZE + 4, true)]
  const computed = (flags & HAS_DIGEST) !== 0 ? digest(bytes.subarray(0, CORPUS_SIZE)) : [0, 0]
  const kept = bytes[0] === 0 || ((flags & PERSISTENT) !== 0 && (flags & DELETE_ON_CLOSE) === 0)
  return {
    listed: kept && stored[0] === computed[0] && stored[1] === computed[1],
    path: new TextDecoder().decode(bytes.subarray(0, Math.max(0, bytes.indexOf(0)))),
    holds: heldBy(bytes.subarray(SECTOR)),
  }
}

const heldBy = (start: Uint8Array): Sector['holds'] => {
  if (new TextDecoder('latin1').decode(start.subarray(0, 15)) === 'SQLite format 3') return 'database'
  const magic = new DataView(start.buffer, start.byteOffset).getUint32(0)
  return magic === 0x377f0682 || magic === 0x377f0683 ? 'log' : 'unknown'
}

/** The pool's digest, the same arithmetic: two 32-bit multiplicative hashes. */
const digest = (corpus: Uint8Array): readonly [number, number] => {
  let first = 0xdeadbeef
  let second = 0x41c6ce57
  for (const byte of corpus) {
    first = Math.imul(first ^ byte, 2654435761)
    second = Math.imul(second ^ byte, 104729)
  }
  return [first >>> 0, second >>> 0]
}

const writeSector = async (handle: FileSystemFileHandle, path: string, kind: number): Promise<void> => {
  const bytes = new Uint8Array(CORPUS_SIZE + 8)
  new TextEncoder().encodeInto(path, bytes)
  const view = new DataView(bytes.buffer)
  view.setUint32(PATH_SIZE, kind | HAS_DIGEST)
  const [first, second] = digest(bytes.subarray(0, CORPUS_SIZE))
  view.setUint32(CORPUS_SIZE, first, true)
  view.setUint32(CORPUS_SIZE + 4, second, true)
  const access = await patiently(() => handle.createSyncAccessHandle())
  access.write(bytes, { at: 0 })
  access.flush()
  access.close()
}

const copyOut = async (name: string, handle: FileSystemFileHandle): Promise<void> => {
  const file = await handle.getFile()
  const bytes = new Uint8Array(await file.slice(SECTOR).arrayBuffer())
  await writeQuarantine(`${name}-${handle.name}`, bytes, null)
}
