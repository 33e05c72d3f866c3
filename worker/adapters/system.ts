import type { System } from '../ports.js'

/** The real clock and the browser's own source of chance. */
export const system: System = {
  now: () => Date.now(),
  randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
}
