import { expect, test } from 'vitest'
import { HIDDEN_FROM_UNFILTERED, isSearchable, retype } from '../../src/domain/memory-type.js'

test('everything is found by search but episodes, profiles and what is highly sensitive', () => {
  for (const type of ['semantic', 'preference', 'decision', 'procedural', 'reflection', 'any word'])
    for (const sensitivity of ['none', 'medium', 'high'] as const)
      expect(isSearchable(type, sensitivity)).toBe(sensitivity !== 'high')
  for (const type of ['episodic', 'profile']) expect(isSearchable(type, 'none')).toBe(false)
})

test('reflections, turns and digests are found only when asked for', () => {
  expect(HIDDEN_FROM_UNFILTERED).toEqual(['reflection', '~turn', '~digest'])
})

test('a procedure has a situation and at least two steps', () => {
  expect(retype('procedural', { situation: 'a leak', steps: ['close', 'call'] })).toEqual({ type: 'procedural' })
  for (const value of [
    'text',
    null,
    ['a', 'b'],
    {},
    { situation: ' ', steps: ['a', 'b'] },
    { situation: 'a leak', steps: ['a'] },
    { situation: 'a leak', steps: 'close and call' },
    { situation: 7, steps: ['a', 'b'] },
  ])
    expect(retype('procedural', value)).toEqual({ type: 'semantic', retypedFrom: 'procedural' })
})

test('no other type is looked into', () => {
  expect(retype('decision', 'text')).toEqual({ type: 'decision' })
})
