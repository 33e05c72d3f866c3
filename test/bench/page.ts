import { sentence } from './corpus.js'

/** For the measured page: what it writes is made there, so that nothing but the library is timed. */
Object.assign(globalThis, { sentence })
