import { describe, expect, test } from 'vitest'
import type { ScopePatch } from '../../src/schema/scope.js'
import { ALICE, MALLORY, moody, open, refusal } from '../support/engine-calls.js'

const FALCON = { pattern: 'project falcon', patternType: 'substring', reason: 'under embargo' }
const LONG = 'x y '.repeat(5_000)

describe('a rule', () => {
  test('refuses what it forbids, in any spelling and any part of a write', async () => {
    const memory = await open()
    const { rule } = await memory.forbid(FALCON)
    for (const input of [
      { value: 'She works on Project FALCON.' },
      { value: 'ｐｒｏｊｅｃｔ falcon' },
      { value: { work: { name: 'Project\u00a0Falcon' } } },
      { key: 'work', value: `${LONG}project falcon${LONG}` },
      { value: 'Fine.', tags: ['project falcon'] },
      { value: 'Fine.', entities: ['Project Falcon'] },
      { value: 'Fine.', relations: [{ subject: 'Ana', predicate: 'leads', object: 'project falcon' }] },
    ])
      expect(await refusal(memory.set(input), 'BLACKLISTED')).toEqual({ patternId: rule.id })
    expect(await memory.keys()).toEqual([])
    expect((await memory.audited()).at(-1)).toMatchObject({ action: 'memory.set', outcome: 'BLACKLISTED' })
  })

  test('may be a pattern', async () => {
    const memory = await open()
    await memory.forbid({ pattern: '(?i)\\bcase-\\d{4}\\b', patternType: 'regex' })
    await refusal(memory.set({ value: `It is about CASE-2041.` }), 'BLACKLISTED')
    await refusal(memory.set({ value: `${LONG}case-2041 ${LONG}` }), 'BLACKLISTED')
    await refusal(memory.set({ key: 'notes/case-2041', value: 'Fine.' }), 'BLACKLISTED')
    await memory.set({ value: 'It is about CASE-20417.' })
  })

  test('holds for updates, pins, restatements and restores', async () => {
    const memory = await open()
    const { id } = await memory.set({ key: 'a', value: 'She leads project falcon.' })
    await memory.set({ key: 'b', value: 'He leads project falcon too.' })
    await memory.remove('b')
    await memory.forbid(FALCON)
    await refusal(memory.set({ key: 'a', value: 'She leads project falcon.' }), 'BLACKLISTED')
    await refusal(memory.update({ key: 'a', value: 'She left project falcon.' }), 'BLACKLISTED')
    await refusal(memory.updateById({ id, tags: ['project falcon'] }), 'BLACKLISTED')
    await refusal(memory.pin({ key: 'c', value: 'Nobody leads project falcon.' }), 'BLACKLISTED')
    await refusal(memory.restore('b'), 'BLACKLISTED')
    await memory.update({ key: 'a', value: 'She leads another project.' })
    expect(await memory.keys()).toEqual(['a'])
  })

  test('skips the entry of a bulk write and reports it', async () => {
    const memory = await open()
    await memory.forbid(FALCON)
    const { results, written, failed } = await memory.bulk([{ value: 'About project falcon.' }, { value: 'About nothing.' }])
    expect({ written, failed }).toEqual({ written: 1, failed: 1 })
    expect(results[0]).toMatchObject({ ok: false, index: 0, code: 'BLACKLISTED' })
  })

  test('keeps what it forbids from the embedder', async () => {
    const embedder = moody(0)
    const memory = await open({ embedder })
    await memory.forbid(FALCON)
    await refusal(memory.set({ value: 'About project falcon.' }), 'BLACKLISTED')
    expect(embedder.asked.some((text) => text.includes('falcon'))).toBe(false)
  })

  test('holds for writes that were on their way when it was added', async () => {
    const memory = await open()
    const [added, written] = await Promise.allSettled([
      memory.forbid(FALCON),
      memory.set({ value: 'About project falcon.' }),
    ])
    expect(added.status).toBe('fulfilled')
    expect(written).toMatchObject({ status: 'rejected', reason: { code: 'BLACKLISTED' } })
  })

  test('comes after lock and pin, and before the precondition', async () => {
    const memory = await open()
    await memory.pin({ key: 'a', value: 'Some words here.' })
    await memory.forbid(FALCON)
    const forbidden = { key: 'a', value: 'About project falcon.' }
    await refusal(memory.set(forbidden), 'PINNED_CONFLICT')
    await refusal(memory.update({ ...forbidden, ifMatchSha256: '0'.repeat(64) }), 'BLACKLISTED')
    await memory.lock('a', { mode: 'read_only', reason: 'x' })
    await refusal(memory.update(forbidden), 'LOCKED')
  })

  test('ends when it is removed', async () => {
    const memory = await open()
    const { rule } = await memory.forbid(FALCON)
    expect(await memory.allow(rule.id)).toEqual({ id: rule.id, removed: true, dryRun: false })
    await memory.set({ value: 'About project falcon.' })
    expect(await refusal(memory.allow(rule.id), 'NOT_FOUND')).toEqual({ id: rule.id })
    const audited = (await memory.audited()).map(({ action, outcome }) => `${action} ${outcome}`)
    expect(audited).toEqual(['blacklist.add ok', 'blacklist.remove ok', 'memory.set ok', 'blacklist.remove NOT_FOUND'])
  })

  test('is one however often it is added, and lasts', async () => {
    const memory = await open()
    const first = await memory.forbid(FALCON)
    expect(await memory.forbid(FALCON)).toMatchObject({ rule: first.rule, noop: true })
    expect(await memory.forbid({ ...FALCON, pattern: 'osprey', dryRun: true })).toMatchObject({ dryRun: true })
    const again = await open({ db: memory.db, system: memory.system })
    expect(await again.rules()).toEqual([first.rule])
    await refusal(again.set({ value: 'About project falcon.' }), 'BLACKLISTED')
  })
})

describe('a pattern that cannot be a rule', () => {
  test.each([
    ['lookaround', 'a(?=b)', 'lookaround'],
    ['a back-reference', '(a)\\1', 'back-reference'],
    ['what is not closed', '(a', 'RE2 syntax'],
    ['what is too large', '(abcde){90}', 'too large'],
    ['what matches everything', 'a*', 'everything'],
  ])('is refused for %s', async (_, pattern, word) => {
    const memory = await open()
    const { issues } = await refusal(memory.forbid({ pattern, patternType: 'regex' }), 'INVALID_ARGUMENT')
    expect(issues[0]?.path).toBe('pattern')
    expect(issues[0]?.message).toContain(word)
    expect(await memory.rules()).toEqual([])
  })

  test('is refused when it is blank', async () => {
    const memory = await open()
    await refusal(memory.forbid({ pattern: ' \u200b', patternType: 'substring' }), 'INVALID_ARGUMENT')
  })

  test('is refused when a scope has a hundred already', async () => {
    const memory = await open()
    for (let i = 0; i < 100; i++) await memory.forbid({ pattern: `word${i}`, patternType: 'substring' })
    expect(await refusal(memory.forbid(FALCON), 'QUOTA_EXCEEDED')).toEqual({ limit: 100 })
    await memory.forbid(FALCON, MALLORY)
  })
})

describe('the scope of a rule', () => {
  test('is that of the handle and the narrower ones, and never another user', async () => {
    const memory = await open()
    const value = 'About project falcon.'
    await memory.forbid(FALCON)
    await refusal(memory.set({ value }), 'BLACKLISTED')
    await refusal(memory.set({ value }, { ...ALICE, session: 's' }), 'BLACKLISTED')
    await refusal(memory.set({ value }, { ...ALICE, agent: 'x' }), 'BLACKLISTED')
    for (const scope of [MALLORY, {}, { user: null }, { ...ALICE, namespace: 'other' }, { session: 's' }] as ScopePatch[])
      await memory.set({ value }, scope)
  })

  test('may be everybody', async () => {
    const memory = await open()
    const { rule } = await memory.forbid(FALCON, {})
    for (const scope of [ALICE, MALLORY, {}, { user: null }, { user: 'bob', session: 's', agent: 'x' }] as ScopePatch[]) {
      await refusal(memory.set({ value: 'About project falcon.' }, scope), 'BLACKLISTED')
      expect(await memory.rules(scope)).toEqual([rule])
    }
    expect(await refusal(memory.allow(rule.id), 'FORBIDDEN')).toEqual({ reason: 'other_scope' })
    await memory.allow(rule.id, {})
  })

  test('decides who sees it and who may remove it', async () => {
    const memory = await open()
    const { rule } = await memory.forbid(FALCON)
    expect(rule.scope).toEqual({ org: 'local', namespace: 'default', user: 'alice' })
    expect(await memory.rules(MALLORY)).toEqual([])
    expect(await memory.rules({})).toEqual([])
    expect(await memory.rules({ user: '' })).toEqual([])
    await refusal(memory.allow(rule.id, MALLORY), 'NOT_FOUND')
    await refusal(memory.allow(rule.id, {}), 'NOT_FOUND')
    await refusal(memory.forbid(FALCON, { user: '*' }), 'FORBIDDEN')
    expect(await memory.rules()).toEqual([rule])
  })
})

describe('a sweep', () => {
  test('deletes what matches, leaves what is guarded, and counts both', async () => {
    const memory = await open()
    for (const [i, key] of ['a', 'b', 'c', 'd', 'e'].entries())
      await memory.set({ key, value: `Note ${i} is about project falcon.`, type: 'episodic' })
    await memory.set({ key: 'f', value: 'Unrelated words.' })
    await memory.set({ key: 'a', value: 'Note 0 is about project falcon.', type: 'episodic' }, MALLORY)
    await memory.pin({ key: 'b', value: 'Note 1 is about project falcon.' })
    await memory.lock('c', { mode: 'no_delete', reason: 'x' })
    await memory.lock('d', { mode: 'read_only', reason: 'x', ttlSeconds: 1 })
    memory.system.advance(5_000)
    const { sweep, rule } = await memory.forbid({ ...FALCON, sweep: true })
    expect(sweep).toEqual({ tombstoned: 3, kept: 2, unchecked: 0, cut: false })
    expect(await memory.keys({ type: 'episodic' })).toEqual(['b', 'c'])
    expect(await memory.get('f')).not.toBeNull()
    expect(await memory.get('a', MALLORY)).not.toBeNull()
    expect(await memory.found('falcon')).toEqual([])
    expect((await memory.history('a'))[0]).toMatchObject({ status: 'tombstoned', kind: 'tomb' })
    expect(memory.events.filter(({ key }) => key === 'e')).toHaveLength(2)
    // Added again, it goes on where it left off.
    await memory.unlock('c')
    expect(await memory.forbid({ ...FALCON, sweep: true })).toMatchObject({
      rule: { id: rule.id },
      noop: true,
      sweep: { tombstoned: 1, kept: 1 },
    })
  })

  test('of a wide scope reaches the narrower ones, and keeps each row where it belongs', async () => {
    const memory = await open()
    await memory.set({ key: 'a', value: 'Alice on project falcon.' })
    await memory.set({ key: 'a', value: 'Mallory on project falcon.' }, { ...MALLORY, session: 's' })
    await memory.set({ key: 'a', value: 'Other on project falcon.' }, { namespace: 'other' })
    const { sweep } = await memory.forbid({ ...FALCON, sweep: true }, {})
    expect(sweep).toMatchObject({ tombstoned: 2 })
    expect(await memory.get('a')).toBeNull()
    expect((await memory.history('a', { ...MALLORY, session: 's' }))[0]?.scope).toMatchObject({
      user: 'mallory',
      session: 's',
    })
    expect(await memory.get('a', { namespace: 'other' })).not.toBeNull()
  })

  test('finds patterns, and sensitive memories too', async () => {
    const memory = await open()
    await memory.set({ key: 'a', value: 'It was case-2041.', sensitivity: 'high' })
    const { sweep } = await memory.forbid({ pattern: 'case-\\d{4}', patternType: 'regex', sweep: true })
    expect(sweep).toMatchObject({ tombstoned: 1 })
  })

  test('is rehearsed', async () => {
    const memory = await open()
    await memory.set({ key: 'a', value: 'About project falcon.' })
    expect(await memory.forbid({ ...FALCON, sweep: true, dryRun: true })).toMatchObject({
      sweep: { tombstoned: 1 },
      dryRun: true,
    })
    expect(await memory.keys()).toEqual(['a'])
    expect(await memory.rules()).toEqual([])
  })

  test('ends after a thousand and says that it was cut', async () => {
    const memory = await open()
    const entries = Array.from({ length: 1_050 }, (_, i) => ({ key: `n/${i}`, value: `falcon ${i}`, type: 'episodic' }))
    await memory.bulk(entries)
    const rule = { pattern: 'falcon', patternType: 'substring', sweep: true }
    expect((await memory.forbid(rule)).sweep).toEqual({ tombstoned: 1_000, kept: 0, unchecked: 0, cut: true })
    expect((await memory.forbid(rule)).sweep).toEqual({ tombstoned: 50, kept: 0, unchecked: 0, cut: false })
  }, 60_000)
})
