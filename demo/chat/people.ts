import type { Memory } from 'palimpsest'
import { valueText } from './exchange.js'

/** Somebody whose memories are kept apart from everybody else's. */
export interface Person {
  readonly id: string
  readonly name: string
}

/** Known before the store is open. */
export const FIRST_PEOPLE: readonly Person[] = [
  { id: 'alice', name: 'Alice' },
  { id: 'bob', name: 'Bob' },
]

/** Who uses this page: two to begin with, and whom they add. */
export interface People {
  readonly watch: (show: (people: readonly Person[]) => void) => () => void
  readonly add: (name: string) => Promise<Person>
}

/** Kept in a namespace of its own: names are the page's business, not what it remembers of anybody. */
export const createPeople = (root: Memory): People => {
  const memory = root.scope({ namespace: 'people' })
  return {
    watch: (show) =>
      memory.live({ keyPrefix: 'person/', type: 'profile', limit: 100 }, ({ rows, status }) => {
        if (status !== 'ready') return
        const added = rows.map(({ key, value }) => ({ id: key.slice('person/'.length), name: valueText(value) }))
        show([...FIRST_PEOPLE, ...added.reverse()])
      }).unsubscribe,
    add: async (name) => {
      const id = Math.random().toString(36).slice(2, 10)
      await memory.set({ key: `person/${id}`, value: name, type: 'profile' })
      return { id, name }
    },
  }
}
