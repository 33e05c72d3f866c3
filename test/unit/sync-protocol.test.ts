import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { canonicalJson } from '../../src/domain/canonical.js'
import { sha256Hex } from '../../src/domain/sha256.js'
import * as account from '../../src/schema/sync-account.js'
import * as wire from '../../src/schema/sync-wire.js'

/** Hash of the messages of each protocol version. Old clients meet new servers and the other way round: a released line never changes. */
const MESSAGE_HASHES: Readonly<Record<number, string>> = {
  1: '92c2b54a7f90e6d841aaeec6826f1540b139f381f923f947de5a9d8e538f102f',
}

const isSchema = (value: unknown): value is z.ZodMiniType => typeof value === 'object' && value !== null && '_zod' in value

const messages = () =>
  Object.fromEntries(
    Object.entries<unknown>({ ...wire, ...account }).flatMap(([name, schema]) =>
      isSchema(schema) ? [[name, z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' })]] : [],
    ),
  )

test('the messages of sync are those of their protocol version', () => {
  const hash = sha256Hex(canonicalJson(messages()))
  expect(
    hash,
    `The messages differ from those of sync protocol ${wire.SYNC_PROTOCOL}. If that version was released, raise SYNC_PROTOCOL in ` +
      `src/schema/sync-wire.ts and add a line for it to MESSAGE_HASHES; if not, replace its line. Hash: ${hash}`,
  ).toBe(MESSAGE_HASHES[wire.SYNC_PROTOCOL])
})

test('every request and answer is part of the comparison', () => {
  const names = Object.keys(messages())
  for (const name of ['WireRow', 'PushRequest', 'PullResponse', 'HeadsResponse', 'RotationRequest', 'SlotsRequest', 'Hint'])
    expect(names).toContain(name)
  expect(wire.SYNC_PROTOCOL_MIN).toBeLessThanOrEqual(wire.SYNC_PROTOCOL)
})
