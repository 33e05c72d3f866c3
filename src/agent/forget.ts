import type { Memory } from '../protocol/api.js'
import type { ForgetResult } from '../schema/erasing.js'
import type { Scope } from '../schema/scope.js'

/** Rows of whatever state. */
const ALL = { includeDuplicates: true, includeSuperseded: true, includeProposed: true, limit: 1_000 } as const

/** What keys of global memories can begin with beside what those begin with that are listed: deleted ones are not. */
const BEGINNINGS = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~@:']

/** Erases what everybody shares and nothing of anybody's own. Only where there is something does an erasure leave its receipt. */
export const forgetGlobal = async (everyone: Memory): Promise<readonly ForgetResult[]> => {
  const beginnings = new Set(BEGINNINGS)
  for await (const { key } of pages((cursor) => everyone.list({ ...ALL, ...cursor, tiers: ['global'] })))
    beginnings.add(String.fromCodePoint(key.codePointAt(0) ?? 0))
  const done: ForgetResult[] = []
  for (const keyPrefix of beginnings) {
    const { counts } = await everyone.forget({ keyPrefix, dryRun: true })
    if (counts.versions > 0) done.push(await everyone.forget({ keyPrefix }))
  }
  return done
}

/** Erases all users, or all sessions, one by one: everybody who has a memory, said something, or ever did anything that was noted. */
export const forgetEverybody = async (everyone: Memory, tier: 'user' | 'session'): Promise<readonly ForgetResult[]> => {
  const all = everyone.scope({ user: '*', session: '*' })
  const withoutUser = everyone.scope({ session: '*' })
  const ids = new Map<string, string | null>()
  const note = ({ [tier]: id }: Scope): void => {
    if (id !== undefined && id !== '*' && id !== '') ids.set(JSON.stringify(id), id)
  }
  for (const memory of [all, withoutUser]) {
    for await (const { scope } of pages((cursor) => memory.list({ ...ALL, ...cursor }))) note(scope)
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await memory.conversations.list({ limit: 1_000, ...(cursor === undefined ? {} : { cursor }) })
      for (const { scope } of page.turns) note(scope)
      cursor = page.nextCursor
    }
  }
  for await (const { scope } of pages((cursor) => everyone.audit.list({ limit: 1_000, ...cursor }))) note(scope)
  const done: ForgetResult[] = []
  for (const id of ids.values()) {
    const whom = tier === 'user' ? { user: id } : { session: id as string }
    const { counts } = await everyone.forget({ ...whom, dryRun: true })
    if (counts.versions > 0) done.push(await everyone.forget(whom))
  }
  return done
}

const pages = async function* <Row>(
  read: (cursor: {
    readonly cursor?: string
  }) => Promise<{ readonly rows: readonly Row[]; readonly nextCursor: string | null }>,
): AsyncGenerator<Row> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await read(cursor === undefined ? {} : { cursor })
    yield* page.rows
    cursor = page.nextCursor
  }
}
