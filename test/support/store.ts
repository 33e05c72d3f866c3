import { stateBody } from '../../src/domain/body.js'
import { calibrationOf } from '../../src/domain/calibration.js'
import { memoryId } from '../../src/domain/memory-id.js'
import type { HistoryEntry, VersionBody } from '../../src/schema/records.js'
import type { Scope } from '../../src/schema/scope.js'
import type { Db, Sql, SqlValue, System } from '../../worker/ports.js'
import { addEmbedder, findEmbedder, type KnownEmbedder } from '../../worker/store/embedders.js'
import { indexHead, unindexMemory } from '../../worker/store/search-index.js'
import { sql } from '../../worker/store/sql.js'
import { openStore, type Store } from '../../worker/store/store.js'
import { packVector } from '../../worker/store/vector-matrix.js'
import { type Head, insertVersion } from '../../worker/store/versions.js'
import { createTestSystem, openTestDb } from './engine.js'

export const DIMS = 8

export const ALICE: Scope = { org: 'local', namespace: 'default', user: 'alice' }

/** Whose rows must never show beside Alice's: another user, her namesakes elsewhere, the anonymous one, one of her sessions. */
export const STRANGERS: readonly Scope[] = [
  { org: 'local', namespace: 'default', user: 'mallory' },
  { org: 'local', namespace: 'elsewhere', user: 'alice' },
  { org: 'other', namespace: 'default', user: 'alice' },
  { org: 'local', namespace: 'default', user: null },
  { org: 'local', namespace: 'default', user: 'alice', session: 's' },
]

export interface StoreOptions {
  readonly db?: Db
  readonly system?: System
  readonly deviceIdOutside?: string | null
  readonly embedderId?: string
}

/** A store on a database of its own, in memory. */
export const openTestStore = async (options: StoreOptions = {}): Promise<Store> => {
  const db = options.db ?? (await openTestDb())
  const store = openStore(db, options.system ?? createTestSystem(), options.deviceIdOutside ?? null)
  const id = options.embedderId ?? 'test@1'
  store.useEmbedder(findEmbedder(db, id) ?? addTestEmbedder(db, id))
  return store
}

/** An embedder nobody measured. */
export const addTestEmbedder = (db: Db, id: string): KnownEmbedder =>
  addEmbedder(db, { id, dims: DIMS, probe: axis(0), calibration: calibrationOf([axis(0), axis(1), axis(0), axis(1)], 0) })

export interface Planted extends Partial<VersionBody> {
  readonly scope?: Scope
  readonly nowMs?: number
  readonly kind?: HistoryEntry['kind']
  /** The version it is written on top of. */
  readonly parent?: Head
  /** One for each passage, or none yet. */
  readonly vectors?: readonly Float32Array[]
}

/** Writes a version as a write would, judging nothing. */
export const plant = (store: Store, planted: Planted): Head => {
  const { scope = ALICE, nowMs = 1_000, kind = 'set', parent, vectors, ...fields } = planted
  return store.write(() => {
    const stamp = { key: fields.key ?? 'user/a', actor: 'process:test', run: null, nowMs }
    const { body } = stateBody(parent?.body ?? null, { value: 'a value' }, stamp)
    const version = {
      memory: parent?.memory ?? ++store.counters.memory,
      memoryId: parent?.memoryId ?? memoryId(nowMs, store.system.randomBytes(16)),
      identity: store.book.take(scope),
      scope,
      kind,
      human: false,
      parent: parent ?? null,
      body: { ...body, ...fields },
    }
    const head = insertVersion(store, version, nowMs)
    if (parent !== undefined) unindexMemory(store, head.memory)
    const packed = vectors?.map(packVector) ?? []
    indexHead(store, head, [{ embedder: store.embedder.number, packed }])
    return head
  })
}

/** Plants the same row for everyone who is not Alice. */
export const plantForStrangers = (store: Store, planted: Planted): readonly Head[] =>
  STRANGERS.map((scope) => plant(store, { ...planted, scope }))

/** Numbers of the identities that Alice's own handle reads. */
export const visibleToAlice = (store: Store): readonly number[] => store.book.visible(ALICE).map(({ identity }) => identity)

/** The unit vector along one axis. */
export const axis = (at: number): Float32Array => new Float32Array(DIMS).with(at % DIMS, 1)

/** Every row of every table, the word index's own tables included. */
export const dump = (db: Db): Readonly<Record<string, readonly unknown[]>> => {
  const tables = db.all<{ name: string }>(
    sql`select name from sqlite_schema where type = 'table' and name <> 'lexicon' order by name`,
  )
  return Object.fromEntries(tables.map(({ name }) => [name, db.all({ text: `select * from "${name}"`, values: [] })]))
}

/** Every word of the index with where it stands, named by memory rather than by passage number. */
export const wordsOf = (db: Db): readonly unknown[] => {
  db.script('create virtual table if not exists temp.words_of_lexicon using fts5vocab(main, lexicon, instance)')
  return db.all(
    sql`select p.memory, p.first, p.beyond, w.col, w.offset, w.term from temp.words_of_lexicon w
      left join passages p on p.passage = w.doc order by 1, 2, 4, 5, 6`,
  )
}

/** The steps by which SQLite answers a statement. */
export const planOf = (db: Db, statement: Sql): readonly string[] =>
  db
    .all<{ detail: string }>({ text: `explain query plan ${statement.text}`, values: statement.values })
    .map(({ detail }) => detail)

/** A database that also notes every statement it is given. */
export const listening = (db: Db): { readonly db: Db; readonly heard: Sql[] } => {
  const heard: Sql[] = []
  const note = (statement: Sql): Sql => {
    heard.push(statement)
    return statement
  }
  return {
    heard,
    db: {
      ...db,
      all: (statement) => db.all(note(statement)),
      get: (statement) => db.get(note(statement)),
      run: (statement) => db.run(note(statement)),
    },
  }
}

/** A count or any other single value. */
export const valueOf = (db: Db, statement: Sql): SqlValue | undefined =>
  Object.values(db.get<Record<string, SqlValue>>(statement) ?? {})[0]
