import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BoundScope, EVERYONE, narrow, readsNothing, resolve, tierOf, writeProblem } from '../../src/domain/scope.js'
import type { ScopePatch } from '../../src/schema/scope.js'

const id = fc.constantFrom('a', 'b', '', '*', '~', '=a')
const patch = (): fc.Arbitrary<ScopePatch> =>
  fc
    .record(
      {
        org: id,
        namespace: id,
        agent: id,
        user: fc.option(id),
        session: id,
        run: id,
        actor: fc.constantFrom('human:a', 'human:b'),
      },
      { requiredKeys: [] },
    )
    .map((made) => made as ScopePatch)

describe('narrowing', () => {
  test('never changes a level that is bound, unless it reads across everyone', () => {
    fc.assert(
      fc.property(fc.array(patch(), { maxLength: 5 }), (patches) => {
        let scope: BoundScope = {}
        for (const step of patches) {
          const narrowed = narrow(scope, step)
          if (!narrowed.ok) {
            expect(step[narrowed.level]).not.toBe(scope[narrowed.level])
            continue
          }
          for (const [level, bound] of Object.entries(scope))
            if (bound !== EVERYONE) expect(narrowed.scope[level as keyof BoundScope]).toBe(bound)
          for (const [level, wanted] of Object.entries(step)) expect(narrowed.scope[level as keyof BoundScope]).toBe(wanted)
          scope = narrowed.scope
        }
      }),
    )
  })

  test('refuses another user, the anonymous one, everyone and the empty one, naming the level', () => {
    for (const user of ['bob', null, '*', ''])
      expect(narrow({ user: 'alice' }, { user })).toEqual({ ok: false, level: 'user' })
    expect(narrow({ user: null }, { user: 'alice' })).toEqual({ ok: false, level: 'user' })
    expect(narrow({ user: '' }, { user: 'alice' })).toEqual({ ok: false, level: 'user' })
    expect(narrow({ actor: 'human:a' }, { actor: 'process:b' })).toEqual({ ok: false, level: 'actor' })
  })

  test('takes one out of everyone', () => {
    expect(narrow({ user: '*' }, { user: 'alice' })).toEqual({ ok: true, scope: { user: 'alice' } })
    expect(narrow({ user: '*' }, { user: null })).toEqual({ ok: true, scope: { user: null } })
  })

  test('leaves the scope it starts from as it was', () => {
    const scope = Object.freeze({ user: 'alice' })
    narrow(scope, { session: 's' })
    expect(scope).toEqual({ user: 'alice' })
  })
})

test('an empty or all-embracing user or session cannot write', () => {
  expect(writeProblem({ user: '' })).toEqual({ kind: 'empty', level: 'user' })
  expect(writeProblem({ user: 'a', session: '' })).toEqual({ kind: 'empty', level: 'session' })
  expect(writeProblem({ user: '*' })).toEqual({ kind: 'everyone', level: 'user' })
  expect(writeProblem({ session: '*' })).toEqual({ kind: 'everyone', level: 'session' })
  for (const scope of [{}, { user: null }, { user: '~' }, { user: '=' }, { session: 's' }])
    expect(writeProblem(scope)).toBeNull()
})

test('an empty user or session reads nothing', () => {
  expect(readsNothing({ user: '' })).toBe(true)
  expect(readsNothing({ user: 'a', session: '' })).toBe(true)
  for (const scope of [{}, { user: null }, { user: '*' }, { user: '~', session: 's' }])
    expect(readsNothing(scope)).toBe(false)
})

test('an identity has its defaults filled in and the writer left out', () => {
  expect(resolve({})).toEqual({ org: 'local', namespace: 'default' })
  expect(resolve({ org: 'o', user: null, run: 'r', actor: 'human:a' })).toEqual({
    org: 'o',
    namespace: 'default',
    user: null,
  })
})

test('the tier follows from the nearest bound level', () => {
  const at = (scope: ScopePatch) => tierOf(resolve(scope))
  expect([
    at({ agent: 'x' }),
    at({ user: null }),
    at({ user: 'a' }),
    at({ user: 'a', session: 's' }),
    at({ session: 's' }),
  ]).toEqual(['global', 'user', 'user', 'session', 'session'])
})
