import type { WasmPointer } from '@sqlite.org/sqlite-wasm'
import type { Database, Sqlite3Static } from '../sqlite.js'
import type { Room } from '../sqlite-db.js'
import { forgetFileError } from '../sqlite-errors.js'

/** Pages kept ready ahead of the data: 2 MB. */
const LEAST_MARGIN = 256
/** The most a transaction can grow the file by: 1 GB. */
const MOST_MARGIN = 131_072

/**
 * Committed pages are in the log first, and reach the file later. If the file cannot grow then, the log can never be
 * emptied, every write appends to it, and soon nothing can be deleted any more (seen in Chromium, which moreover grants room
 * in powers of two: a file of 8 MB needs 8 MB more to grow by a page). So the file grows first, and a transaction that needs
 * more pages than it has fails before it is committed.
 */
export const createRoom = (sqlite3: Sqlite3Static, database: Database): Room => {
  const file = fileOf(sqlite3, database)
  const pageSize = Number(database.selectValue('pragma page_size'))
  const pageCount = database.prepare('pragma page_count')
  let margin = LEAST_MARGIN
  let limit = 0
  let before = 0

  const pages = (): number => {
    try {
      pageCount.step()
      return Number(pageCount.get(0))
    } finally {
      pageCount.reset()
    }
  }

  /** Pages the file has room for, after trying to make it large enough. A try that fails asks for less, then gives up. */
  const grown = (used: number): number => {
    for (let wanted = margin; wanted >= 16; wanted = Math.floor(wanted / 4)) {
      const has = Math.floor(file.size() / pageSize)
      if (has >= used + wanted / 2) return has
      if (file.resize((used + wanted) * pageSize)) return used + wanted
    }
    return Math.max(used, Math.floor(file.size() / pageSize))
  }

  const prepare = (): void => {
    const used = pages()
    // As much again as the last transaction took, so that a bulk import does not run everything twice.
    margin = Math.min(MOST_MARGIN, Math.max(LEAST_MARGIN, 2 * (used - before)))
    before = used
    set(grown(used))
  }

  const set = (wanted: number): void => {
    forgetFileError()
    if (wanted === limit) return
    limit = wanted
    database.exec(`pragma max_page_count = ${wanted}`)
  }

  return {
    prepare: () => {
      if (before === 0) before = pages()
      prepare()
    },
    relieve: (error, attempt) => {
      if (error === 'no page left') {
        const had = limit
        margin = Math.min(MOST_MARGIN, margin * 4)
        set(grown(pages()))
        return limit > had
      }
      if (attempt > 0) return false
      try {
        database.exec('pragma wal_checkpoint(truncate)')
        return true
      } catch {
        // Then the first error stands.
        return false
      }
    },
    dispose: () => {
      pageCount.finalize()
      file.dispose()
    },
  }
}

/** The file under a database, through SQLite's own table of its methods. */
const fileOf = (sqlite3: Sqlite3Static, database: Database) => {
  const { capi, wasm } = sqlite3
  const pointer = readPointer(sqlite3, (slot) =>
    capi.sqlite3_file_control(database, 'main', capi.SQLITE_FCNTL_FILE_POINTER, slot),
  )
  const file = new capi.sqlite3_file(pointer)
  const methods = new capi.sqlite3_io_methods(file.$pMethods)
  const method = (name: string): ((file: WasmPointer, value: bigint | WasmPointer) => number) =>
    wasm.functionEntry(Reflect.get(methods, name) as WasmPointer) as never
  const truncate = method('$xTruncate')
  const fileSize = method('$xFileSize')
  methods.dispose()
  file.dispose()
  const slot = wasm.alloc(8)
  return {
    size: (): number => (fileSize(pointer, slot) === 0 ? Number(wasm.peek64(slot)) : 0),
    resize: (bytes: number): boolean => truncate(pointer, BigInt(bytes)) === 0,
    dispose: () => wasm.dealloc(slot),
  }
}

const readPointer = ({ wasm }: Sqlite3Static, ask: (slot: WasmPointer) => number): WasmPointer => {
  const slot = wasm.alloc(8)
  try {
    if (ask(slot) !== 0) throw new Error('The file of the database is not known.')
    return Number(wasm.peekPtr(slot))
  } finally {
    wasm.dealloc(slot)
  }
}
