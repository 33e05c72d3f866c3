import { scannedText } from '../../src/domain/blacklist.js'
import { lockInForce } from '../../src/domain/guards.js'
import { MemoryError } from '../../src/protocol/errors.js'
import type { BlacklistRule, SweepReport } from '../../src/schema/guards.js'
import { governedIdentities, liveHeadsAfter } from '../store/blacklist.js'
import type { Head } from '../store/versions.js'
import type { CallContext, Engine } from './context.js'
import { bury } from './memory/lifecycle.js'
import { recorded } from './memory/recorded.js'
import { flag, meetRules } from './memory/rules.js'
import { letOthers } from './turn.js'

/** Memories that one sweep deletes. */
const MOST_SWEPT = 1_000
/** Memories looked at in one turn: other calls get theirs in between. */
const PAGE = 200
/** After so many memories on which a rule ran out of its time, the others would not go better. */
const MOST_TIMEOUTS = 10

type Counts = { -readonly [Name in keyof SweepReport]: SweepReport[Name] }

/**
 * Deletes what a rule forbids: live memories of its scope and of the narrower ones, page by page. What is pinned or locked stays and is
 * counted. New writes are held against the rule already, so that nothing comes in behind the sweep.
 */
export const sweep = async (
  engine: Engine,
  context: CallContext,
  rule: BlacklistRule,
  dryRun: boolean,
): Promise<SweepReport> => {
  const counts: Counts = { tombstoned: 0, kept: 0, unchecked: 0, cut: false }
  let after: number | null = 0
  while (after !== null) {
    if (context.signal.aborted)
      throw new MemoryError('ABORTED', 'The sweep was stopped between two pages.', { written: counts.tombstoned })
    const from: number = after
    after = await engine.inOrder(() => sweepPage(engine, context, rule, dryRun, counts, from))
    await letOthers()
  }
  return counts
}

/** Sweeps one page, and answers where the next begins, or null when there is none. */
const sweepPage = async (
  engine: Engine,
  context: CallContext,
  rule: BlacklistRule,
  dryRun: boolean,
  counts: Counts,
  after: number,
): Promise<number | null> => {
  const { store } = engine
  const page = liveHeadsAfter(store.db, governedIdentities(store.db, store.book, rule.scope), after, PAGE)
  const matching: Head[] = []
  for (const head of page) {
    if (counts.unchecked >= MOST_TIMEOUTS || counts.tombstoned + matching.length >= MOST_SWEPT) {
      counts.cut = true
      break
    }
    const met = await meetRules(engine, [rule], scannedText(head.body, head.body.key))
    if (met?.kind === 'timeout') {
      counts.unchecked++
      flag(engine, rule)
    } else if (met !== null && isKept(head, context)) counts.kept++
    else if (met !== null) matching.push(head)
  }
  if (matching.length > 0) {
    // A resend of the call sweeps again: nothing it deleted is there any more.
    const own = { ...context, forwarded: null }
    recorded(engine, own, { action: 'blacklist.sweep', idempotencyKey: undefined, dryRun }, () => ({
      result: null,
      changes: matching.map((head) => bury(engine, context, head)),
    }))
    await store.db.durable()
  }
  counts.tombstoned += matching.length
  return counts.cut || page.length < PAGE ? null : (page[page.length - 1] as Head).memory
}

const isKept = ({ body }: Head, { acceptedAt }: CallContext): boolean =>
  body.pinned || lockInForce(body, acceptedAt) !== null
