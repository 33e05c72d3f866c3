import type { Memory } from '../protocol/api.js'
import { invalidArgument } from '../protocol/errors.js'

/** What names of scratch data begin with among the working values of a user. */
export const SCRATCH = 'block:'

const LONGEST_TEXT = 4_000
const LONGEST_NAME = 150

/** Whose it is; left out, the user of the current run. */
export interface ForUser {
  readonly user?: string
}

/** Small texts of one user that go into every prompt. */
export interface ScratchBlocks {
  /** Puts a text of up to 4,000 characters under a name. */
  readonly set: (name: string, text: string, options?: ForUser) => Promise<void>
  readonly get: (name: string, options?: ForUser) => Promise<string | null>
  /** True when there was one. */
  readonly delete: (name: string, options?: ForUser) => Promise<boolean>
}

export const createScratch = (person: (given: ForUser | undefined) => Memory): ScratchBlocks => ({
  set: async (name, text, options) => {
    const memory = person(options)
    if (typeof text !== 'string' || text.trim() === '' || text.length > LONGEST_TEXT)
      throw invalidArgument('text', `must be a text of at most ${LONGEST_TEXT} characters: it goes into every prompt`)
    await memory.working.set(nameOf(name), text)
  },
  get: async (name, options) => {
    const row = await person(options).working.get(nameOf(name))
    return typeof row?.value === 'string' && row.scope.user !== undefined ? row.value : null
  },
  delete: async (name, options) => (await person(options).working.delete(nameOf(name))).found,
})

const nameOf = (name: string): string => {
  if (typeof name !== 'string' || name.trim() === '' || name.length > LONGEST_NAME)
    throw invalidArgument('name', `must be a text of at most ${LONGEST_NAME} characters`)
  return SCRATCH + name
}
