import fc from 'fast-check'
import type { VersionBody } from '../../src/schema/records.js'
import type { JsonValue } from '../../src/schema/scalars.js'

/** Text that can be stored: any characters, but no lone surrogates. */
export const storableText = (maxLength = 40): fc.Arbitrary<string> => fc.string({ unit: 'binary', maxLength })

/** Any value a memory can hold. Minus zero is left out, since JSON does not know it. */
export const jsonValue = (): fc.Arbitrary<JsonValue> =>
  fc
    .jsonValue({ maxDepth: 3, stringUnit: 'binary' })
    .map((value) => JSON.parse(JSON.stringify(value).replaceAll('__proto__', 'proto')) as JsonValue)

const instant = fc.option(fc.integer({ min: 0, max: 4_000_000_000_000 }))
const precision = fc.constantFrom('year', 'month', 'day', 'minute', null)
const sentence = fc.string({ minLength: 1, maxLength: 12 })
const name = fc.option(sentence)

/** Any body a version can have. */
export const versionBody = (): fc.Arbitrary<VersionBody> =>
  fc.record({
    key: sentence,
    value: jsonValue(),
    type: fc.constantFrom('semantic', 'episodic', 'decision'),
    tags: fc.array(sentence, { maxLength: 3 }),
    entities: fc.array(sentence, { maxLength: 3 }),
    relations: fc.array(fc.record({ subject: sentence, predicate: sentence, object: sentence }), { maxLength: 2 }),
    files: fc.array(sentence, { maxLength: 2 }),
    confidence: fc.constantFrom(0, 0.25, 1),
    run: name,
    status: fc.constantFrom('active', 'conflicted', 'duplicate', 'superseded', 'proposed', 'rejected', 'tombstoned'),
    statusReason: fc.option(fc.string()),
    pinned: fc.boolean(),
    conflictWith: fc.array(sentence, { maxLength: 2 }),
    duplicateOf: name,
    supersededBy: name,
    reinforcementCount: fc.integer({ min: 1, max: 9 }),
    createdAt: fc.nat(),
    updatedAt: fc.nat(),
    validAt: instant,
    validTo: instant,
    temporalAnchor: instant,
    validAtPrecision: precision,
    validToPrecision: precision,
    temporalAnchorPrecision: precision,
    invalidAt: instant,
    tombstonedAt: instant,
    expiresAt: instant,
    actor: sentence,
    sourceClass: fc.constantFrom('asserted', 'extracted', 'observed', 'derived', 'imported', 'external'),
    sourceResourceId: name,
    sourceTrace: name,
    origin: name,
    contentSha256: fc.constant('0'.repeat(64)),
    verifiedBy: name,
    verifiedSha256: name,
    lockMode: fc.constantFrom('read_only', 'no_delete', null),
    lockUntil: instant,
    lockReason: name,
    lockBy: name,
    sensitivity: fc.constantFrom('none', 'medium', 'high'),
    onExpire: fc.constantFrom('tombstone', 'hide'),
  })
