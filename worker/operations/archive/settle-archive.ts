import { settle } from '../../../src/domain/policy.js'
import { MOST_OUTCOMES } from '../../../src/domain/usage.js'
import type { ArchivedNamespace, ArchivedRule, ArchivedUsage } from '../../../src/schema/archive.js'
import { hasRule, insertRule, rulesOf } from '../../store/blacklist.js'
import { registrationOf, writeRegistration } from '../../store/namespaces.js'
import type { Store } from '../../store/store.js'
import { keepUsage } from '../../store/usage.js'
import { headById } from '../../store/versions.js'
import { MOST_RULES } from '../blacklist.js'

/** Settles namespaces for which nothing was registered here: what somebody has settled here stands. Answers how many. */
export const putNamespaces = ({ db }: Store, namespaces: readonly ArchivedNamespace[]): number => {
  const fresh = namespaces.filter((named) => registrationOf(db, named) === null)
  for (const { settings, actor, updatedAt, ...named } of fresh)
    writeRegistration(db, named, { settings: settle({}, settings as Parameters<typeof settle>[1]), actor, updatedAt })
  return fresh.length
}

/** Adds rules that are not here yet, as far as there is room for them. Answers how many. */
export const putRules = ({ db, book }: Store, rules: readonly ArchivedRule[]): number => {
  let added = 0
  for (const rule of rules) {
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
export const putUsage = ({ db, book }: Store, usage: readonly ArchivedUsage[]): void => {
  const most = (sum: number): number => Math.min(sum, MOST_OUTCOMES)
  for (const { memory, scope, helped, harmed, uses, at } of usage) {
    const readable = book.visible(scope).map(({ identity }) => identity)
    const head = headById(db, readable, memory)
    if (head !== null) keepUsage(db, head.memory, book.take(scope), { helped: most(helped), harmed: most(harmed), uses, at })
  }
}
