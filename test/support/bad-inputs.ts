import type { Memory } from '../../src/index.js'

/** Stands in for what must never be repeated in an error. */
export const SECRET = 'S3CRET'

export interface Refusal {
  readonly title: string
  /** The field that the error must name. */
  readonly field: string
  readonly code: string | undefined
  readonly message: string
  /** Fields that it names. */
  readonly paths: readonly string[]
  /** What was said in all, to look for the value in. */
  readonly said: string
}

/** Runs in the page, on the store open as `memory`: every bad input, with what became of it. */
export const tryBadInputs = async (): Promise<readonly Refusal[]> => {
  const secret = 'S3CRET'
  type Case = readonly [title: string, field: string, work: () => unknown]
  const cases: Case[] = []
  const it = (title: string, field: string, work: () => unknown): void => void cases.push([title, field, work])
  // What a careless caller passes has no type.
  const any = memory as unknown as Record<keyof Memory, (...given: unknown[]) => unknown>
  const scoped = (patch: unknown) => any.scope(patch) as typeof any

  const keys: Record<string, unknown> = {
    empty: '',
    'with a leading slash': '/a',
    'with a trailing slash': 'a/',
    'with an empty segment': 'a//b',
    'with a space': `a ${secret}`,
    'with NUL': `a\0${secret}`,
    'with a line break': `a\n${secret}`,
    'with a lone surrogate': `${secret}\ud800`,
    'too long': 'x'.repeat(600),
    'of 5 MB': secret.repeat(900_000),
    'too deep': 'a/b/c/d/e/f/g/h/i',
    'that is a number': 5,
    'that is null': null,
    'that is an object': { toString: secret },
    'that is an array': [secret],
    'that is a date': new Date(0),
  }
  for (const [title, key] of Object.entries(keys)) {
    it(`set: a key ${title}`, 'key', () => any.set({ key, value: 1 }))
    it(`update: a key ${title}`, 'key', () => any.update({ key, value: 1 }))
    it(`get: a key ${title}`, 'key', () => any.get(key))
    it(`history: a key ${title}`, 'key', () => any.history(key))
    it(`delete: a key ${title}`, 'key', () => any.delete(key))
    it(`restore: a key ${title}`, 'key', () => any.restore(key))
  }
  for (const call of ['get', 'history', 'delete', 'restore', 'update'] as const)
    it(`${call}: no key`, 'key', () => any[call](...(call === 'update' ? [{ value: 1 }] : [])))
  it('get: a symbol as key', 'key', () => any.get(Symbol(secret)))
  it('get: a function as key', 'key', () => any.get(() => secret))

  for (const [title, id] of Object.entries({
    'a number': 5,
    null: null,
    'an empty text': '',
    'some text': secret,
    'an object': {},
    'a long text': 'A'.repeat(1e6),
  })) {
    it(`getById: ${title}`, 'id', () => any.getById(id))
    it(`updateById: ${title}`, 'id', () => any.updateById({ id, value: 1 }))
  }
  it('updateById: a key beside the id', 'key', () => any.updateById({ id: '01KDVDNA00HT37Q95MD5VKCNMM', key: 'a' }))

  const cyclic: Record<string, unknown> = { name: secret }
  cyclic['self'] = cyclic
  let deep: unknown = secret
  for (let i = 0; i < 100; i++) deep = { deep }
  let deeper: unknown = secret
  for (let i = 0; i < 3_000; i++) deeper = [deeper]
  let shared: unknown = [secret]
  for (let i = 0; i < 40; i++) shared = [shared, shared]
  const values: Record<string, readonly [unknown, string]> = {
    'that is undefined': [undefined, 'value'],
    'that is NaN': [Number.NaN, 'value'],
    'that is infinite': [-Infinity, 'value'],
    'that is a bigint': [10n, 'value'],
    'that is a function': [() => secret, 'value'],
    'that is a symbol': [Symbol(secret), 'value'],
    'that is a map': [new Map([[secret, 1]]), 'value'],
    'that is a set': [new Set([secret]), 'value'],
    'that is a date': [new Date(0), 'value'],
    'that is a pattern': [/x/, 'value'],
    'that is an error': [new Error(secret), 'value'],
    'that is bytes': [new Uint8Array(3), 'value'],
    'that is a promise': [Promise.resolve(secret), 'value'],
    'that is a boxed text': [new String(secret), 'value'],
    'that is an element': [document.body, 'value'],
    'that refers to itself': [cyclic, 'value.self'],
    'with __proto__': [JSON.parse(`{"__proto__": {"polluted": "${secret}"}}`), 'value.__proto__'],
    'with __proto__ inside': [[JSON.parse(`{"a": {"__proto__": "${secret}"}}`)], 'value.0.a.__proto__'],
    'with NaN inside': [{ a: [1, { b: Number.NaN }] }, 'value.a.1.b'],
    'with undefined inside': [{ a: undefined }, 'value.a'],
    'with a hole': [[1, , 3], 'value.1'],
    'with a function inside': [{ a: [{ call: () => secret }] }, 'value.a.0.call'],
    'with a date inside': [{ at: new Date(0) }, 'value.at'],
    'with a bigint inside': [[1n], 'value.0'],
    'nested too deep': [deep, 'value'],
    'nested far too deep': [deeper, 'value'],
    'of 5 MB': [secret.repeat(900_000), 'value'],
    'of 5 MB in parts': [Array.from({ length: 50_000 }, (_, i) => `${secret}${i} `.repeat(10)), 'value'],
    'with a lone surrogate': [`${secret}\ud800`, 'value'],
    'with a lone surrogate in a name': [{ 'a\udc00': 1 }, 'value'],
    'of few parts that stand for many': [shared, 'value'],
    'that is blank': [' \n\t', 'value'],
    'that is empty': ['', 'value'],
  }
  for (const [title, [value, field]] of Object.entries(values)) {
    it(`set: a value ${title}`, field, () => any.set({ key: 'bad', value }))
    if (value !== undefined) it(`update: a value ${title}`, field, () => any.update({ key: 'there', value }))
  }
  it('set: no value', 'value', () => any.set({ key: 'bad' }))
  it('set: __proto__ beside the value', '__proto__', () =>
    any.set(JSON.parse(`{"key": "bad", "value": 1, "__proto__": {"polluted": "${secret}"}}`)),
  )
  it('set: constructor beside the value', 'constructor', () =>
    any.set(JSON.parse(`{"key": "bad", "value": 1, "constructor": {"prototype": {"polluted": "${secret}"}}}`)),
  )

  const fields: Record<string, readonly unknown[]> = {
    type: ['', 5, `a\0`, 'x'.repeat(600), null],
    tags: [secret, [1], [''], Array.from({ length: 65 }, (_, i) => `t${i}`), [null], { length: 2 }, ['\ud800']],
    entities: [[{}], 'x'],
    relations: [[{ subject: 'a' }], [{ subject: 'a', predicate: 'b', object: 'c', more: secret }], 'x'],
    files: [[5]],
    confidence: [2, -1, '0.5', Number.NaN, null],
    validAt: ['yesterday', 5, '2026-13-01T00:00:00Z', '2026-02-30', new Date(0)],
    expiresAt: ['soon', Number.MAX_VALUE],
    ttlSeconds: [0, -1, '60', Number.POSITIVE_INFINITY],
    onExpire: ['explode'],
    sourceClass: ['asserted', 'root', 5],
    sensitivity: ['secret', true],
    ifMatchSha256: ['', 'x', 'A'.repeat(64), 5],
    idempotencyKey: ['', 5, 'x'.repeat(201), '\ud800'],
    dryRun: ['yes', 1, null],
    onEmbedFailure: ['ignore'],
  }
  for (const [field, bad] of Object.entries(fields))
    bad.forEach((value, i) => {
      it(`set: ${field} ${i}`, field, () => any.set({ key: 'bad', value: 1, [field]: value }))
      it(`update: ${field} ${i}`, field, () => any.update({ key: 'there', [field]: value }))
    })
  it('set: two expiries', 'ttlSeconds', () =>
    any.set({ key: 'bad', value: 1, expiresAt: '2030-01-01T00:00:00Z', ttlSeconds: 5 }),
  )

  const unknown = { sudo: secret }
  it('set: an unknown option', 'sudo', () => any.set({ key: 'bad', value: 1, ...unknown }))
  it('update: an unknown option', 'sudo', () => any.update({ key: 'there', value: 1, ...unknown }))
  it('updateById: an unknown option', 'sudo', () =>
    any.updateById({ id: '01KDVDNA00HT37Q95MD5VKCNMM', value: 1, ...unknown }),
  )
  it('bulkSet: an unknown option', 'sudo', () => any.bulkSet([{ key: 'bad', value: 1 }], unknown))
  for (const call of ['get', 'history', 'delete', 'restore', 'search'] as const)
    it(`${call}: an unknown option`, 'sudo', () => any[call]('there', unknown))
  it('getById: an unknown option', 'sudo', () => any.getById('01KDVDNA00HT37Q95MD5VKCNMM', unknown))
  for (const call of ['list', 'storage', 'settled'] as const)
    it(`${call}: an unknown option`, 'sudo', () => any[call](unknown))
  it('set: an unknown option with a long name', 'x'.repeat(100), () =>
    any.set({ key: 'bad', value: 1, ['x'.repeat(100_000)]: 1 }),
  )
  it('get: what another call takes', 'limit', () => any.get('there', { limit: 1 }))

  const searching: Record<string, readonly unknown[]> = {
    limit: [0, -1, 1.5, 'x', 1e9, Number.NaN, null],
    tiers: [[], ['all'], 'user', ['user', 'user', 'user', 'user']],
    tags: [secret, [5]],
    keyPrefix: ['', 5, '\ud800', 'x'.repeat(600)],
    minConfidence: [5, '1'],
    includeDuplicates: ['yes'],
    sourceClass: ['root'],
    asOf: ['yesterday', 5, '2026-01-01', {}, { valid: 'x' }, { sudo: secret }, new Date(0)],
    asOfBasis: ['valid_time', secret],
  }
  for (const [field, bad] of Object.entries(searching))
    bad.forEach((value, i) => {
      it(`search: ${field} ${i}`, field, () => any.search('text', { [field]: value }))
      it(`list: ${field} ${i}`, field, () => any.list({ [field]: value }))
    })
  for (const [i, offset] of [-1, 1e9, 'x', 0.5].entries())
    it(`search: offset ${i}`, 'offset', () => any.search('text', { offset }))
  for (const [i, legs] of [[], ['graph'], 'vector'].entries())
    it(`search: legs ${i}`, 'legs', () => any.search('text', { legs }))
  for (const [i, query] of [5, null, undefined, {}, ['a'], `${secret}\ud800`, () => secret].entries())
    it(`search: query ${i}`, 'query', () => any.search(query))
  for (const [i, cursor] of [secret, '1', '1.2.3', 5, `${'9'.repeat(30)}.1`, 'x'.repeat(300)].entries())
    it(`list: cursor ${i}`, 'cursor', () => any.list({ cursor }))
  for (const [i, limit] of [0, 10_001, 'x'].entries())
    it(`history: limit ${i}`, 'limit', () => any.history('there', { limit }))

  const groups = memory as unknown as Record<string, Record<string, (...given: unknown[]) => unknown>>
  const id = '01KDVDNA00HT37Q95MD5VKCNMM'
  const grouped: readonly (readonly [call: string, field: string, input: unknown])[] = [
    ['conflicts.list', 'limit', { limit: 0 }],
    ['conflicts.list', 'keyPrefix', { keyPrefix: 5 }],
    ['conflicts.resolve', 'id', { action: 'allow' }],
    ['conflicts.resolve', 'id', { id: secret, action: 'allow' }],
    ['conflicts.resolve', 'action', { id, action: secret }],
    ['conflicts.resolve', 'value', { id, action: 'revise', value: Number.NaN }],
    ['conflicts.resolve', 'sudo', { id, action: 'allow', ...unknown }],
    ['proposals.list', 'cursor', { cursor: secret }],
    ['proposals.decide', 'id', { id: 5, action: 'accept' }],
    ['proposals.decide', 'action', { id, action: 'allow' }],
    ['proposals.decide', 'reason', { id, action: 'reject', reason: 5 }],
    ['namespaces.register', 'defaultConflictPolicy', { defaultConflictPolicy: secret }],
    ['namespaces.register', 'thresholds', { thresholds: { duplicate: 2 } }],
    ['namespaces.register', 'thresholds', { thresholds: { conflict: Number.NaN } }],
    ['namespaces.register', 'attributes', { attributes: [{ attribute: 'desk', cardinality: secret }] }],
    ['namespaces.register', 'types', { types: { note: { conflictPolicy: secret } } }],
    ['namespaces.register', 'sudo', unknown],
    ['namespaces.get', 'namespace', { namespace: '' }],
    ['namespaces.audit', 'sudo', unknown],
    ['namespaces.rollback', 'to', {}],
    ['namespaces.rollback', 'to', { to: secret }],
    ['namespaces.rollback', 'to', { to: new Date(0) }],
    ['namespaces.rollback', 'dryRun', { to: '2026-03-01T09:00:00Z', dryRun: secret }],
    ['namespaces.rollback', 'cursor', { to: '2026-03-01T09:00:00Z', cursor: secret }],
    ['namespaces.rollback', 'limit', { to: '2026-03-01T09:00:00Z', limit: 0 }],
    ['namespaces.rollback', 'sudo', { to: '2026-03-01T09:00:00Z', ...unknown }],
    ['calibration.get', 'type', { type: 5 }],
    ['audit.list', 'from', { from: secret }],
    ['audit.list', 'action', { action: 5 }],
    ['audit.list', 'cursor', { cursor: secret }],
    ['audit.list', 'sudo', unknown],
    ['runs.complete', 'memoriesUsed', { memoriesUsed: secret, outcome: 'helped' }],
    ['runs.complete', 'memoriesUsed', { memoriesUsed: [''], outcome: 'helped' }],
    ['runs.complete', 'memoriesUsed', { memoriesUsed: Array.from({ length: 501 }, () => 'a'), outcome: 'helped' }],
    ['runs.complete', 'outcome', { memoriesUsed: ['there'], outcome: secret }],
    ['blacklist.add', 'pattern', { pattern: '', patternType: 'substring' }],
    ['blacklist.add', 'patternType', { pattern: secret, patternType: 'glob' }],
    ['blacklist.add', 'pattern', { pattern: '(?=x)', patternType: 'regex' }],
    ['blacklist.remove', 'id', { id: 5 }],
  ]
  for (const [i, [call, field, input]] of grouped.entries()) {
    const [group = '', name = ''] = call.split('.')
    it(`${call}: ${field} ${i}`, field, () => groups[group]?.[name]?.(input))
  }
  const archives: readonly (readonly [title: string, field: string, ...given: unknown[]])[] = [
    ['nothing', 'archive'],
    ['a number', 'archive', 5],
    ['an object', 'archive', {}],
    ['bytes that are no file', 'archive', new Uint8Array(8)],
    ['a text that is nothing of the kind', 'archive', secret],
    ['an empty file', 'archive', new Blob([])],
    ['a file cut short', 'archive', new Blob(['{"type":"palimpsest-archive","version":1'])],
    ['a line that is not its own', 'archive.lines.1', `{"type":"palimpsest-archive","device":"${secret}"}\n`],
    ['a stream that breaks', 'archive', new ReadableStream({ pull: (stream) => stream.error(new Error(secret)) })],
    ['a passphrase for nothing', 'passphrase', '[]', { passphrase: secret }],
    ['an empty passphrase', 'passphrase', '[]', { passphrase: '' }],
    ['a word as dry run', 'dryRun', '[]', { dryRun: secret }],
    ['an unknown option', 'sudo', '[]', unknown],
  ]
  for (const [title, field, ...given] of archives) it(`import: ${title}`, field, () => any.import(...given))
  for (const [i, passphrase] of ['', 5, 'x'.repeat(2_000), `${secret}\ud800`].entries())
    it(`export: passphrase ${i}`, 'passphrase', () => any.export({ passphrase }))
  it('export: a word as sensitivity', 'includeSensitive', () => any.export({ includeSensitive: secret }))
  it('export: an unknown option', 'sudo', () => any.export(unknown))

  it('diff: a key that is none', 'key', () => any.diff(`a ${secret}`))
  it('diff: a version that is none', 'from', () => any.diff('there', { from: secret }))
  it('diff: a number as version', 'to', () => any.diff('there', { to: 5 }))
  it('diff: a version beyond all', 'to', () => any.diff('there', { to: '9'.repeat(19) }))
  it('timeline: of nothing', 'key', () => any.timeline({}))
  it('timeline: of two at once', 'key', () => any.timeline({ key: 'there', subject: secret }))
  it('timeline: no input', 'key', () => any.timeline())
  it('timeline: a time that is none', 'from', () => any.timeline({ key: 'there', from: secret }))
  it('timeline: a cursor that is none', 'cursor', () => any.timeline({ key: 'there', cursor: secret }))
  it('undo: of nothing', 'run', () => any.undo())
  it('undo: of two at once', 'run', () => any.undo({ run: secret, lastN: 1 }))
  it('undo: half a write', 'lastN', () => any.undo({ lastN: 0.5 }))
  it('undo: a batch that is none', 'batch', () => any.undo({ batch: secret }))
  it('undo: a word as dryRun', 'dryRun', () => any.undo({ lastN: 1, dryRun: secret }))
  it('redact: a version that is none', 'version', () => any.redact('there', secret, 'wrong'))
  it('redact: no version', 'version', () => any.redact('there'))
  it('redact: no reason', 'reason', () => any.redact('there', '1'))
  it('redact: an empty reason', 'reason', () => any.redact('there', '1', ''))
  it('verifyHistory: an empty prefix', 'keyPrefix', () => any.verifyHistory({ keyPrefix: '' }))
  it('reject: no reason', 'reason', () => any.reject('there'))
  it('reject: an empty reason', 'reason', () => any.reject('there', ''))
  it('reject: a key that is none', 'key', () => any.reject(`a ${secret}`, 'wrong'))
  it('pin: no value', 'value', () => any.pin({ key: 'bad' }))
  it('pin: a wrong way of proposing', 'onPinned', () => any.set({ key: 'bad', value: 1, onPinned: secret }))
  it('unpin: a key that is none', 'key', () => any.unpin({ key: `a ${secret}` }))
  it('lock: no reason', 'reason', () => any.lock('there', { mode: 'read_only' }))
  it('lock: an unknown mode', 'mode', () => any.lock('there', { mode: secret, reason: 'final' }))
  it('lock: a time that is none', 'until', () => any.lock('there', { mode: 'read_only', reason: 'final', until: secret }))
  it('verify: a hash that is none', 'ifMatchSha256', () => any.verify('there', { ifMatchSha256: secret }))
  it('lineage: too deep', 'depth', () => any.lineage('there', { depth: 65 }))
  it('related: too many', 'limit', () => any.related('there', { limit: 101 }))
  for (const call of ['verify', 'provenance', 'lineage', 'evidence', 'related', 'inspect'] as const) {
    it(`${call}: a key that is none`, 'key', () => any[call](`a ${secret}`))
    it(`${call}: an unknown option`, 'sudo', () => any[call]('there', unknown))
  }
  it('outcome: none', 'outcome', () => any.outcome('there'))
  it('outcome: an unknown one', 'outcome', () => any.outcome('there', secret))
  it('outcome: one that says nothing', 'outcome', () => any.outcome('there', 'neutral'))
  const all = { keyPrefix: 'th' }
  const applied: readonly (readonly [field: string, input: unknown])[] = [
    ['filter', { action: 'delete', dryRun: false }],
    ['filter', { filter: {}, action: 'delete', dryRun: false }],
    ['filter', { filter: { keyPrefix: undefined }, action: 'delete', dryRun: false }],
    ['filter', { filter: { includeDuplicates: true }, action: 'delete', dryRun: false }],
    ['filter.keyPrefix', { filter: { keyPrefix: 5 }, action: 'delete', dryRun: false }],
    ['filter.sudo', { filter: { ...all, ...unknown }, action: 'delete', dryRun: false }],
    ['action', { filter: all, action: secret, dryRun: false }],
    ['dryRun', { filter: all, action: 'delete', dryRun: 'no' }],
    ['mode', { filter: all, action: 'lock', reason: 'final', dryRun: false }],
    ['reason', { filter: all, action: 'lock', mode: 'read_only', dryRun: false }],
    ['until', { filter: all, action: 'lock', mode: 'read_only', reason: 'final', until: secret, dryRun: false }],
    ['addTags', { filter: all, action: 'label', dryRun: false }],
    ['removeTags', { filter: all, action: 'label', removeTags: [], dryRun: false }],
    ['confidence', { filter: all, action: 'demote', confidence: 2, dryRun: false }],
    ['expiresAt', { filter: all, action: 'delete', expiresAt: '2030-01-01T00:00:00Z', dryRun: false }],
  ]
  for (const [i, [field, input]] of applied.entries()) it(`apply: ${field} ${i}`, field, () => any.apply(input))
  const promoted: readonly (readonly [field: string, options: unknown])[] = [
    ['to', { from: { user: 'a' } }],
    ['to', { to: 'session', from: { user: 'a' } }],
    ['from', { to: 'global' }],
    ['from', { to: 'global', from: {} }],
    ['from.user', { to: 'global', from: { user: '*' } }],
    ['from.agent', { to: 'global', from: { agent: '*' } }],
    ['from.session', { to: 'global', from: { session: '' } }],
    ['from.sudo', { to: 'global', from: { user: 'a', ...unknown } }],
  ]
  for (const [i, [field, options]] of promoted.entries())
    it(`promote: ${field} ${i}`, field, () => any.promote('there', options))
  it('unlock: a word as force', 'force', () => any.unlock('there', { force: secret }))

  for (const [i, given] of [null, 5, secret, true].entries()) {
    for (const call of ['set', 'update', 'updateById'] as const)
      it(`${call}: not an input ${i}`, 'input', () => any[call](given))
    for (const call of ['list', 'storage', 'settled'] as const)
      it(`${call}: not options ${i}`, 'input', () => any[call](given))
    for (const call of ['get', 'delete', 'search'] as const)
      it(`${call}: not options ${i}`, 'input', () => any[call]('there', given))
    it(`bulkSet: not entries ${i}`, 'entries', () => any.bulkSet(given))
    it(`scope: not a scope ${i}`, 'scope', () => any.scope(given))
  }
  it('set: nothing at all', 'value', () => any.set())
  it('bulkSet: nothing at all', 'entries', () => any.bulkSet())
  it('bulkSet: too many entries', 'entries', () => any.bulkSet(Array.from({ length: 100_001 }, () => null)))
  it('set: a list', 'value', () => any.set([]))
  for (const [i, signal] of [5, {}, 'abort', true].entries()) {
    it(`set: signal ${i}`, 'signal', () => any.set({ key: 'bad', value: 1, signal }))
    it(`get: signal ${i}`, 'signal', () => any.get('there', { signal }))
  }

  const scopes: readonly (readonly [title: string, field: string, patch: unknown])[] = [
    ['a number as user', 'user', { user: 5 }],
    ['an object as user', 'user', { user: { id: secret } }],
    ['an empty user', 'user', { user: '' }],
    ['an empty session', 'session', { user: 'a', session: '' }],
    ['an empty org', 'org', { org: '' }],
    ['a star as org', 'org', { org: '*' }],
    ['null as agent', 'agent', { agent: null }],
    ['a lone surrogate', 'user', { user: `${secret}\ud800` }],
    ['NUL', 'user', { user: `${secret}\0` }],
    ['a long id', 'namespace', { namespace: 'x'.repeat(600) }],
    ['an actor without its kind', 'actor', { actor: secret }],
    ['an unknown level', 'planet', { planet: secret }],
    ['__proto__', '__proto__', JSON.parse(`{"__proto__": {"user": "${secret}"}}`)],
    ['a function', 'user', { user: () => secret }],
  ]
  for (const [title, field, patch] of scopes) {
    it(`scope: ${title}, set`, field, () => scoped(patch).set({ key: 'bad', value: 1 }))
    it(`scope: ${title}, bulkSet`, field, () => scoped(patch).bulkSet([{ key: 'bad', value: 1 }]))
  }

  const firstError = (target: unknown) =>
    new Promise((resolve, reject) => {
      const live = any.live(target, ({ status, error }: { status: string; error: unknown }) => {
        if (status === 'error') reject(error)
        else resolve(status)
        live.unsubscribe()
      }) as { unsubscribe: () => void }
    })
  for (const [i, target] of [null, 5, secret].entries()) it(`live: not a target ${i}`, 'target', () => firstError(target))
  it('live: a key that is none', 'key', () => firstError({ key: `a ${secret}` }))
  it('live: a number as key', 'key', () => firstError({ key: 5 }))
  it('live: an unknown option', 'sudo', () => firstError({ key: 'there', ...unknown }))
  it('live: a function', 'notify', () => firstError({ key: 'there', notify: () => secret }))
  it('live: a query that is none', 'query', () => firstError({ query: 5 }))
  it('live: an unknown filter', 'sudo', () => firstError(unknown))

  const embed = () => Promise.resolve([])
  const places: readonly (readonly [title: string, field: string, location: unknown])[] = [
    ['nothing', 'location', undefined],
    ['null', 'location', null],
    ['a number', 'location', 5],
    ['an empty name', 'name', ''],
    ['a path as name', 'name', `a/${secret}`],
    ['a lone surrogate as name', 'name', `${secret}\ud800`],
    ['a long name', 'name', 'x'.repeat(101)],
    ['no name', 'name', {}],
    ['a number as name', 'name', { name: 5 }],
    ['an unknown option', 'sudo', { name: 'bad', sudo: secret }],
    ['__proto__', '__proto__', JSON.parse(`{"name": "bad", "__proto__": {"backend": "${secret}"}}`)],
    ['an unknown backend', 'backend', { name: 'bad', backend: secret }],
    ['a word as fallback', 'fallback', { name: 'bad', fallback: secret }],
    ['a number as scope', 'scope', { name: 'bad', scope: 5 }],
    ['a wrong scope', 'user', { name: 'bad', scope: { user: 5 } }],
    ['an unknown embedder', 'embedder', { name: 'bad', embedder: secret }],
    ['null as embedder', 'embedder', { name: 'bad', embedder: null }],
    ['a number as embedder', 'embedder', { name: 'bad', embedder: 5 }],
    ['a model without a name', 'embedder', { name: 'bad', embedder: { doEmbed: embed } }],
    ['a model beside another embedder', 'model', { name: 'bad', embedder: 'static', model: { id: 'x', embed } }],
    ['a word as model', 'model', { name: 'bad', embedder: 'auto', model: secret }],
    ['an embedder that embeds nothing', 'embedder', { name: 'bad', embedder: { id: 'x', dims: 2 } }],
    ['an embedder of no dims', 'embedder', { name: 'bad', embedder: { id: 'x', dims: 0, embed } }],
    ['an embedder without id', 'embedder', { name: 'bad', embedder: { dims: 2, embed } }],
    ['something else as worker', 'worker', { name: 'bad', worker: {} }],
    ['a broken address of the worker', 'workerUrl', { name: 'bad', workerUrl: 'http://[' }],
    ['a word as judge', 'judge', { name: 'bad', judge: secret }],
    ['a number as address of the worker', 'workerUrl', { name: 'bad', workerUrl: 5 }],
    ['a broken folder', 'assetBase', { name: 'bad', assetBase: 'http://[' }],
  ]
  for (const [title, field, location] of places)
    it(`openMemory: ${title}`, field, async () => {
      const opening = openMemory(location as string)
      await opening.then(
        () => opening.close(),
        (error) => Promise.reject(error),
      )
    })

  const refusals: Refusal[] = []
  for (const [title, field, work] of cases) {
    const { code, message = '', details } = await attempt(work, 5_000)
    const issues = (details as { issues?: readonly { path: string; message: string }[] } | undefined)?.issues ?? []
    refusals.push({
      title,
      field,
      code,
      message,
      paths: issues.map(({ path }) => path),
      said: `${message} ${JSON.stringify(details)}`,
    })
  }
  return refusals
}
