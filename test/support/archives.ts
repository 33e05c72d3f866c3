import { createHash } from 'node:crypto'
import type { ImportOptions, ImportReport } from '../../src/schema/archive.js'
import type { ScopePatch } from '../../src/schema/scope.js'
import type { Db } from '../../worker/ports.js'
import { sql } from '../../worker/store/sql.js'
import { createTestSystem } from './engine.js'
import { open } from './engine-calls.js'
import { dump } from './store.js'

let seed = 1_000

/** A memory of another device, with calls for archives. A root handle unless another scope is given. */
export const openElsewhere = async (options: Parameters<typeof open>[0] = {}) => {
  const memory = await open({ system: createTestSystem(undefined, ++seed), ...options })
  return {
    ...memory,
    export: (input: object = {}, scope: ScopePatch = {}, more: { signal?: AbortSignal } = {}) =>
      memory.call<Blob>('memory.export', input, scope, more),
    import: (
      archive: unknown,
      input: ImportOptions = {},
      scope: ScopePatch = {},
      more: { signal?: AbortSignal; forwarded?: string } = {},
    ) => memory.call<ImportReport>('memory.import', { archive, ...input }, scope, more),
  }
}

/** The lines of an archive that is not encrypted. */
export const linesOf = async (archive: Blob): Promise<string[]> =>
  (await new Response(archive.stream().pipeThrough(new DecompressionStream('gzip'))).text()).split('\n').slice(0, -1)

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

/** Lines as an archive whose last line counts and proves what is in it: what a forger would make. */
export const forged = (lines: readonly string[]): string => {
  const before = lines.slice(0, -1)
  const parsed = before.map((line) => JSON.parse(line) as { readonly type: string; readonly memory?: string })
  const count = (type: string) => parsed.filter((line) => line.type === type).length
  const trailer = {
    ...(JSON.parse(lines[lines.length - 1] ?? '{}') as object),
    counts: {
      rules: count('rule'),
      namespaces: count('namespace'),
      usage: count('usage'),
      erasures: count('erasure'),
      versions: count('version'),
      memories: new Set(parsed.flatMap(({ type, memory }) => (type === 'version' ? (memory ?? []) : []))).size,
    },
    sha256: createHash('sha256').update(textOf(before)).digest('hex'),
  }
  return textOf([...before, JSON.stringify(trailer)])
}

/** Every version of a store, named as it is on every device. */
export const versionsIn = (db: Db): readonly Readonly<Record<string, unknown>>[] =>
  db.all(
    sql`select d.device_id || '.' || v.dseq as id, v.ver, v.kind, v.memory_id, i.org, i.namespace, i.agent, i.user, i.session,
      v.parents, v.human, v.body, hex(v.salt) as salt, v.commitment, v.prev_sha256, v.sha256
      from versions v join devices d on d.dev = v.dev join identities i on i.identity = v.identity order by v.memory, v.ver`,
  )

/** Every head with its tags, by the memory's public id. */
export const headsIn = (db: Db): readonly unknown[] =>
  db.all(
    sql`select h.memory_id, h.key, h.ver, h.status, h.type, h.searchable, h.sensitive, h.source_class, h.confidence, h.form,
      h.updated_at, h.valid_to, h.expires_at,
      (select json_group_array(tag) from (select tag from head_tags t where t.memory = h.memory order by tag)) as tags
      from heads h order by h.memory`,
  )

/** Everything that a store holds, but for what notes that it was asked: the audit, its terms, and kept answers. */
export const contentsOf = (db: Db): Readonly<Record<string, readonly unknown[]>> =>
  Object.fromEntries(Object.entries(dump(db)).filter(([table]) => !['audit', 'sqlite_sequence'].includes(table)))
