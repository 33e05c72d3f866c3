import type { BrowserContext, Page } from 'playwright-core'

/** Keys with what they hold after a write; null stands for a deleted memory. */
type Changes = readonly (readonly [key: string, value: string | null])[]

/** Before each write a writer says what it will do, and that the one before was acknowledged, and waits until that is noted. */
interface Note {
  readonly lane: number
  readonly did: boolean
  readonly intends: Changes
  /** The writer ends with this error. */
  readonly failed?: string
}

declare global {
  var note: (entry: Note) => Promise<void>
}

interface Held {
  readonly value: string | null
  readonly versions: number
}

/** What a store must hold, by what its writers were told. It lives in Node, so nothing that happens to the browser touches it. */
export interface WriteJournal {
  readonly listen: (context: BrowserContext) => Promise<void>
  readonly acknowledged: () => number
  /** Errors that reached a writer. */
  readonly failures: string[]
  /** Resolves at the next acknowledgement. */
  readonly next: () => Promise<void>
  /**
   * Everything that is wrong with the store open in the page as `memory`: what was acknowledged and is not there as it was
   * written, and what was not acknowledged and is there in part. Recent is what was written since the last check.
   */
  readonly check: (page: Page, what: 'recent' | 'everything') => Promise<readonly string[]>
}

export const createWriteJournal = (): WriteJournal => {
  const held = new Map<string, Held>()
  const underWay = new Map<number, Changes>()
  const recent = new Set<string>()
  const failures: string[] = []
  const waiting = new Set<() => void>()
  let acknowledged = 0

  const after = ([key, value]: Changes[number]): Held => ({ value, versions: (held.get(key)?.versions ?? 0) + 1 })

  const apply = (changes: Changes): void => {
    for (const change of changes) {
      held.set(change[0], after(change))
      recent.add(change[0])
    }
  }

  const hear = ({ lane, did, intends, failed }: Note): void => {
    if (failed !== undefined) return void failures.push(failed)
    const before = underWay.get(lane)
    underWay.set(lane, intends)
    if (!did || before === undefined) return
    apply(before)
    acknowledged++
    for (const resume of waiting) resume()
    waiting.clear()
  }

  const check = async (page: Page, what: 'recent' | 'everything'): Promise<readonly string[]> => {
    // First what nobody was told about: all of a write or nothing of it.
    const wrong: string[] = []
    for (const [lane, changes] of underWay) {
      const found = await readHeld(
        page,
        changes.map(([key]) => key),
      )
      const done = changes.filter((change, i) => same(found[i], after(change))).length
      const undone = changes.filter(([key], i) => same(found[i], held.get(key) ?? NOTHING)).length
      if (done === changes.length) apply(changes)
      else if (undone !== changes.length)
        wrong.push(`torn: ${changes.length} changes of lane ${lane}, ${done} done, ${undone} undone`)
    }
    underWay.clear()
    const keys = what === 'recent' ? [...recent] : [...held.keys()]
    recent.clear()
    const found = await readHeld(page, keys)
    keys.forEach((key, i) => {
      const wanted = held.get(key)
      if (!same(found[i], wanted)) wrong.push(`${key}: ${JSON.stringify(found[i])} instead of ${JSON.stringify(wanted)}`)
    })
    const live = [...held.keys()].filter((key) => held.get(key)?.value != null)
    const { memories, unfound } = await page.evaluate(findByWords, live.slice(-40))
    if (memories !== live.length) wrong.push(`${memories} memories instead of ${live.length}`)
    return [...wrong, ...unfound.map((key) => `${key} is not found by its words`)]
  }

  return {
    listen: (context) => context.exposeBinding('note', (_source, entry: Note) => hear(entry)).then(() => undefined),
    acknowledged: () => acknowledged,
    failures,
    next: () => new Promise((resume) => waiting.add(resume)),
    check,
  }
}

const NOTHING: Held = { value: null, versions: 0 }

const same = (a: Held | undefined, b: Held | undefined): boolean => a?.value === b?.value && a?.versions === b?.versions

const readHeld = (page: Page, keys: readonly string[]): Promise<readonly Held[]> =>
  page.evaluate(
    (wanted) =>
      Promise.all(
        wanted.map(async (key) => {
          const [row, versions] = await Promise.all([memory.get(key), memory.history(key)])
          return { value: row === null ? null : String(row.value), versions: versions.length }
        }),
      ),
    keys,
  )

/** Runs in the page. */
const findByWords = async (keys: readonly string[]) => {
  const unfound: string[] = []
  for (const key of keys) {
    const { hits } = await memory.search(key.replaceAll('/', 'x'), { legs: ['lexical'], limit: 3 })
    if (!hits.some((hit) => hit.key === key)) unfound.push(key)
  }
  return { memories: (await memory.storage()).memories, unfound }
}

/** Starts three lanes that set, update, delete and write in bulk, as fast as they are answered, until they fail. */
export const startLanes = (page: Page, prefix: string): Promise<void> =>
  page.evaluate((start) => {
    const text = (key: string, more = '') => `The entry ${key.replaceAll('/', 'x')} was written${more}.`
    const step = async (lane: number, i: number) => {
      const key = `${start}/${lane}/${i}`
      const earlier = `${start}/${lane}/${i - (i % 5)}`
      if (i % 5 === 2) {
        const value = text(earlier, ' again')
        return { changes: [[earlier, value]] as const, write: () => memory.update({ key: earlier, value }) }
      }
      if (i % 5 === 3) {
        const entries = Array.from({ length: 20 }, (_, n) => ({ key: `${key}/${n}`, value: text(`${key}/${n}`) }))
        return { changes: entries.map((entry) => [entry.key, entry.value] as const), write: () => memory.bulkSet(entries) }
      }
      if (i % 5 === 4) return { changes: [[earlier, null]] as const, write: () => memory.delete(earlier) }
      return { changes: [[key, text(key)]] as const, write: () => memory.set({ key, value: text(key) }) }
    }
    const run = async (lane: number) => {
      for (let i = 0; ; i++) {
        const { changes, write } = await step(lane, i)
        await note({ lane, did: i > 0, intends: changes })
        try {
          await write()
        } catch (error) {
          return note({ lane, did: false, intends: changes, failed: String(error) })
        }
      }
    }
    for (let lane = 0; lane < 3; lane++) void run(lane)
  }, prefix)
