// The built worker, which throws when it is told to, outside of any call.
addEventListener('message', ({ data }) => {
  if (data === 'throw')
    setTimeout(() => {
      throw new Error('thrown by the test')
    })
})

import '/dist/worker.js'
