import type { Sqlite3Result, WasmPointer } from '@sqlite.org/sqlite-wasm'
import { noteFileError, type Sqlite3Static } from '../sqlite.js'
import type { Mirror } from './mirror.js'

/** SQLite's name for the file system whose files are mirrors in memory. */
export const MIRROR_VFS = 'palimpsest-mirror'

/** Files that can be opened, per SQLite instance. */
const served = new WeakMap<Sqlite3Static, Map<string, Mirror>>()

/**
 * Lets SQLite open a mirror under a path. The path stays until {@link withdrawMirror}. Only database files are served: with
 * the journal in memory SQLite asks for no other.
 */
export const serveMirror = (sqlite3: Sqlite3Static, path: string, mirror: Mirror): void => {
  const files = served.get(sqlite3) ?? install(sqlite3)
  files.set(path, mirror)
}

export const withdrawMirror = (sqlite3: Sqlite3Static, path: string): void => {
  served.get(sqlite3)?.delete(path)
}

const install = (sqlite3: Sqlite3Static): Map<string, Mirror> => {
  const { capi, wasm } = sqlite3
  const files = new Map<string, Mirror>()
  const open = new Map<WasmPointer, Mirror>()

  /** An exception must not unwind through SQLite's own frames. */
  const guarded = (code: Sqlite3Result, work: () => Sqlite3Result): Sqlite3Result => {
    try {
      return work()
    } catch (error) {
      if (error instanceof Error) noteFileError(error)
      return code
    }
  }
  const fileOf = (pointer: WasmPointer): Mirror => {
    const mirror = open.get(pointer)
    if (mirror === undefined) throw new Error('The file is not open.')
    return mirror
  }
  const heap = (pointer: WasmPointer, length: number): Uint8Array =>
    wasm.heap8u().subarray(Number(pointer), Number(pointer) + length)

  const io = new capi.sqlite3_io_methods()
  Object.assign(io, { $iVersion: 1 })
  // Offsets and sizes are 64 bits wide and arrive as bigint, whatever their published type says.
  sqlite3.vfs.installVfs({
    io: {
      struct: io,
      methods: {
        xClose: (file) => {
          open.delete(file)
          return capi.SQLITE_OK
        },
        xRead: (file, into, length, at) =>
          guarded(capi.SQLITE_IOERR_READ, () =>
            fileOf(file).read(heap(into, length), Number(at)) < length ? capi.SQLITE_IOERR_SHORT_READ : capi.SQLITE_OK,
          ),
        xWrite: (file, from, length, at) =>
          guarded(capi.SQLITE_IOERR_WRITE, () => {
            fileOf(file).write(heap(from, length), Number(at))
            return capi.SQLITE_OK
          }),
        xTruncate: (file, size) =>
          guarded(capi.SQLITE_IOERR_TRUNCATE, () => {
            fileOf(file).truncate(Number(size))
            return capi.SQLITE_OK
          }),
        xFileSize: (file, into) =>
          guarded(capi.SQLITE_IOERR_FSTAT, () => {
            wasm.poke64(into, BigInt(fileOf(file).size()))
            return capi.SQLITE_OK
          }),
        // Storing is asynchronous and happens between transactions.
        xSync: () => capi.SQLITE_OK,
        // One worker, one connection: nobody to keep out.
        xLock: () => capi.SQLITE_OK,
        xUnlock: () => capi.SQLITE_OK,
        xCheckReservedLock: (_file, into) => {
          wasm.poke32(into, 0)
          return capi.SQLITE_OK
        },
        xFileControl: () => capi.SQLITE_NOTFOUND,
        xSectorSize: () => 4096 as Sqlite3Result,
        xDeviceCharacteristics: () => capi.SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN as number as Sqlite3Result,
      },
    },
  })

  const vfs = new capi.sqlite3_vfs()
  const standard = new capi.sqlite3_vfs(capi.sqlite3_vfs_find(null))
  const { sizeof: fileSize } = Reflect.get(capi.sqlite3_file, 'structInfo') as { readonly sizeof: number }
  Object.assign(vfs, {
    $iVersion: 1,
    $szOsFile: fileSize,
    $mxPathname: 512,
    $zName: wasm.allocCString(MIRROR_VFS, false),
    $xRandomness: Reflect.get(standard, '$xRandomness'),
    $xSleep: Reflect.get(standard, '$xSleep'),
    $xCurrentTime: Reflect.get(standard, '$xCurrentTime'),
  })
  standard.dispose()
  sqlite3.vfs.installVfs({
    vfs: {
      struct: vfs,
      methods: {
        xOpen: (_vfs, name, file, flags, outFlags) =>
          guarded(capi.SQLITE_CANTOPEN, () => {
            const mirror = name ? files.get(wasm.cstrToJs(name) ?? '') : undefined
            if (mirror === undefined) return capi.SQLITE_CANTOPEN
            open.set(file, mirror)
            const struct = new capi.sqlite3_file(file)
            struct.$pMethods = io.pointer
            struct.dispose()
            wasm.poke32(outFlags, flags)
            return capi.SQLITE_OK
          }),
        xDelete: () => capi.SQLITE_OK,
        xAccess: (_vfs, name, _flags, into) => {
          wasm.poke32(into, files.has(wasm.cstrToJs(name) ?? '') ? 1 : 0)
          return capi.SQLITE_OK
        },
        xFullPathname: (_vfs, name, size, into) =>
          wasm.cstrncpy(into, name, size) < size ? capi.SQLITE_OK : capi.SQLITE_CANTOPEN,
        xGetLastError: () => undefined,
      },
      applyArgcCheck: true,
    },
  })
  served.set(sqlite3, files)
  return files
}
