import { isTarget } from '../../../src/domain/erasure.js'
import { settle } from '../../../src/domain/policy.js'
import { MOST_OUTCOMES } from '../../../src/domain/usage.js'
import type { ArchivedNamespace, ArchivedRule, ArchivedUsage } from '../../../src/schema/archive.js'
import type { Scope } from '../../../src/schema/scope.js'
import { hasRule, insertRule, rulesOf } from '../../store/blacklist.js'
import { allErasures } from '../../store/erasures.js'
import { registrationOf, writeRegistration } from '../../store/namespaces.js'
import type { Store } from '../../store/store.js'
import { keepUsage } from '../../store/usage.js'
import { headById } from '../../store/versions.js'
import { MOST_RULES } from '../blacklist.js'

/** Whether everything under a scope was erased since something was kept there: its rules, settings and outcomes do not come back either. */
const wholeErasures = ({ db }: Store): ((scope: Scope, keptAt: number) => boolean) => {
  const whole = allErasures(db).filter(({ prefix, before }) => prefix === null && before === null)
  return (scope, keptAt) => whole.some((erasure) => keptAt <= erasure.at && isTarget(erasure, scope, null))
}

/** Settles namespaces for which nothing was registered here: what somebody has settled here stands. Answers how many. */
export const putNamespaces = (store: Store, namespaces: readonly ArchivedNamespace[]): number => {
  const { db } = store
  const wasErased = wholeErasures(store)
  const fresh = namespaces.filter(
    (named) =>
      registrationOf(db, named) === null && !wasErased({ org: named.org, namespace: named.namespace }, named.updatedAt),
  )
  for (const { settings, actor, updatedAt, ...named } of fresh)
    writeRegistration(db, named, { settings: settle({}, settings as Parameters<typeof settle>[1]), actor, updatedAt })
  return fresh.length
}

/** Adds rules that are not here yet, as far as there is room for them. Answers how many. */
export const putRules = (store: Store, rules: readonly ArchivedRule[]): number => {
  const { db, book } = store
  const wasErased = wholeErasures(store)
  let added = 0
  for (const rule of rules) {
    if (wasErased(rule.scope, rule.createdAt)) continue
    const identity = book.take(rule.scope)
    const held = rulesOf(db, book, identity)
    const isSame = held.some(({ pattern, patternType }) => pattern === rule.pattern && patternType === rule.patternType)
    if (isSame || held.length >= MOST_RULES || hasRule(db, rule.id)) continue
    insertRule(db, identity, { ...rule, timedOutAt: null })
    added++
  }
  return added
}

/** Keeps what came of runs that used memories which are here, as far as the one who tells may read them. */
export const putUsage = (store: Store, usage: readonly ArchivedUsage[]): void => {
  const { db, book } = store
  const wasErased = wholeErasures(store)
  const most = (sum: number): number => Math.min(sum, MOST_OUTCOMES)
  for (const { memory, scope, helped, harmed, uses, at } of usage) {
    if (wasErased(scope, at)) continue
    const readable = book.visible(scope).map(({ identity }) => identity)
    const head = headById(db, readable, memory)
    if (head !== null) keepUsage(db, head.memory, book.take(scope), { helped: most(helped), harmed: most(harmed), uses, at })
  }
}
