import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { canonicalJson } from '../src/domain/canonical.js'
import { sha256Hex } from '../src/domain/sha256.js'
import { CALLS as OFTEN_CALLS } from '../src/protocol/calls.js'
import { SELDOM_CALLS } from '../src/protocol/seldom-calls.js'
import { PROTOCOL_VERSION } from '../src/protocol/wire.js'
import { WorkerOptions } from '../src/schema/options.js'

const CALLS = { ...OFTEN_CALLS, ...SELDOM_CALLS }

/** Hash of what each released protocol version accepts. Tabs of different builds meet: a released line never changes. */
const WIRE_HASHES: Readonly<Record<number, string>> = {
  1: '09fa0a9a3fcc621a2cf337730300630077fba6f419ce085ad0bc03b971da75c3',
}

// What has no JSON Schema (transforms, refinements of our own) appears as "anything": changing those needs no new version
// here, but think of the tab that still runs the older rule.
const shapeOf = (schema: z.ZodMiniType) => z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' })

const wireShape = () => ({
  open: shapeOf(WorkerOptions),
  calls: Object.fromEntries(
    Object.entries(CALLS).map(([name, { input, writes }]) => [name, { input: shapeOf(input), writes }]),
  ),
})

test('the calls accept what this protocol version says, and nothing else', () => {
  const hash = sha256Hex(canonicalJson(wireShape()))
  expect(
    hash,
    `The inputs of the calls differ from those of protocol version ${PROTOCOL_VERSION}. If that version was released, raise ` +
      `PROTOCOL_VERSION in src/protocol/wire.ts and add a line for it to WIRE_HASHES; if not, replace its line. Hash: ${hash}`,
  ).toBe(WIRE_HASHES[PROTOCOL_VERSION])
})

test('every call is part of the comparison, by what it takes', () => {
  const { calls } = wireShape()
  expect(Object.keys(calls)).toEqual(Object.keys(CALLS))
  expect(calls['memory.get']?.input).toMatchObject({ type: 'object', required: ['key'], additionalProperties: false })
})
