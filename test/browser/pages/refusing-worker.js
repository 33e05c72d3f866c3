// The built worker in a window that refuses storage, as its address says.
import '/pages/refuse.js'
import '/dist/worker.js'
