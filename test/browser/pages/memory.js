import * as palimpsest from '/dist/index.js'

Object.assign(globalThis, palimpsest)
globalThis.loaded = true
