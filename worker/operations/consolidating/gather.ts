import { isConsolidated } from '../../../src/domain/belief.js'
import { textOf } from '../../../src/domain/canonical.js'
import { exclude, type Fragment, isAbout, type Relate, sentencesIn } from '../../../src/domain/consolidation.js'
import { linksOf } from '../../../src/domain/lineage.js'
import { declaredBy } from '../../../src/domain/policy.js'
import { resolve } from '../../../src/domain/scope.js'
import { LONGEST_STATEMENT } from '../../../src/domain/signature/signature.js'
import { isStatement } from '../../../src/domain/statement.js'
import { isUsable } from '../../../src/domain/trust.js'
import type { ConsolidateResult, LeftWhy } from '../../../src/schema/consolidation.js'
import type { TrustLevel } from '../../../src/schema/provenance.js'
import { servedAfter } from '../../store/heads.js'
import { settingsOf } from '../../store/namespaces.js'
import type { Head } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { linksWithin } from '../provenance/about.js'
import { trustReader } from '../provenance/provenance.js'
import { takeTurn } from '../turn.js'

/** Memories looked at in one turn: other calls get theirs in between. */
const PAGE = 500

/** Fragments of one subject that are compared with each other. */
const MOST_FRAGMENTS = 200

/** Fragments of one trust and type, oldest first. */
export interface Group {
  readonly trust: TrustLevel
  readonly type: string
  readonly heads: readonly Head[]
}

/** What there is about a subject. */
export interface Gathered {
  readonly groups: readonly Group[]
  /** What was made of such fragments before. */
  readonly summaries: readonly Head[]
  readonly left: ConsolidateResult['left']
  readonly sentences: ReadonlyMap<string, readonly string[]>
  readonly relate: Relate
}

/** Reads what the handle's own scope says of a subject. Changes nothing. */
export const gather = async (engine: Engine, context: CallContext, subject: string): Promise<Gathered> => {
  const { store, language } = engine
  const scope = resolve(context.scope)
  const declared = declaredBy(settingsOf(store.db, scope))
  const relate: Relate = (earlier, later) => language.now().relate(earlier, later, declared)
  const about = await headsAbout(engine, context, subject)
  const summaries = about.filter(({ body }) => isConsolidated(body) && body.entities[0] === subject)
  const left = new Map<string, { readonly head: Head; readonly why: LeftWhy }>()
  const leave = (head: Head, why: LeftWhy): void => void left.set(head.memoryId, { head, why })

  const identities = store.book.visible(context.scope).map(({ identity }) => identity)
  const trustOf = trustReader(engine, identities, linksOf(await linksWithin(engine, context, identities)))
  const fitting: { readonly head: Head; readonly trust: TrustLevel }[] = []
  for (const head of about.filter(({ body }) => !isConsolidated(body)).sort(oldestFirst)) {
    const { trust } = trustOf(head.memoryId)
    const why = unfit(head, trust)
    if (why !== null) leave(head, why)
    else if (fitting.length >= MOST_FRAGMENTS) leave(head, 'full')
    else fitting.push({ head, trust })
  }
  const sentences = sentencesIn(fitting.map(({ head }): Fragment => ({ id: head.memoryId, text: textOf(head.body.value) })))
  const said = ({ memoryId }: Head): readonly string[] => sentences.get(memoryId) ?? []
  for (const [i, { head: later }] of fitting.entries()) {
    for (const { head: earlier } of fitting.slice(0, i))
      if (exclude(said(earlier), said(later), relate)) for (const head of [earlier, later]) leave(head, 'contradicted')
    if (i % 20 === 19) await takeTurn(context)
  }
  const groups = groupsOf(fitting.filter(({ head }) => !left.has(head.memoryId)))
  for (const { heads } of groups) if (heads.length === 1) for (const head of heads) leave(head, 'alone')
  return {
    groups: groups.filter(({ heads }) => heads.length > 1),
    summaries,
    left: [...left.values()].map(({ head, why }) => ({ id: head.memoryId, key: head.body.key, why })),
    sentences,
    relate,
  }
}

const headsAbout = async ({ store }: Engine, context: CallContext, subject: string): Promise<Head[]> => {
  const own = store.book.find(resolve(context.scope))
  const found: Head[] = []
  for (let after = 0; own !== null; ) {
    const page = servedAfter(store.db, own, after, { nowMs: context.acceptedAt, limit: PAGE })
    found.push(...page.filter(({ body }) => isAbout(body, subject)))
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) break
    after = last.memory
    await takeTurn(context)
  }
  return found
}

/** By when they began to hold, then by when they were first written. */
const oldestFirst = (a: Head, b: Head): number => holdsFrom(a) - holdsFrom(b) || a.memory - b.memory

const holdsFrom = ({ body }: Head): number => body.validAt ?? body.createdAt

const unfit = ({ body }: Head, trust: TrustLevel): LeftWhy | null => {
  if (!isUsable(trust)) return 'external'
  if (body.status === 'conflicted') return 'conflicted'
  if (!isStatement(body.value)) return 'no_statement'
  return textOf(body.value).length > LONGEST_STATEMENT ? 'too_long' : null
}

const groupsOf = (fitting: readonly { readonly head: Head; readonly trust: TrustLevel }[]): readonly Group[] => {
  const groups = new Map<string, { trust: TrustLevel; type: string; heads: Head[] }>()
  for (const { head, trust } of fitting) {
    const { type } = head.body
    const name = JSON.stringify([type, trust])
    const group = groups.get(name)
    if (group === undefined) groups.set(name, { trust, type, heads: [head] })
    else group.heads.push(head)
  }
  return [...groups.keys()].sort().map((name) => groups.get(name) as Group)
}
