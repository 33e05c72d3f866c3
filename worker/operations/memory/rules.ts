import { foldText, piecesOf } from '../../../src/domain/blacklist.js'
import { resolve } from '../../../src/domain/scope.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { BlacklistRule } from '../../../src/schema/guards.js'
import { flagRule, rulesFor } from '../../store/blacklist.js'
import type { CallContext, Engine } from '../context.js'

/** The rules that hold for what a handle writes. */
export const rulesInForce = ({ store }: Engine, context: CallContext): readonly BlacklistRule[] =>
  rulesFor(store.db, store.book, resolve(context.scope))

/** The first rule that a text meets, and whether it was found there or ran out of its time. */
export interface Met {
  readonly rule: BlacklistRule
  readonly kind: 'match' | 'timeout'
}

/** Holds a text against rules: substrings at once, patterns in the scanner. */
export const meetRules = async ({ scanner }: Engine, rules: readonly BlacklistRule[], text: string): Promise<Met | null> => {
  const folded = foldText(text)
  const plain = rules.find((rule) => rule.patternType === 'substring' && folded.includes(foldText(rule.pattern)))
  if (plain !== undefined) return { rule: plain, kind: 'match' }
  const patterns = rules.filter(({ patternType }) => patternType === 'regex')
  if (patterns.length === 0) return null
  const scan = await scanner.scan(
    patterns.map(({ pattern }) => pattern),
    piecesOf(text),
  )
  const rule = scan.kind === 'none' ? undefined : patterns[scan.index]
  return scan.kind === 'none' || rule === undefined ? null : { rule, kind: scan.kind }
}

/** Why the blacklist refuses a text, or null. A rule that runs out of its time refuses as well, and is flagged. */
export const blacklistRefusal = async (
  engine: Engine,
  rules: readonly BlacklistRule[],
  text: string,
): Promise<MemoryError | null> => {
  const met = await meetRules(engine, rules, text)
  if (met === null) return null
  const patternId = met.rule.id
  if (met.kind === 'match')
    return new MemoryError('BLACKLISTED', `A rule of the blacklist forbids this: ${met.rule.reason ?? 'no reason given'}.`, {
      patternId,
    })
  flag(engine, met.rule)
  return new MemoryError(
    'BLACKLIST_TIMEOUT',
    'A rule of the blacklist ran out of its time, so nothing was written. Try again, or replace the rule by a simpler one.',
    { patternId },
  )
}

/** Notes at a rule that it ran out of its time. */
export const flag = ({ store }: Engine, rule: BlacklistRule): void =>
  store.write(() => flagRule(store.db, rule.id, store.system.now()))
