import type { Sql } from '../../ports.js'
import { memoriesAbout, mentionsAmong, namedBeside } from '../../store/finding.js'
import type { Store } from '../../store/store.js'
import type { Asked } from './names.js'

/** Names beside those of the query that are followed. */
const MOST_LINKS = 200

/** Names that a second step may come to: a hub would lead everywhere. */
const MOST_REACHED = 24

/** What can be reached from whom a query names, in two steps. */
export interface Graph {
  /** Memories about what is reached, newest first, of those that a condition on `heads h` lets through. */
  readonly memories: (condition: Sql, limit: number) => readonly number[]
  /** How some memories stand to whom the query names. */
  readonly standings: (memories: readonly number[]) => (memory: number) => Standing
}

export interface Standing {
  /** 1: about whom the query names; -1: about somebody else; 0: neither. */
  readonly about: number
  /** Names from the query's to what the memory is about; null where it is reached by none. */
  readonly path: readonly string[] | null
}

const NOWHERE: Standing = { about: 0, path: null }

/**
 * Follows memories about whom the query names to whom and what they name. "Where does Anna's manager live?" names Anna; that she reports to Bo leads
 * to where Bo lives. The object of a relation is always followed, another name in the text only where a word of the query stands beside it. Roles count: who is an
 * object only is not asked for what was said of the subject.
 */
export const graphOf = (
  { db }: Store,
  { names, namesakes }: Asked,
  scope: Sql,
  hasWords: (memory: number) => boolean,
): Graph => {
  const reached = new Map<string, string>()
  for (const { from, to, role, memory } of namedBeside(db, [...names], scope, MOST_LINKS))
    if (reached.size < MOST_REACHED && !namesakes.has(to) && !reached.has(to) && (role === 2 || hasWords(memory)))
      reached.set(to, from)
  return {
    memories: (condition, limit) => memoriesAbout(db, [...reached.keys()], condition, limit),
    standings: (memories) => {
      if (names.size === 0) return () => NOWHERE
      const standings = new Map<number, Standing>()
      for (const { memory, name, role } of mentionsAmong(db, memories)) {
        const before = standings.get(memory)
        if (before?.about === 1) continue
        const from = role === 0 ? reached.get(name) : undefined
        if (names.has(name)) standings.set(memory, { about: 1, path: [name] })
        else if (from !== undefined) standings.set(memory, { about: 0, path: [from, name] })
        else if (before?.path == null && (role === 0 || namesakes.has(name)))
          standings.set(memory, { about: -1, path: null })
      }
      return (memory) => standings.get(memory) ?? NOWHERE
    },
  }
}
