import { memoryContract } from '../../contracts/memory.contract.js'

/** For the page's script: runs one case by its place in the list. */
Object.assign(globalThis, { memoryContract })
