import { MemoryError } from '../../src/protocol/errors.js'
import type { Db, SqlValue } from '../../worker/ports.js'
import { sql } from '../../worker/store/sql.js'

/**
 * One behaviour that every database adapter has. `open` opens the same database each time; the one before is closed. Runs
 * in any realm: a failed check throws.
 */
export interface DbCase {
  readonly name: string
  /** Only for databases that outlive their closing. */
  readonly persistent?: true
  readonly run: (open: () => Promise<Db>) => Promise<void>
}

const VALUES: { readonly [what: string]: SqlValue } = {
  null: null,
  zero: 0,
  'a negative number': -17,
  'the largest safe integer': Number.MAX_SAFE_INTEGER,
  'a fraction': 0.1,
  'a tiny fraction': 5e-324,
  'a bigint beyond 2^53': 1_796_000_000_123_456_789n,
  'the smallest 64-bit integer': -(2n ** 63n),
  'the empty text': '',
  text: 'Größe, 大小, размер, 🎉',
  'text with a zero inside': 'a\u0000b',
  'text that looks like SQL': `'; drop table t; --`,
  'no bytes': new Uint8Array(),
  bytes: Uint8Array.from({ length: 256 }, (_, i) => i),
  'a large blob': new Uint8Array(300_000).fill(7),
}

export const dbContract: readonly DbCase[] = [
  {
    name: 'gives back every kind of value as it was bound',
    run: async (open) => {
      const db = await open()
      for (const [what, value] of Object.entries(VALUES)) {
        const row = db.get<{ readonly v: SqlValue }>(sql`select ${value} as v`)
        check(same(row?.v, value), `${what} came back as ${String(row?.v)}`)
      }
      db.script('create table t (id integer primary key, v any) strict')
      for (const value of Object.values(VALUES)) db.run(sql`insert into t (v) values (${value})`)
      const stored = db.all<{ readonly v: SqlValue }>(sql`select v from t order by id`)
      Object.entries(VALUES).forEach(([what, value], i) =>
        check(same(stored[i]?.v, value), `stored ${what} came back different`),
      )
      await db.close()
    },
  },
  {
    name: 'answers undefined where there is no row and an empty list where there are none',
    run: async (open) => {
      const db = await withTable(open)
      check(db.get(sql`select * from t where id = ${1}`) === undefined, 'a row from nowhere')
      check(db.all(sql`select * from t`).length === 0, 'rows from nowhere')
      await db.close()
    },
  },
  {
    name: 'counts the rows a statement changed',
    run: async (open) => {
      const db = await withTable(open, 'a', 'b', 'c')
      check(db.run(sql`update t set v = ${'x'} where id > ${1}`) === 2, 'the update changed two rows')
      check(db.run(sql`delete from t where id = ${99}`) === 0, 'the delete found nothing')
      await db.close()
    },
  },
  {
    name: 'keeps a statement usable however often and with whatever values it runs',
    run: async (open) => {
      const db = await withTable(open)
      for (let i = 0; i < 500; i++) db.run(sql`insert into t (v) values (${`row ${i}`})`)
      // More different statements than any cache holds.
      for (let i = 0; i < 500; i++) db.get({ text: `select ${i} as n`, values: [] })
      for (let i = 0; i < 500; i++)
        check(db.get<{ v: string }>(sql`select v from t where id = ${i + 1}`)?.v === `row ${i}`, `row ${i} is missing`)
      await db.close()
    },
  },
  {
    name: 'follows a change of the schema with statements made before it',
    run: async (open) => {
      const db = await withTable(open, 'a')
      check(count(db) === 1, 'one row')
      check('v' in (db.get<object>(sql`select * from t`) ?? {}), 'the column is there')
      db.script('alter table t add column w text')
      db.run(sql`update t set w = ${'new'}`)
      check(db.get<{ w: string }>(sql`select * from t`)?.w === 'new', 'the new column is not answered')
      await db.close()
    },
  },
  {
    name: 'rolls a transaction back when its work throws, and throws that on',
    run: async (open) => {
      const db = await withTable(open, 'kept')
      const thrown = caught(() =>
        db.transaction(() => {
          db.run(sql`insert into t (v) values (${'gone'})`)
          throw new Error('no')
        }),
      )
      check(thrown instanceof Error && thrown.message === 'no', 'another error came out')
      check(count(db) === 1, 'the row stayed')
      await db.close()
    },
  },
  {
    name: 'works on after a statement failed',
    run: async (open) => {
      const db = await withTable(open, 'a')
      for (let i = 0; i < 3; i++) {
        check(
          caught(() => db.run(sql`insert into t (id, v) values (1, ${'again'})`)) !== undefined,
          'the key was taken twice',
        )
        check(caught(() => db.all(sql`select nothing from nowhere`)) !== undefined, 'nonsense was answered')
      }
      check(db.transaction(() => db.run(sql`insert into t (v) values (${'b'})`)) === 1, 'a later transaction works')
      check(count(db) === 2, 'two rows')
      await db.close()
    },
  },
  {
    name: 'lets the work of a transaction handle a failed statement and go on',
    run: async (open) => {
      const db = await withTable(open, 'a')
      db.transaction(() => {
        check(
          caught(() => db.run(sql`insert into t (id, v) values (1, ${'again'})`)) !== undefined,
          'the key was taken twice',
        )
        db.run(sql`insert into t (v) values (${'b'})`)
      })
      check(count(db) === 2, 'two rows')
      await db.close()
    },
  },
  {
    name: 'joins a transaction inside a transaction to the outer one',
    run: async (open) => {
      const db = await withTable(open)
      const insert = () => db.transaction(() => db.run(sql`insert into t (v) values (${'inner'})`))
      caught(() =>
        db.transaction(() => {
          insert()
          throw new Error('outer')
        }),
      )
      check(count(db) === 0, 'the inner row stayed')
      check(db.transaction(() => insert() + insert()) === 2, 'values come out')
      check(count(db) === 2, 'two rows')
      await db.close()
    },
  },
  {
    name: 'leaves nothing of a rehearsal and answers what it saw',
    run: async (open) => {
      const db = await withTable(open, 'a')
      const seen = db.rehearsal(() => {
        db.run(sql`insert into t (v) values (${'b'})`)
        return db.transaction(() => count(db))
      })
      check(seen === 2, 'the rehearsal saw its row')
      check(count(db) === 1, 'the row stayed')
      await db.close()
    },
  },
  {
    name: 'takes back only a rehearsal, not the transaction it is in',
    run: async (open) => {
      const db = await withTable(open)
      db.transaction(() => {
        db.run(sql`insert into t (v) values (${'kept'})`)
        const seen = db.rehearsal(() => {
          db.run(sql`insert into t (v) values (${'gone'})`)
          return count(db)
        })
        check(seen === 2, 'the rehearsal saw both rows')
      })
      check(count(db) === 1, 'one row')
      await db.close()
    },
  },
  {
    name: 'resolves durable, with and without anything to store, alone and many at once',
    run: async (open) => {
      const db = await withTable(open)
      await db.durable()
      const all: Promise<void>[] = []
      for (let i = 0; i < 20; i++) {
        db.transaction(() => db.run(sql`insert into t (v) values (${`${i}`})`))
        all.push(db.durable())
      }
      await Promise.all(all)
      await db.durable()
      await db.close()
    },
  },
  {
    name: 'refuses to work when closed, and closes twice without a word',
    run: async (open) => {
      const db = await withTable(open)
      await db.close()
      await db.close()
      const thrown = caught(() => count(db))
      check(thrown instanceof MemoryError && thrown.code === 'CLOSED', `closed, but ${String(thrown)}`)
    },
  },
  {
    name: 'indexes text in a table without content and forgets deleted rows',
    run: async (open) => {
      const db = await open()
      db.script(
        `create virtual table words using fts5 (body, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2')`,
      )
      const texts = ['the port is 5432', 'Ana lives in Lisbon', 'der Port in Köln']
      db.transaction(() =>
        texts.forEach((text, i) => void db.run(sql`insert into words (rowid, body) values (${i + 1}, ${text})`)),
      )
      const find = (query: string) =>
        db
          .all<{ rowid: number }>(sql`select rowid from words where words match ${query} order by rowid`)
          .map(({ rowid }) => rowid)
      check(find('port').join() === '1,3', `port is in ${find('port').join()}`)
      check(find('koln').join() === '3', 'accents do not count')
      db.run(sql`delete from words where rowid = ${1}`)
      check(find('port').join() === '3', 'the deleted row is still found')
      await db.close()
    },
  },
  {
    name: 'reads JSON, as text and as a table',
    run: async (open) => {
      const db = await open()
      const row = db.get<{ a: number }>(sql`select ${'{"a":[1,2,3]}'} ->> '$.a[1]' as a`)
      check(row?.a === 2, 'the path answers')
      check(db.all(sql`select value from json_each(${'[1,"two",null]'})`).length === 3, 'three elements')
      await db.close()
    },
  },
  {
    name: 'does not let statements write into the schema',
    run: async (open) => {
      const db = await withTable(open)
      const thrown = caught(() => db.script(`pragma writable_schema = on; update sqlite_schema set sql = 'x'`))
      check(thrown !== undefined, 'the schema was written')
      await db.close()
    },
  },
  {
    name: 'holds a transaction larger than its cache, and takes it back',
    run: async (open) => {
      const db = await withTable(open, 'kept')
      const fill = () => {
        for (let i = 0; i < 120; i++) db.run(sql`insert into t (v) values (${'x'.repeat(100_000)})`)
      }
      caught(() =>
        db.transaction(() => {
          fill()
          throw new Error('no')
        }),
      )
      check(count(db) === 1, 'rows stayed')
      db.transaction(fill)
      check(count(db) === 121, 'rows are missing')
      check(db.get<{ quick_check: string }>(sql`pragma quick_check`)?.quick_check === 'ok', 'the file is damaged')
      await db.durable()
      await db.close()
    },
  },
  {
    name: 'has the rows again after closing and opening, also large ones and deleted ones',
    persistent: true,
    run: async (open) => {
      const first = await withTable(open, 'a', 'b', 'x'.repeat(50_000))
      first.transaction(() => first.run(sql`delete from t where v = ${'b'}`))
      await first.durable()
      await first.close()
      const second = await open()
      const rows = second.all<{ id: number; v: string }>(sql`select id, v from t order by id`)
      check(rows.map(({ id, v }) => `${id}:${v.length}`).join() === '1:1,3:50000', 'other rows came back')
      second.transaction(() => second.run(sql`insert into t (v) values (${'d'})`))
      await second.durable()
      await second.close()
      const third = await open()
      check(count(third) === 3, 'the row written after reopening is missing')
      check(third.get<{ quick_check: string }>(sql`pragma quick_check`)?.quick_check === 'ok', 'the file is damaged')
      await third.close()
    },
  },
]

/** A new database with a table `t` and a row per text. */
const withTable = async (open: () => Promise<Db>, ...texts: readonly string[]): Promise<Db> => {
  const db = await open()
  db.script('create table t (id integer primary key, v text) strict')
  for (const text of texts) db.run(sql`insert into t (v) values (${text})`)
  return db
}

const count = (db: Db): number => db.get<{ readonly n: number }>(sql`select count(*) as n from t`)?.n ?? -1

const caught = (work: () => unknown): unknown => {
  try {
    work()
    return undefined
  } catch (error) {
    return error
  }
}

const check = (holds: boolean, complaint: string): void => {
  if (!holds) throw new Error(complaint)
}

const same = (found: unknown, wanted: SqlValue): boolean =>
  wanted instanceof Uint8Array
    ? found instanceof Uint8Array && found.length === wanted.length && wanted.every((byte, i) => found[i] === byte)
    : Object.is(found, wanted)
