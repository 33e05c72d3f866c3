import { flawOf } from '../../../src/domain/chain.js'
import type { Flaw, VerifyReport } from '../../../src/schema/history.js'
import { type ChainedMemory, chainsAfter, countChains, linksOf, type StoredLink } from '../../store/chains.js'
import type { CallContext, Engine } from '../context.js'
import { takeTurn } from '../turn.js'

/** Memories looked at in one turn: other calls get theirs in between. */
const SLICE = 100
/** Flaws that are told. */
const MOST_TOLD = 1_000

type Broken = VerifyReport['broken'][number]

/** Holds every version that the handle may read against the hashes it was sealed with. */
export const verifyHistory = async (
  engine: Engine,
  context: CallContext,
  input: { readonly keyPrefix?: string | undefined },
): Promise<VerifyReport> => {
  const { db, book } = engine.store
  const identities = book.visible(context.scope).map(({ identity }) => identity)
  const prefix = input.keyPrefix?.normalize('NFC') ?? null
  const total = countChains(db, identities)
  const report = { memories: 0, versions: 0, redacted: 0 }
  const broken: Broken[] = []
  let ok = true
  const tell = ({ key }: ChainedMemory, { memoryId, ver }: StoredLink, why: Flaw | null): void => {
    if (why === null) return
    ok = false
    if (broken.length < MOST_TOLD) broken.push({ id: memoryId, key, version: ver.toString(), why })
  }
  for (let after = 0; ; ) {
    const page = chainsAfter(db, identities, prefix, after, SLICE)
    for (const chained of page) {
      const links = linksOf(db, chained.memory, book.scopeOf(chained.identity))
      const rows = new Map(links.map((link) => [link.rowId, link]))
      report.memories++
      report.versions += links.length
      for (const link of links) {
        if (link.isRedacted && link.body === null) report.redacted++
        const moved = link.identity === chained.identity ? null : ('header' as const)
        tell(chained, link, flawOf(link, rows) ?? moved)
      }
      const newest = links.at(-1)
      if (newest !== undefined && chained.head !== newest.row) tell(chained, newest, 'head')
    }
    after = page.at(-1)?.memory ?? 0
    if (page.length < SLICE) break
    const { memories } = report
    engine.progress({ phase: 'verify', loaded: memories, total, ratio: Math.min(1, memories / Math.max(1, total)) })
    await takeTurn(context)
  }
  return { ok, ...report, broken }
}
