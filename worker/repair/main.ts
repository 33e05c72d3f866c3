/** What looks a database over and reads a damaged one: a module of its own, imported after the opening or when there is damage. */
export { inspect, inspectFully } from '../adapters/check/inspect.js'
export { salvage } from '../adapters/salvage/salvage.js'
