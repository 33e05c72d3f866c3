import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import type { Core } from './core.js'

/** A fault that could be made in the core: in which file, what is there, and what a careless hand would leave there. */
export interface Mutant {
  readonly name: string
  readonly file: string
  readonly find: string
  readonly put: string
}

const FOLDER = new URL('../../../src/domain/', import.meta.url)
const FILES = ['epochs', 'exchange', 'key-state', 'refusals', 'reissue', 'stamp', 'state']

const sources = new Map<string, string>()
for (const name of readdirSync(new URL('sync/', FOLDER)))
  sources.set(`sync/${name}`, readFileSync(new URL(`sync/${name}`, FOLDER), 'utf8'))
for (const name of ['clock.ts', 'version.ts', 'canonical.ts', 'sha256.ts'])
  sources.set(name, readFileSync(new URL(name, FOLDER), 'utf8'))

const compiled = new Map<string, string>()
const compile = (text: string): string =>
  ts.transpileModule(text, { compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 } })
    .outputText

const compiledSource = (path: string): string => {
  const known = compiled.get(path)
  if (known !== undefined) return known
  const made = compile(sources.get(path) ?? '')
  compiled.set(path, made)
  return made
}

/** How often a mutant's text stands in its file: once, if the mutant is still about something. */
export const occurrences = ({ file, find }: Mutant): number => (sources.get(`sync/${file}.ts`) ?? '').split(find).length - 1

/** The core with a fault in it. */
export const mutated = ({ file, find, put }: Mutant): Core => {
  const loaded = new Map<string, Record<string, unknown>>()
  const changed = `sync/${file}.ts`
  const load = (path: string): Record<string, unknown> => {
    const known = loaded.get(path)
    if (known !== undefined) return known
    const exports: Record<string, unknown> = {}
    loaded.set(path, exports)
    const code = path === changed ? compile((sources.get(path) ?? '').replace(find, () => put)) : compiledSource(path)
    // Hashes are not computed by anything that is mutated.
    const require = (name: string): unknown =>
      name.startsWith('.') ? load(resolve(path, name)) : { sha256: { create: () => null } }
    new Function('exports', 'require', code)(exports, require)
    return exports
  }
  return Object.assign({}, ...FILES.map((name) => load(`sync/${name}.ts`))) as Core
}

const resolve = (from: string, name: string): string => {
  const base = new URL(name, new URL(from, 'file:///'))
  return base.pathname.slice(1).replace(/\.js$/, '.ts')
}

const mutant = (name: string, file: string, find: string, put: string): Mutant => ({ name, file, find, put })

export const MUTANTS: readonly Mutant[] = [
  mutant('takes on any clock', 'stamp', ' && writtenAt(ver) <= correctedNow(clock, localNowMs) + ADOPT_AHEAD_MS', ''),
  mutant('stays ahead after a refusal', 'stamp', '{ ...clock, last: accepted }', 'clock'),
  mutant('writes below its parents', 'stamp', 'clock.last, parents)', 'clock.last, [])'),
  mutant(
    'writes another version of what was taken',
    'refusals',
    "row.isOwn && !row.everAccepted && !row.wasDue ? 'restamp'",
    "true ? 'restamp'",
  ),
  mutant(
    'never writes another version',
    'refusals',
    "row.isOwn && !row.everAccepted && !row.wasDue ? 'restamp'",
    "false ? 'restamp'",
  ),
  mutant(
    'puts a repeated row into quarantine',
    'refusals',
    "case 'dup':\n",
    "case 'dup':\n      return { quarantine: 'invalid' }\n",
  ),
  mutant('does not look at the digest', 'exchange', ' && server.digestAtCursor === cursor.digest', ''),
  mutant(
    'only looks whether the cursor is beyond the head',
    'exchange',
    'cursor.epoch === epoch && cursor.seq <= server.head && server.digestAtCursor === cursor.digest',
    'cursor.seq <= server.head',
  ),
  mutant('passes pages that lack rows', 'exchange', ' && page.digestUpTo === digestHere', ''),
  mutant(
    'passes pages out of turn',
    'exchange',
    'page.after === cursor.seq && page.upTo >= cursor.seq && page.digestUpTo === digestHere',
    'page.upTo >= cursor.seq',
  ),
  mutant('counts what it was told as read', 'exchange', "presence === 'told'", 'false'),
  mutant('counts what it could not pass as read', 'exchange', "isCovered || before === 'read' ? 'read' : 'told'", "'read'"),
  mutant('holds removals back', 'exchange', '!isRemoval(row) && row.parents', 'row.parents'),
  mutant(
    'sends what stands on quarantined rows only',
    'exchange',
    'filter(({ id }) => !back.has(id))',
    'filter(({ id }) => back.has(id))',
  ),
  mutant('sends quarantined rows for ever', 'exchange', 'filter(({ id }) => !back.has(id))', 'filter(() => true)'),
  mutant('does not see its twin', 'reissue', 'parts.dev === dev && ', 'false && '),
  mutant('leaves what stands on a collided row', 'reissue', 'row.parents.some((id) => renamed.has(id))', 'false'),
  mutant('keeps parents that another has', 'reissue', 'row.parents.map((id) => renamed.get(id) ?? id)', 'row.parents'),
  mutant('keeps erased rows', 'epochs', 'return blocked || row.kepoch < epoch', 'return false'),
  mutant('lets a clock decide over an erasure', 'epochs', 'row.kepoch < epoch', 'row.kepoch + 1 < epoch'),
  mutant('erases what was written in knowledge', 'epochs', 'row.kepoch < epoch', 'row.kepoch <= epoch'),
  mutant('forgets that a key is blocked', 'epochs', 'blocked: a.blocked || b.blocked', 'blocked: b.blocked'),
  mutant(
    'does not count erasures of namespaces',
    'epochs',
    'later(namespace, epochs.keys.get(key) ?? NEVER)',
    '(epochs.keys.get(key) ?? NEVER)',
  ),
  mutant(
    'counts erasures of a namespace like those of keys',
    'epochs',
    '(Math.floor(highest / NAMESPACE_STEP) + 1) * NAMESPACE_STEP',
    '(epochs.namespaces.get(nc)?.epoch ?? 0) + 1',
  ),
  mutant(
    'lets erasures take redactions',
    'epochs',
    'Math.max(erasedAt(epochs, target).epoch, target.kepoch)',
    'erasedAt(epochs, target).epoch',
  ),
  mutant(
    'erases only what it knows the erasures of',
    'epochs',
    '=> Math.max(highest, kepoch), least)',
    '=> Math.max(highest, kepoch * 0), least)',
  ),
  mutant('lets erasures erase erasures', 'epochs', "if (row.kind === 'erase') return false\n", ''),
  mutant(
    'shows rows without their past',
    'descent',
    'if (left > 0 || child.kepoch > epoch) continue',
    'if (child.kepoch > epoch) continue',
  ),
  mutant('forgets the past beyond parents', 'descent', 'edge.push(...next(id))', 'void next'),
  mutant('keeps the text of redacted rows', 'redaction', 'if (targets.size === 0) return new Set()', 'return new Set()'),
  mutant('redacts across keys', 'redaction', '`${keyOf(row)} ${id}`', '`${[...targets.keys()][0]?.slice(0, 3)} ${id}`'),
  mutant(
    'lets agents delete what people wrote',
    'winner',
    '(head) => isTombstone(head) && head.row.human',
    '(head) => isTombstone(head)',
  ),
  mutant('forgets that people count more', 'winner', '(head) => !head.bare && !isTombstone(head) && head.row.human,', ''),
  mutant(
    'forgets pins',
    'winner',
    "(head.pin === 'human' || head.locked || (head.pin !== null && head.row.human))",
    'false',
  ),
  mutant('lets the older win', 'winner', 'compareRows(b.row, a.row)', 'compareRows(a.row, b.row)'),
  mutant('lets the empty win', 'winner', '(head) => !head.bare,', ''),
  mutant('does not hold pinned values', 'guard', 'if (content.pinned && !seenBy.has(row.id)) return false', ''),
  mutant(
    'holds pinned values for ever',
    'guard',
    'if (content.pinned && !seenBy.has(row.id)) return false',
    'if (content.pinned) return false',
  ),
  mutant('never ends a lock', 'guard', '(content.lockUntil !== null && row.ver > content.lockUntil)', 'false'),
  mutant('does not lock', 'guard', 'return !forbids ||', 'return true ||'),
  mutant(
    'lets locks forbid nothing but deletions',
    'guard',
    "content.lockMode === 'read_only' || (",
    '(content.lockMode !== null && ',
  ),
  mutant('counts guards of agents beside those of people', 'guard', '(human.length > 0 ? human : heads)', 'heads'),
  mutant('restores at any time', 'key-state', 'restore - tombstone <= WINDOW_NS', 'true'),
  mutant('restores at no time', 'key-state', 'restore - tombstone <= WINDOW_NS', 'false'),
  mutant(
    'sees a conflict where both say the same',
    'key-state',
    "return 'agrees'\n  if (winner.locked",
    "return 'conflicted'\n  if (winner.locked",
  ),
  mutant('sees no conflict', 'key-state', ": 'conflicted'\n}", ": 'agrees'\n}"),
  mutant('serves what lies under a deletion', 'key-state', ": 'buried'", ": 'conflicted'"),
  mutant('counts what was said twice', 'key-state', 'if (seen.has(row.id)) continue\n', 'if (seen.size > 9) continue\n'),
  mutant(
    'counts what was said before a deletion',
    'key-state',
    " && parent.kind !== 'tomb') edge.push(parent)",
    ') edge.push(parent)',
  ),
  mutant(
    'goes by the order in which rows came',
    'key-state',
    '.sort(compareCandidates)\n  const [winner]',
    '\n  const [winner]',
  ),
  mutant('passes over what it does not understand', 'key-state', 'admissible.some(mustBeUnderstood)', 'false'),
]
