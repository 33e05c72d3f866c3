import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addsNothing,
  correctBody,
  packBody,
  reinforceBody,
  type Stamp,
  stateBody,
  unpackBody,
} from '../../src/domain/body.js'
import { contentSha256 } from '../../src/domain/canonical.js'
import { jsonValue, versionBody } from '../support/arbitraries.js'

const stamp = (nowMs: number, more: Partial<Stamp> = {}): Stamp => ({
  key: 'user/home/city',
  actor: 'process:test',
  run: null,
  nowMs,
  ...more,
})

describe('a stored body', () => {
  test('comes back as it was, but for the value of a tombstone, which the version it buries holds', () => {
    fc.assert(
      fc.property(versionBody(), ({ value, ...rest }) => {
        const stored = unpackBody(packBody({ value, ...rest }))
        expect(stored).toEqual(rest.status === 'tombstoned' ? rest : { value, ...rest })
      }),
    )
  })

  test('is the same text for the same body, whatever order its fields came in', () => {
    fc.assert(
      fc.property(versionBody(), (body) => {
        const turned = Object.fromEntries(Object.entries(body).reverse()) as unknown as typeof body
        expect(packBody(turned)).toBe(packBody(body))
      }),
    )
  })

  test('leaves out what is as usual', () => {
    const { body } = stateBody(null, { value: 'Berlin' }, stamp(5))
    expect(Object.keys(JSON.parse(packBody(body)) as object)).toEqual([
      'actor',
      'contentSha256',
      'createdAt',
      'key',
      'updatedAt',
      'value',
    ])
  })

  test('keeps the defaults that bodies already written rely on', () => {
    expect(unpackBody('{}')).toMatchInlineSnapshot(`
      {
        "confidence": 1,
        "conflictWith": [],
        "duplicateOf": null,
        "entities": [],
        "expiresAt": null,
        "files": [],
        "invalidAt": null,
        "lockBy": null,
        "lockMode": null,
        "lockReason": null,
        "lockUntil": null,
        "onExpire": "hide",
        "origin": null,
        "pinned": false,
        "reinforcementCount": 1,
        "relations": [],
        "run": null,
        "sensitivity": "none",
        "sourceClass": "asserted",
        "sourceResourceId": null,
        "sourceTrace": null,
        "status": "active",
        "statusReason": null,
        "supersededBy": null,
        "tags": [],
        "temporalAnchor": null,
        "temporalAnchorPrecision": null,
        "tombstonedAt": null,
        "type": "semantic",
        "validAt": null,
        "validAtPrecision": null,
        "validTo": null,
        "validToPrecision": null,
        "verifiedBy": null,
        "verifiedSha256": null,
      }
    `)
  })
})

describe('a claim stated', () => {
  test('is new where nothing lives', () => {
    const { body } = stateBody(null, { value: 'Berlin', tags: ['a', 'a'] }, stamp(5, { run: 'r1' }))
    expect(body).toMatchObject({
      key: 'user/home/city',
      value: 'Berlin',
      contentSha256: contentSha256('Berlin'),
      tags: ['a'],
      status: 'active',
      createdAt: 5,
      updatedAt: 5,
      run: 'r1',
      actor: 'process:test',
      reinforcementCount: 1,
    })
  })

  test('takes what describes the value from itself and keeps what belongs to the memory', () => {
    const live = {
      ...stateBody(
        null,
        { value: 'Berlin', type: 'preference', tags: ['home'], confidence: 0.5, validTo: 99, origin: 'https://a.example' },
        stamp(5, { actor: 'human:mia', run: 'r1' }),
      ).body,
      pinned: true,
      lockMode: 'no_delete',
      lockReason: 'agreed',
      verifiedBy: 'human:mia',
      verifiedSha256: contentSha256('Berlin'),
      reinforcementCount: 4,
    } as const
    const { body } = stateBody(live, { value: 'Munich' }, stamp(9))
    expect(body).toMatchObject({
      value: 'Munich',
      contentSha256: contentSha256('Munich'),
      confidence: 1,
      validTo: null,
      origin: null,
      run: null,
      actor: 'process:test',
      reinforcementCount: 1,
      updatedAt: 9,
      createdAt: 5,
      type: 'preference',
      tags: ['home'],
      pinned: true,
      lockMode: 'no_delete',
      lockReason: 'agreed',
      verifiedBy: 'human:mia',
      verifiedSha256: contentSha256('Berlin'),
    })
  })

  test('never makes a sensitive memory readable by search by being said without saying so', () => {
    const live = stateBody(null, { value: 'k-123', sensitivity: 'high' }, stamp(5)).body
    expect(stateBody(live, { value: 'k-456' }, stamp(9)).body.sensitivity).toBe('high')
    expect(stateBody(live, { value: 'k-456', sensitivity: 'none' }, stamp(9)).body.sensitivity).toBe('none')
  })

  test('of the same bytes goes on counting', () => {
    const live = stateBody(null, { value: 'Berlin' }, stamp(5)).body
    expect(stateBody(live, { value: 'Berlin', tags: ['home'] }, stamp(9)).body).toMatchObject({
      tags: ['home'],
      reinforcementCount: 2,
    })
  })
})

describe('a correction', () => {
  test('without fields changes the stamp only', () => {
    fc.assert(
      fc.property(versionBody(), (drawn) => {
        const live = {
          ...drawn,
          type: 'semantic',
          contentSha256: contentSha256(drawn.value),
          tags: [...new Set(drawn.tags)],
        }
        const { body } = correctBody(live, {}, stamp(7))
        expect(body).toEqual({ ...live, updatedAt: 7, actor: 'process:test', run: null })
      }),
    )
  })

  test('replaces the fields given, carries all others and starts counting anew for a new value', () => {
    const live = {
      ...stateBody(null, { value: 'Berlin', confidence: 0.5, validTo: 99 }, stamp(5)).body,
      reinforcementCount: 3,
    }
    expect(correctBody(live, { confidence: 0.8 }, stamp(9)).body).toMatchObject({
      value: 'Berlin',
      confidence: 0.8,
      reinforcementCount: 3,
    })
    expect(correctBody(live, { value: 'Munich' }, stamp(9)).body).toMatchObject({
      value: 'Munich',
      contentSha256: contentSha256('Munich'),
      confidence: 0.5,
      validTo: 99,
      createdAt: 5,
      reinforcementCount: 1,
    })
  })

  test('takes null for a value like any other', () => {
    const live = stateBody(null, { value: 'Berlin' }, stamp(5)).body
    expect(correctBody(live, { value: null }, stamp(9)).body).toMatchObject({
      value: null,
      contentSha256: contentSha256(null),
    })
  })
})

test('a restatement only counts', () => {
  fc.assert(
    fc.property(versionBody(), (live) => {
      expect(reinforceBody(live, stamp(7))).toEqual({
        ...live,
        reinforcementCount: live.reinforcementCount + 1,
        updatedAt: 7,
        actor: 'process:test',
      })
    }),
  )
})

test('fields add nothing when the live body says them already, in whatever order a value names its parts', () => {
  const live = stateBody(null, { value: { a: 1, b: 2 }, tags: ['x'], confidence: 0.5 }, stamp(5)).body
  expect(addsNothing(live, {})).toBe(true)
  expect(addsNothing(live, { value: { b: 2, a: 1 }, tags: ['x'] })).toBe(true)
  expect(addsNothing(live, { value: { b: 2, a: 3 } })).toBe(false)
  expect(addsNothing(live, { tags: ['x', 'y'] })).toBe(false)
  expect(addsNothing(live, { confidence: 1 })).toBe(false)
  fc.assert(fc.property(jsonValue(), (value) => void expect(addsNothing({ ...live, value }, { value })).toBe(true)))
})

test('a procedure without its parts is stored as a statement and says so, once', () => {
  const made = stateBody(null, { value: 'just do it', type: 'procedural', tags: ['t'] }, stamp(5))
  expect(made).toMatchObject({
    retypedFrom: 'procedural',
    body: { type: 'semantic', tags: ['t', 'retyped_from:procedural'] },
  })
  const again = correctBody(made.body, { type: 'procedural' }, stamp(6))
  expect(again.body.tags).toEqual(['t', 'retyped_from:procedural'])
})
