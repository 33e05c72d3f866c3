import type { LiveSnapshot, Memory } from '../../src/protocol/api.js'

/** One promise of the library, checked against an empty store. Runs in Node and in a page, so it brings its own assertions. */
export interface MemoryCase {
  readonly name: string
  readonly run: (memory: Memory) => Promise<void>
}

const same = (found: unknown, expected: unknown, what: string): void => {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)]
  if (a !== b) throw new Error(`${what}: found ${a}, expected ${b}`)
}

const codeOf = async (work: () => Promise<unknown> | unknown): Promise<string> => {
  try {
    await work()
    return 'no error'
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}

/** Waits for a snapshot that satisfies, or fails after a while with the last one. */
const snapshotWith = (
  memory: Memory,
  target: Parameters<Memory['live']>[0],
  act: () => Promise<unknown>,
  fits: (snapshot: LiveSnapshot) => boolean,
): Promise<LiveSnapshot> =>
  new Promise((resolve, reject) => {
    let acted = false
    const late = setTimeout(() => reject(new Error(`no such snapshot; last: ${JSON.stringify(live.getSnapshot())}`)), 10_000)
    const live = memory.live(target, (snapshot) => {
      if (!acted) {
        acted = true
        act().catch(reject)
      } else if (fits(snapshot)) {
        clearTimeout(late)
        live.unsubscribe()
        resolve(snapshot)
      }
    })
  })

export const memoryContract: readonly MemoryCase[] = [
  {
    name: 'answers with the newest value of a key and keeps the one before',
    run: async (memory) => {
      const alice = memory.scope({ user: 'alice' })
      const first = await alice.set({ key: 'user/home/city', value: 'Alice lives in Delhi.' })
      const second = await alice.set({ key: 'user/home/city', value: 'Alice lives in Berlin.' })
      same(second.id, first.id, 'one memory')
      same(BigInt(second.version) > BigInt(first.version), true, 'a higher version')
      same((await alice.get('user/home/city'))?.value, 'Alice lives in Berlin.', 'get')
      const history = await alice.history('user/home/city')
      same(
        history.map(({ value }) => value),
        ['Alice lives in Berlin.', 'Alice lives in Delhi.'],
        'history',
      )
      same(history[0]?.prevSha256, history[1]?.sha256, 'the chain')
      same(history[0]?.parents, [history[1]?.rowId], 'the parents')
    },
  },
  {
    name: 'finds by words and by meaning, and says nothing when nothing fits',
    run: async (memory) => {
      const alice = memory.scope({ user: 'alice' })
      await alice.set({ key: 'user/home/city', value: 'Alice lives in Berlin.' })
      await alice.set({ key: 'user/pet', value: 'Her cat is called Mia.' })
      const found = await alice.search('where does Alice live?')
      same(found.hits[0]?.key, 'user/home/city', 'the best hit')
      same(found.abstained, false, 'no abstention')
      const nothing = await alice.search('quarterly zirconium futures')
      same([nothing.abstained, nothing.hits.length, nothing.abstainCode], [true, 0, 'nothing_close'], 'abstention')
      same((await alice.search('   ')).abstainCode, 'empty_query', 'a blank query')
      same((await memory.scope({ user: 'nobody' }).search('Alice')).abstainCode, 'nothing_stored', 'an empty scope')
    },
  },
  {
    name: "keeps one user's memories from another, in every read",
    run: async (memory) => {
      const alice = memory.scope({ user: 'alice' })
      const bob = memory.scope({ user: 'bob' })
      const { id } = await alice.set({ key: 'user/secret', value: 'Alice hides the key in the blue tin.' })
      await memory.set({ key: 'team/hours', value: 'Support answers within a day.' })
      await bob.set({ key: 'user/pet', value: 'Bob has a dog called Rex.' })
      same(await bob.get('user/secret'), null, 'get')
      same(await bob.getById(id), null, 'getById')
      same(await bob.history('user/secret'), [], 'history')
      same((await bob.list()).rows.map(({ key }) => key).sort(), ['team/hours', 'user/pet'], 'list')
      same(
        (await bob.search('who hides the key in the blue tin?')).hits.map(({ key }) => key).includes('user/secret'),
        false,
        'search',
      )
      same(
        (await memory.list()).rows.map(({ key }) => key),
        ['team/hours'],
        'a handle without a user',
      )
      same(await codeOf(() => bob.updateById({ id, value: 'changed by somebody else' })), 'NOT_FOUND', 'updateById')
      same((await memory.scope({ user: '' }).list()).rows, [], 'an empty id reads nothing')
      same(
        await codeOf(() => memory.scope({ user: '' }).set({ value: 'nobody says this' })),
        'INVALID_ARGUMENT',
        'nor writes',
      )
      same((await memory.scope({ user: '*' }).list()).rows.length, 3, "'*' reads across users")
      same(
        await codeOf(() => memory.scope({ user: '*' }).set({ value: 'everybody says this' })),
        'FORBIDDEN',
        'and never writes',
      )
    },
  },
  {
    name: 'counts a restatement and merges the same words, whatever their bytes',
    run: async (memory) => {
      const value = 'Zoë met José in Kraków'
      const first = await memory.set({ value: value.normalize('NFC') })
      const second = await memory.set({ value: value.normalize('NFD') })
      const third = await memory.set({ key: 'other/key', value: 'zoë met josé in kraków.' })
      same([first.verdict, second.verdict, third.verdict], ['clear', 'merge', 'merge'], 'verdicts')
      same(third.mergedIntoKey, first.key, 'the key it went to')
      const row = await memory.get(first.key)
      same([row?.reinforcementCount, row?.value], [3, value.normalize('NFC')], 'count and bytes')
      same(await memory.get('other/key'), null, 'nothing new')
    },
  },
  {
    name: 'keeps equal bare values under two keys as two facts',
    run: async (memory) => {
      await memory.set({ key: 'user/theme', value: 'dark' })
      const second = await memory.set({ key: 'editor/theme', value: 'dark' })
      same(second.verdict, 'clear', 'verdict')
      same((await memory.list()).rows.length, 2, 'rows')
    },
  },
  {
    name: 'corrects by key and by id, carrying the rest forward',
    run: async (memory) => {
      const { id } = await memory.set({ key: 'user/city', value: 'Alice lives in Berlin.', tags: ['home'], confidence: 0.5 })
      await memory.update({ key: 'user/city', confidence: 0.9 })
      const row = await memory.get('user/city')
      same([row?.value, row?.tags, row?.confidence], ['Alice lives in Berlin.', ['home'], 0.9], 'after update')
      const after = await memory.updateById({ id, value: 'Alice lives in Rome.' })
      same((await memory.getById(id))?.value, 'Alice lives in Rome.', 'after updateById')
      same(await codeOf(() => memory.update({ key: 'no/such', value: 'x y z.' })), 'NOT_FOUND', 'nothing there')
      same(
        await codeOf(() => memory.set({ key: 'user/city', value: 'Alice lives in Oslo.', ifMatchSha256: '0'.repeat(64) })),
        'PRECONDITION_FAILED',
        'a stale hash',
      )
      const matched = await memory.set({
        key: 'user/city',
        value: 'Alice lives in Oslo.',
        ifMatchSha256: after.contentSha256,
      })
      same(matched.status, 'active', 'a matching hash')
    },
  },
  {
    name: 'deletes and restores, in get, list and search alike',
    run: async (memory) => {
      await memory.set({ key: 'tent/lent', value: 'Wren lent the tent to Bashir.' })
      same((await memory.delete('tent/lent')).found, true, 'found')
      same([await memory.get('tent/lent'), (await memory.list()).rows.length], [null, 0], 'gone')
      same((await memory.search('tent Bashir')).hits, [], 'from search too')
      same((await memory.delete('tent/lent')).found, false, 'twice')
      same((await memory.restore('tent/lent')).status, 'active', 'restored')
      await memory.settled()
      same((await memory.search('who has the tent of Wren?')).hits[0]?.key, 'tent/lent', 'found again')
      same(await codeOf(() => memory.restore('tent/lent')), 'PRECONDITION_FAILED', 'a live memory is in the way')
      same(await codeOf(() => memory.restore('no/such')), 'NOT_FOUND', 'nothing was there')
      same(
        (await memory.history('tent/lent')).map(({ kind }) => kind),
        ['restore', 'tomb', 'set'],
        'history',
      )
    },
  },
  {
    name: 'writes many and reports each bad one',
    run: async (memory) => {
      const { results, written, failed } = await memory.bulkSet([
        { key: 'a/one', value: 'The first of the statements.' },
        { key: 'not//a/key', value: 'The second of the statements.' },
        { key: 'a/three', value: 'The third of the statements.' },
      ])
      same([written, failed, results[1]?.ok], [2, 1, false], 'counts')
      same((await memory.list({ keyPrefix: 'a/' })).rows.map(({ key }) => key).sort(), ['a/one', 'a/three'], 'rows')
    },
  },
  {
    name: 'answers a repeated write with the first result',
    run: async (memory) => {
      const first = await memory.set({ key: 'a/b', value: 'Said once and for all.', idempotencyKey: 'w1' })
      const again = await memory.set({ key: 'a/b', value: 'Something else altogether.', idempotencyKey: 'w1' })
      same(again, first, 'the result')
      same((await memory.history('a/b')).length, 1, 'versions')
    },
  },
  {
    name: 'rehearses a write without writing',
    run: async (memory) => {
      const rehearsed = await memory.set({ key: 'a/b', value: 'Only a question.', dryRun: true })
      same([rehearsed.dryRun, rehearsed.verdict], [true, 'clear'], 'the answer')
      same(await memory.get('a/b'), null, 'the store')
      same((await memory.set({ key: 'a/b', value: 'Only a question.' })).verdict, 'clear', 'the write after it')
    },
  },
  {
    name: 'pages through a list without loss or repeat',
    run: async (memory) => {
      await memory.bulkSet(Array.from({ length: 25 }, (_, i) => ({ key: `n/${i}`, value: `Statement ${i} of the list.` })))
      const keys: string[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await memory.list({ limit: 10, ...(cursor === undefined ? {} : { cursor }) })
        keys.push(...page.rows.map(({ key }) => key))
        cursor = page.nextCursor
      }
      same([keys.length, new Set(keys).size], [25, 25], 'keys')
    },
  },
  {
    name: 'tells live queries of a key, a filter and a search what changed',
    run: async (memory) => {
      await memory.set({ key: 'user/city', value: 'Alice lives in Delhi.' })
      const change = () => memory.set({ key: 'user/city', value: 'Alice lives in Berlin.' })
      const byKey = await snapshotWith(
        memory,
        { key: 'user/city' },
        change,
        ({ rows }) => rows[0]?.value === 'Alice lives in Berlin.',
      )
      same([byKey.changed.length, byKey.added.length], [1, 0], 'a key')
      const add = () => memory.set({ key: 'user/pet', value: 'Alice has a cat called Mia.' })
      const byFilter = await snapshotWith(memory, { keyPrefix: 'user/' }, add, ({ rows }) => rows.length === 2)
      same(
        byFilter.added.map(({ key }) => key),
        ['user/pet'],
        'a filter',
      )
      const drop = () => memory.delete('user/pet')
      const bySearch = await snapshotWith(memory, { query: 'a cat called Mia' }, drop, ({ removed }) => removed.length === 1)
      same(
        bySearch.rows.some(({ key }) => key === 'user/pet'),
        false,
        'a search',
      )
    },
  },
  {
    name: 'iterates a live query until it is left',
    run: async (memory) => {
      const seen: unknown[] = []
      for await (const { rows } of memory.live({ key: 'a/b' })) {
        seen.push(rows[0]?.value ?? null)
        if (seen.length === 2) break
        await memory.set({ key: 'a/b', value: 'The second snapshot shows it.' })
      }
      same(seen, [null, 'The second snapshot shows it.'], 'snapshots')
    },
  },
  {
    name: 'names the bad field and never its value',
    run: async (memory) => {
      try {
        await memory.set({ key: 'a//secret-key', value: 'fine' })
        throw new Error('it was accepted')
      } catch (error) {
        const { code, message, details } = error as {
          code?: string
          message: string
          details?: { issues: { path: string }[] }
        }
        same(
          [code, details?.issues[0]?.path, message.includes('secret-key')],
          ['INVALID_ARGUMENT', 'key', false],
          'the error',
        )
      }
      same(await codeOf(() => memory.get('a/b', { nonsense: 1 } as never)), 'INVALID_ARGUMENT', 'an unknown option')
      same(await codeOf(() => memory.scope({ user: 7 as never })), 'INVALID_ARGUMENT', 'an id that is no string')
      same(await codeOf(() => memory.scope({ user: 'a' }).scope({ user: 'b' })), 'FORBIDDEN', 'widening')
    },
  },
  {
    name: 'keeps what is pinned and what is locked',
    run: async (memory) => {
      const alice = memory.scope({ user: 'alice' })
      const key = 'user/allergy'
      await alice.pin({ key, value: 'Alice is allergic to peanuts.' })
      const other = { key, value: 'Alice may eat anything.' }
      same(await codeOf(() => alice.set(other)), 'PINNED_CONFLICT', 'a set')
      same((await alice.set({ ...other, onPinned: 'propose' })).status, 'proposed', 'a proposal')
      await alice.lock(key, { mode: 'no_delete', reason: 'needed' })
      same(await codeOf(() => alice.delete(key)), 'LOCKED', 'a deletion')
      await alice.unlock(key)
      await alice.unpin({ key })
      same((await alice.set(other)).status, 'active', 'a set once nothing keeps it')
    },
  },
  {
    name: 'keeps out what is on the blacklist, by text and by pattern',
    run: async (memory) => {
      const alice = memory.scope({ user: 'alice' })
      await alice.set({ key: 'work', value: 'Alice works on project falcon.' })
      const { rule, sweep } = await alice.blacklist.add({ pattern: 'Falcon', patternType: 'substring', sweep: true })
      same(sweep?.tombstoned, 1, 'what was swept')
      await alice.blacklist.add({ pattern: '\\bcase-\\d{4}\\b', patternType: 'regex' })
      same(await codeOf(() => alice.set({ value: 'About FALCON.' })), 'BLACKLISTED', 'a text')
      same(await codeOf(() => alice.set({ value: 'About case-2041.' })), 'BLACKLISTED', 'a pattern')
      same(
        await codeOf(() => alice.blacklist.add({ pattern: 'a(?=b)', patternType: 'regex' })),
        'INVALID_ARGUMENT',
        'a lookahead',
      )
      await alice.blacklist.remove({ id: rule.id })
      same((await alice.blacklist.list()).length, 1, 'rules left')
      await alice.set({ value: 'About FALCON.' })
      await memory.scope({ user: 'bob' }).set({ value: 'About case-2041.' })
    },
  },
  {
    name: 'rejects what was aborted',
    run: async (memory) => {
      const abort = new AbortController()
      abort.abort()
      same(await codeOf(() => memory.search('anything', { signal: abort.signal })), 'ABORTED', 'before it began')
    },
  },
  {
    name: 'rejects calls after closing',
    run: async (memory) => {
      const alice = memory.scope({ user: 'alice' })
      await memory.close()
      same([await codeOf(() => memory.get('a')), await codeOf(() => alice.get('a'))], ['CLOSED', 'CLOSED'], 'codes')
    },
  },
]
