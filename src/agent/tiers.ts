import { canonicalForm, textOf } from '../domain/canonical.js'
import type { Memory } from '../protocol/api.js'
import { invalidArgument, MemoryError } from '../protocol/errors.js'
import type { ForgetResult } from '../schema/erasing.js'
import type { Hit, MemoryRow } from '../schema/records.js'
import type { Tier } from '../schema/scope.js'
import { isFact } from './fact-rows.js'
import { forgetEverybody, forgetGlobal } from './forget.js'
import type { Run } from './run.js'
import { type Handles, idProblem } from './who.js'

/** Whose memory is meant. */
export interface TierOptions {
  /** `global`: everybody's. `user`: one user's, for good. `session`: one talk's. */
  readonly tier: Tier
  /** Of the user or the session. `'*'` means all of them, where it is said so deliberately and only to read or to forget. */
  readonly id?: string
  /** Of a session, whose: left out, the session stands by itself, or belongs to the user of the current run. */
  readonly user?: string
}

export interface PersistOptions extends TierOptions {
  readonly key?: string
  readonly tags?: readonly string[]
}

export interface RetrieveOptions extends TierOptions {
  /** What to look for; left out, the newest. */
  readonly query?: string
  /** Default 20. */
  readonly limit?: number
}

export interface UpdateOptions extends TierOptions {
  /** What it replaces: the id of the fact, its key, or what it says, word for word. */
  readonly old: string
}

/** Facts by tier, written by hand. */
export interface TierCalls {
  /** Writes a fact and gives its id. */
  readonly persist: (text: string, options: PersistOptions) => Promise<string>
  readonly retrieve: (options: RetrieveOptions) => Promise<readonly (MemoryRow | Hit)[]>
  /** Puts a newer text in place of an older one, which stays in its history, and gives the id. */
  readonly update: (text: string, options: UpdateOptions) => Promise<string>
  /** Erases all of a tier for good, history included, with a receipt for each erasure. */
  readonly forget: (options: TierOptions) => Promise<readonly ForgetResult[]>
}

export const createTierCalls = (handles: Handles, run: () => Run | null): TierCalls => {
  /** The handle of what is meant; `'*'` only where a call allows it. */
  const handleOf = (options: TierOptions, allowed: 'one' | 'all' = 'one'): Memory => {
    const { tier, id, user } = checked(options, run(), allowed)
    const stamp = run()?.run === undefined || allowed === 'all' ? {} : { run: run()?.run as string }
    if (tier === 'global') return handles.of(stamp)
    return tier === 'user'
      ? handles.of({ user: id, ...stamp })
      : handles.of({ session: id, ...(user === undefined ? {} : { user }), ...stamp })
  }

  /** Rows of a tier, the newest first, page by page. */
  const rowsOf = async function* (memory: Memory, tier: Tier): AsyncGenerator<MemoryRow> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await memory.list({ tiers: [tier], limit: 1_000, ...(cursor === undefined ? {} : { cursor }) })
      yield* page.rows.filter(isFact)
      cursor = page.nextCursor
    }
  }

  const find = async (memory: Memory, tier: Tier, old: string): Promise<MemoryRow> => {
    if (typeof old !== 'string' || old.trim() === '') throw invalidArgument('old', 'must be the id, key or text of a fact')
    const form = canonicalForm(old)
    for await (const row of rowsOf(memory, tier))
      if (row.id === old || row.key === old || canonicalForm(textOf(row.value)) === form) return row
    throw new MemoryError('NOT_FOUND', 'No fact of this tier has that id, key or text.', {})
  }

  return {
    persist: async (text, options) => {
      const memory = handleOf(options)
      const { key, tags } = options
      const { id } = await memory.set({
        value: text,
        confidence: 1,
        ...(key === undefined ? {} : { key }),
        ...(tags === undefined ? {} : { tags: [...tags] }),
      })
      return id
    },
    retrieve: async (options) => {
      const memory = handleOf(options, 'all')
      const { tier, query, limit = 20 } = options
      if (query !== undefined) return (await memory.search(query, { tiers: [tier], limit })).hits.filter(isFact)
      const rows: MemoryRow[] = []
      for await (const row of rowsOf(memory, tier)) {
        rows.push(row)
        if (rows.length >= limit) break
      }
      return rows
    },
    update: async (text, options) => {
      const memory = handleOf(options)
      const { id } = await find(memory, options.tier, options.old)
      return (await memory.updateById({ id, value: text, confidence: 1 })).id
    },
    forget: async (options) => {
      const { tier, id, user } = checked(options, run(), 'all')
      if (tier === 'global') return forgetGlobal(handles.everyone)
      if (id === '*') return forgetEverybody(handles.everyone, tier)
      return [
        await (tier === 'user'
          ? handles.everyone.forget({ user: id })
          : handles.everyone.forget({ session: id, ...(user === undefined ? {} : { user }) })),
      ]
    },
  }
}

type Checked = ({ readonly tier: 'global' } & Partial<Id>) | ({ readonly tier: 'user' | 'session' } & Id)
interface Id {
  readonly id: string
  readonly user: string | undefined
}

/** Refuses what could be taken for everybody: an id that is missing, empty or no text, and `'*'` where one is meant. */
const checked = (options: TierOptions, run: Run | null, allowed: 'one' | 'all'): Checked => {
  if (typeof options !== 'object' || options === null) throw invalidArgument('options', 'must say which tier')
  const { tier, id, user } = options
  if (!['global', 'user', 'session'].includes(tier)) throw invalidArgument('tier', "must be 'global', 'user' or 'session'")
  if (tier === 'global') {
    if (id !== undefined) throw invalidArgument('id', 'goes with user or session only: what is global is for everybody')
    return { tier }
  }
  const given = id === undefined && !('id' in options) ? (tier === 'user' ? run?.user : run?.session) : id
  if (given === '*') {
    if (allowed === 'one') throw invalidArgument('id', `is '*': a fact belongs to one ${tier}. Give its id`)
    if (user !== undefined) throw invalidArgument('user', "does not go with the id '*'")
    return { tier, id: '*', user: undefined }
  }
  const problem = idProblem(given)
  if (problem !== null)
    throw invalidArgument(
      'id',
      `${problem}. Give the id of the ${tier}${allowed === 'all' ? `, or '*' if all of them are meant` : ''}`,
    )
  const owner = user ?? (tier === 'session' ? (run?.user ?? undefined) : undefined)
  if (owner !== undefined && idProblem(owner) !== null) throw invalidArgument('user', idProblem(owner) ?? '')
  return { tier, id: given as string, user: owner }
}
