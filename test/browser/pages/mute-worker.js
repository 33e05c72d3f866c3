// The built worker, which serves calls of other tabs but never answers their writes: as if it died between commit and answer.
for (const { prototype } of [MessagePort, BroadcastChannel]) {
  const { postMessage } = prototype
  prototype.postMessage = function (message, ...more) {
    const isAnswer = message?.type === 'answer' && message.outcome?.value?.verdict !== undefined
    if (isAnswer) return postMessage.call(new BroadcastChannel('test:muted'), message.outcome.value.key)
    return postMessage.call(this, message, ...more)
  }
}

import '/dist/worker.js'
