// The built worker, whose writes to its files go wrong when it is told so: from the n-th write on, until it is told to heal.
const { write } = FileSystemSyncAccessHandle.prototype
let spoilt = null

const hear = new BroadcastChannel('test:spoil')
hear.onmessage = ({ data }) => {
  spoilt = data
  hear.postMessage('heard')
}

FileSystemSyncAccessHandle.prototype.write = function (bytes, options) {
  if (spoilt === null || spoilt.after-- > 0) return write.call(this, bytes, options)
  if (spoilt.kind === 'quota') throw new DOMException('No space available for this operation', 'QuotaExceededError')
  const written = write.call(this, bytes.subarray(0, bytes.length >> 1), options)
  return spoilt.kind === 'short' ? written : 4294967288
}

import '/dist/worker.js'
