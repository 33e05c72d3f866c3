const asked = new URLSearchParams(self.location.search)

const refused = () => new DOMException('refused by the test', 'SecurityError')

const opfs = {
  refused: () => {
    StorageManager.prototype.getDirectory = () => Promise.reject(refused())
  },
  missing: () => delete StorageManager.prototype.getDirectory,
  'without handles': () => delete FileSystemFileHandle.prototype.createSyncAccessHandle,
  'handles refused': () => {
    FileSystemFileHandle.prototype.createSyncAccessHandle = () => Promise.reject(refused())
  },
}

const idb = {
  refused: () => {
    IDBFactory.prototype.open = () => {
      throw refused()
    }
  },
  missing: () => Object.defineProperty(globalThis, 'indexedDB', { value: undefined }),
}

opfs[asked.get('opfs')]?.()
idb[asked.get('idb')]?.()
