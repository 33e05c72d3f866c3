import { readTime } from '../adapters/chrono-time.js'
import { createFinder } from '../operations/finding/find.js'

/** What the worker imports with the first search. */
export const { find } = createFinder(readTime)
