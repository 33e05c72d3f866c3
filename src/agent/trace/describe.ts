/** Calls that write; all others read. */
const WRITES: ReadonlySet<string> = new Set(
  (
    'memory.set memory.update memory.updateById memory.bulkSet memory.delete memory.restore memory.pin memory.unpin memory.lock ' +
    'memory.unlock memory.reject memory.import memory.forget memory.verify memory.outcome memory.apply memory.consolidate ' +
    'memory.promote memory.undo memory.redact memory.setFromMessages conflicts.resolve proposals.decide namespaces.register ' +
    'namespaces.rollback blacklist.add blacklist.remove users.erase runs.complete learning.cancel conversations.append ' +
    'profile.set profile.delete working.set working.patch working.delete working.acquire working.renew working.release ' +
    'records.define records.put records.remove knowledge.add knowledge.upsert knowledge.remove sessions.setBrief sessions.digest ' +
    'context.told context.offload'
  ).split(' '),
)

export const kindOf = (name: string): 'read' | 'write' => (WRITES.has(name) ? 'write' : 'read')

type Answer = Readonly<Record<string, unknown>>

const asAnswer = (result: unknown): Answer =>
  typeof result === 'object' && result !== null && !Array.isArray(result) ? (result as Answer) : {}

/** How much an answer holds of what. */
export const countsOf = (result: unknown): Readonly<Record<string, number>> => {
  if (Array.isArray(result)) return { rows: result.length }
  const counts: Record<string, number> = {}
  for (const [name, held] of Object.entries(asAnswer(result))) {
    if (Array.isArray(held) && COUNTED.has(name)) counts[name] = held.length
    else if (typeof held === 'number' && COUNTED.has(name)) counts[name] = held
  }
  return counts
}

const COUNTED = new Set(
  (
    'hits rows turns conflicts proposals results peers written refused moreRefused forgotten evidence appended known revised ' +
    'failed noted tokens leftOut unattested sections citations memories versions tombstoned chunksWritten pendingExtraction'
  ).split(' '),
)

/** Scores of what was found: of a write, how near its peers are. */
export const scoresOf = (result: unknown): readonly number[] => {
  const { hits, peers } = asAnswer(result)
  const scored = Array.isArray(hits) ? hits : Array.isArray(peers) ? peers : []
  return scored
    .map((one: { score?: unknown; similarity?: unknown }) => one.score ?? one.similarity)
    .filter((score): score is number => typeof score === 'number')
}

const TOLD = 'verdict status abstained abstainCode confidence noop dryRun deferred by held found backend durable'.split(' ')

/** Words and numbers of an answer that say how it came out, and nothing that somebody has said. */
export const attributesOf = (result: unknown): Readonly<Record<string, string | number | boolean>> =>
  Object.fromEntries(
    Object.entries(asAnswer(result)).filter(
      (entry): entry is [string, string | number | boolean] =>
        TOLD.includes(entry[0]) && ['string', 'number', 'boolean'].includes(typeof entry[1]),
    ),
  )
