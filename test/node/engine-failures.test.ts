import { describe, expect, test } from 'vitest'
import { MemoryError } from '../../src/protocol/errors.js'
import type { SearchResult } from '../../src/schema/records.js'
import type { Db } from '../../worker/ports.js'
import { rowOf } from '../../worker/store/devices.js'
import { sql } from '../../worker/store/sql.js'
import { openTestDb } from '../support/engine.js'
import { ALICE, MALLORY, moody, open, refusal } from '../support/engine-calls.js'
import { dump, valueOf } from '../support/store.js'

describe('when embedding fails', () => {
  test('nothing is written', async () => {
    const embedder = moody(1)
    const { set, get, db } = await open({ embedder })
    const before = dump(db)
    const details = await refusal(set({ key: 'user/a', value: 'Alice likes green tea.' }), 'EMBEDDING_FAILED')
    expect(details).toEqual({ embedder: embedder.id, cause: 'test' })
    expect(dump(db)).toEqual(before)
    expect(await get('user/a')).toBeNull()
    expect(await set({ key: 'user/a', value: 'Alice likes green tea.' })).toMatchObject({ status: 'active' })
  })

  test('each entry of a bulk write fails or waits, as it asked', async () => {
    const { bulk, keys, found, settled } = await open({ embedder: moody(1) })
    const answer = await bulk([
      { key: 'user/a', value: 'Alice likes green tea.' },
      { key: 'user/b', value: 'Bob likes green tea.', onEmbedFailure: 'queue' },
      { key: 'user/c', value: 'Carol likes green tea.', type: 'episodic' },
    ])
    expect(answer.results).toMatchObject([
      { ok: false, index: 0, code: 'EMBEDDING_FAILED' },
      { ok: true, key: 'user/b', degraded: ['unjudged', 'unembedded'] },
      { ok: true, key: 'user/c', degraded: [] },
    ])
    expect(await keys()).toEqual(['user/b', 'user/c'])
    await settled()
    expect(await found('green tea', { legs: ['vector'] })).toEqual(['user/b'])
  })

  test('what may wait is stored at once, found by its words, and by its meaning once the embedder is back', async () => {
    const embedder = moody(1)
    const { set, get, found, settled, db } = await open({ embedder })
    const answer = await set({ key: 'user/a', value: 'Alice likes green tea.', onEmbedFailure: 'queue' })
    expect(answer).toMatchObject({ status: 'active', degraded: ['unjudged', 'unembedded'], chunksWritten: 1 })
    expect(await get('user/a')).not.toBeNull()
    expect(await found('green tea', { legs: ['lexical'] })).toEqual(['user/a'])
    await settled()
    expect(await found('green tea', { legs: ['vector'] })).toEqual(['user/a'])
    expect(valueOf(db, sql`select count(*) from vectors`)).toBe(1)
    expect(await found('green tea', {}, MALLORY)).toEqual([])
  })

  test('what was counted or moved meanwhile still gets its vector', async () => {
    const embedder = moody(1)
    const { set, found, settled } = await open({ embedder })
    await set({ key: 'user/a', value: 'Alice likes green tea.', onEmbedFailure: 'queue' })
    // Restated while the background waits for its vectors.
    await set({ key: 'user/a', value: 'Alice likes green tea.' })
    await settled()
    expect(await found('green tea', { legs: ['vector'] })).toEqual(['user/a'])
  })

  test('what was deleted meanwhile gets none', async () => {
    const embedder = moody(1)
    const { set, remove, settled, db } = await open({ embedder })
    await set({ key: 'user/a', value: 'Alice likes green tea.', onEmbedFailure: 'queue' })
    await remove('user/a')
    await settled()
    expect(valueOf(db, sql`select count(*) from vectors`)).toBe(0)
    expect(valueOf(db, sql`select count(*) from passages`)).toBe(0)
  })

  test('search answers by words alone and says so', async () => {
    const embedder = moody(0)
    const { set, call } = await open({ embedder })
    await set({ key: 'user/a', value: 'Alice likes green tea.' })
    embedder.fail(1)
    const answer = await call<SearchResult>('memory.search', { query: 'tea' }, ALICE)
    expect(answer).toMatchObject({ degraded: ['vector'], abstained: false })
    expect(answer.hits.map(({ key }) => key)).toEqual(['user/a'])
  })
})

describe('a write that is rolled back', () => {
  /** A database whose next write of an audit row, the last step of every write, fails. */
  const failingAtTheEnd = (db: Db) => {
    let armed = false
    return {
      arm: () => {
        armed = true
      },
      db: {
        ...db,
        run: (statement: Parameters<Db['run']>[0]) => {
          if (!armed || !statement.text.startsWith('insert into audit')) return db.run(statement)
          armed = false
          throw new MemoryError('STORAGE_FULL', 'full', { usage: null, quota: null })
        },
      },
    }
  }

  test('leaves what is kept in memory as it was: numbers, identities, vectors, what is offered', async () => {
    const failing = failingAtTheEnd(await openTestDb())
    const memory = await open({ db: failing.db })
    await memory.set({ key: 'user/a', value: 'Alice likes green tea.' })
    await memory.set({ key: 'user/c', value: 'Carol likes cold milk.' })
    const before = dump(memory.db)
    const newcomer = { user: 'newcomer' }
    for (const write of [
      () => memory.set({ key: 'user/b', value: 'Bob likes black coffee.' }),
      () => memory.set({ key: 'user/a', value: 'Alice likes red wine.' }),
      () => memory.set({ key: 'user/b', value: 'Bob likes black coffee.' }, newcomer),
      () => memory.update({ key: 'user/a', type: 'reflection' }),
      () => memory.remove('user/a'),
      () =>
        memory.bulk([
          { key: 'user/a', value: 'one' },
          { key: 'user/d', value: 'two' },
        ]),
    ]) {
      failing.arm()
      await refusal(write(), 'STORAGE_FULL')
      expect(dump(memory.db)).toEqual(before)
      expect(await memory.found('green tea', { legs: ['vector'] })).toEqual(['user/a'])
      expect(await memory.found('black coffee', { legs: ['vector'] })).toEqual([])
      expect(await memory.keys({}, newcomer)).toEqual([])
    }
    expect(memory.events).toHaveLength(2)
    await memory.set({ key: 'user/b', value: 'Bob likes black coffee.' }, newcomer)
    expect(memory.db.all(sql`select row, dseq, memory, identity from versions order by row`)).toEqual([
      { row: rowOf(1, 1), dseq: 1, memory: 1, identity: 1 },
      { row: rowOf(1, 2), dseq: 2, memory: 2, identity: 1 },
      { row: rowOf(1, 3), dseq: 3, memory: 3, identity: 2 },
    ])
    expect(await memory.found('black coffee', { legs: ['vector'] }, newcomer)).toEqual(['user/b'])
  })

  test('by a worker that no longer leads changes nothing', async () => {
    const first = await open()
    await first.set({ key: 'user/a', value: 'one' })
    const second = await open({ db: first.db, system: first.system, deviceIdOutside: first.engine.deviceId })
    await refusal(first.set({ key: 'user/a', value: 'two' }), 'OWNER_CHANGED')
    expect((await second.get('user/a'))?.value).toBe('one')
    expect(await second.set({ key: 'user/a', value: 'three' })).toMatchObject({ status: 'active' })
  })
})

describe('the audit', () => {
  test('has a row for every write and every refused one, and holds hashes only', async () => {
    const { set, update, updateById, remove, restore, bulk, audited } = await open()
    const shared = await set({ key: 'shared/sesame', value: 'sesame opens' }, {})
    await set({ key: 'user/sesame', value: 'sesame opens the cave', tags: ['sesame'] })
    await update({ key: 'user/sesame', confidence: 0.5 })
    await refusal(set({ key: 'user/sesame', value: 'sesame', ifMatchSha256: '0'.repeat(64) }), 'PRECONDITION_FAILED')
    await refusal(update({ key: 'user/no-sesame', value: 'sesame' }), 'NOT_FOUND')
    await refusal(updateById({ id: shared.id, value: 'sesame' }), 'FORBIDDEN')
    await refusal(set({ key: 'user/sesame', value: 'sesame' }, { user: '*' }), 'FORBIDDEN')
    await refusal(set({ key: 'user/sesame', value: 'sesame' }, { user: '' }), 'INVALID_ARGUMENT')
    await remove('user/sesame')
    await restore('user/sesame')
    await bulk([{ key: 'user/sesame', value: 'sesame closes the cave' }])
    const rows = await audited()
    expect(rows.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      'memory.set ok',
      'memory.set ok',
      'memory.update ok',
      'memory.set PRECONDITION_FAILED',
      'memory.update NOT_FOUND',
      'memory.updateById FORBIDDEN',
      'memory.set FORBIDDEN',
      'memory.set INVALID_ARGUMENT',
      'memory.delete ok',
      'memory.restore ok',
      'memory.bulkSet ok',
    ])
    expect(JSON.stringify(rows)).not.toContain('sesame')
    for (const { key_hash } of rows) if (key_hash !== null) expect(key_hash).toMatch(/^[0-9a-f]{32}$/)
  })
})

describe('changes', () => {
  test('are told after the commit, without any value', async () => {
    const { set, remove, events } = await open()
    const { id } = await set({ key: 'user/a', value: 'Alice likes green tea.' })
    await remove('user/a')
    await refusal(set({ key: 'user/a', value: 'x', ifMatchSha256: '0'.repeat(64) }), 'PRECONDITION_FAILED')
    const scope = { org: 'local', namespace: 'default', user: 'alice' }
    expect(events).toEqual([
      { key: 'user/a', id, scope },
      { key: 'user/a', id, scope },
    ])
  })
})
