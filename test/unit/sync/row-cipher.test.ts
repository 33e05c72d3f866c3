import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { bodyHash, rowHash } from '../../../src/domain/sync/row-digest.js'
import { MAX_BODY_BYTES, WireRow } from '../../../src/schema/sync-wire.js'
import { fromBase64Url, fromUtf8, toBase64Url } from '../../../worker/sync/bytes.js'
import { createCommitments } from '../../../worker/sync/commitments.js'
import { createRing, type SyncKeys } from '../../../worker/sync/key-ring.js'
import { pad, paddedLength, unpad } from '../../../worker/sync/padding.js'
import { openRow, sealRow } from '../../../worker/sync/row-cipher.js'
import { header, KEY, OTHER_KEY, sealedText, TOOLS } from '../../support/sync/sealed.js'

const RUNS = process.env['LONG'] === '1' ? 5_000 : 200

let keys: SyncKeys
let others: SyncKeys

beforeAll(async () => {
  keys = (await createRing(KEY, TOOLS)).keys
  others = (await createRing(OTHER_KEY, TOOLS)).keys
})

const textOf = async (who: SyncKeys | null, row: WireRow): Promise<string> => {
  const opened = await openRow(who, row)
  return 'text' in opened ? fromUtf8(opened.text) : opened.refused
}

/** The same text with one bit of its bytes turned. */
const flipped = (text: string, bit: number): string => {
  const bytes = fromBase64Url(text) as Uint8Array
  const at = Math.floor(bit / 8) % bytes.length
  bytes[at] = (bytes[at] as number) ^ (1 << (bit % 8))
  return toBase64Url(bytes)
}

/** As a server would repair what it changed. */
const rehashed = (row: WireRow): WireRow => ({ ...row, bh: bodyHash(fromBase64Url(row.body ?? '') as Uint8Array) })

describe('a sealed row', () => {
  test('is what the wire takes, and says what was sealed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 400 }), async (text) => {
        const row = await sealedText(keys, text)
        expect(WireRow.safeParse(row).success).toBe(true)
        expect(await textOf(keys, row)).toBe(text)
      }),
      { numRuns: RUNS },
    )
  })

  test('tells nothing of its text to who sees the row', async () => {
    const secret = 'Alice lives in Berlin and her door code is 4711'
    const row = await sealedText(keys, secret)
    const seen =
      JSON.stringify(row) +
      JSON.stringify(Array.from(fromBase64Url(row.body ?? '') as Uint8Array, (byte) => String.fromCharCode(byte)).join(''))
    for (const word of secret.split(' ')) if (word.length > 3) expect(seen).not.toContain(word)
    const again = await sealedText(keys, secret)
    expect(again.body).not.toBe(row.body)
    expect(again.slot).not.toBe(row.slot)
    expect(again.body?.length).toBe((await sealedText(keys, `${secret}.`)).body?.length)
  })

  test('opens with its own keys only', async () => {
    const row = await sealedText(keys, 'secret')
    expect(await textOf(others, row)).toBe('forged')
    expect(await textOf(null, row)).toBe('no_key')
    expect(await textOf({ ...keys, wraps: new Map() }, row)).toBe('no_key')
  })

  test('is refused after any bit of body or slot was turned', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(10_000), fc.constantFrom('body', 'slot'), async (bit, field) => {
        const row = await sealedText(keys, 'Alice lives in Berlin')
        const changed = { ...row, [field]: flipped(row[field as 'body'] as string, bit) }
        expect(await textOf(keys, changed)).toBe('forged')
        expect(await textOf(keys, rehashed(changed))).toBe('forged')
      }),
      { numRuns: RUNS },
    )
  })

  test.each([
    ['dev', '00000000000000ab'],
    ['dseq', 2],
    ['ver', '1796000000123456788'],
    ['kind', 'tomb'],
    ['nc', 'namespace-namespacf'],
    ['kc', 'key-key-key-key-kez'],
    ['kc', null],
    ['kepoch', 1],
    ['parents', ['00000000000000aa.9']],
    ['human', 0],
    ['target', '00000000000000aa.9'],
    ['later', 'a field of a later version'],
  ])('is refused after its %s was changed', async (field, value) => {
    const row = await sealedText(keys, 'Alice lives in Berlin')
    expect(await textOf(keys, { ...row, [field]: value } as WireRow)).toBe('forged')
  })

  test('does not open in the place of another: neither its body, nor its key, nor both', async () => {
    const [one, two] = await Promise.all([
      sealedText(keys, 'one'),
      sealedText(keys, 'two', { dseq: 2, kc: 'another-another-an' }),
    ])
    expect(await textOf(keys, { ...one, body: two.body, bh: two.bh })).toBe('forged')
    expect(await textOf(keys, { ...one, slot: two.slot })).toBe('forged')
    expect(await textOf(keys, { ...one, body: two.body, bh: two.bh, slot: two.slot })).toBe('forged')
  })

  test('is not taken for encrypted when it is plain, and not without a body', async () => {
    const plain = await sealedText(null, 'put there by the server')
    expect(await textOf(keys, plain)).toBe('plain')
    expect(await textOf(keys, { ...plain, gen: 1 })).toBe('gone')
    const row = await sealedText(keys, 'one')
    expect(await textOf(keys, { ...row, body: null })).toBe('gone')
    expect(await textOf(keys, { ...row, slot: null })).toBe('gone')
  })

  test('has the same hash with its body, without it and under another generation', async () => {
    const row = await sealedText(keys, 'one')
    expect(rowHash({ ...row, body: null, slot: null, gen: 2 } as WireRow)).toEqual(rowHash(row))
  })

  test('is refused when it is larger than a server takes, padding and all', async () => {
    expect(await sealRow(keys, header(), new Uint8Array(MAX_BODY_BYTES))).toEqual({ refused: 'too_large' })
    expect(await sealRow(null, header(), new Uint8Array(MAX_BODY_BYTES))).toEqual({ refused: 'too_large' })
  })
})

describe('a plain row', () => {
  test('holds its text behind a salt, so that its hash cannot be guessed', async () => {
    const [one, two] = await Promise.all([sealedText(null, 'yes'), sealedText(null, 'yes')])
    expect(one.bh).not.toBe(two.bh)
    expect(await textOf(null, one)).toBe('yes')
    expect(await textOf(null, { ...one, body: flipped(one.body ?? '', 200) })).toBe('forged')
    expect(await textOf(null, rehashed({ ...one, body: 'AAAA' }))).toBe('forged')
  })
})

describe('padding', () => {
  test('gives back what was padded, and adds an eighth at most', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5_000, size: 'max' }), (bytes) => {
        const padded = pad(bytes)
        expect(Array.from(unpad(padded) ?? [])).toEqual(Array.from(bytes))
        expect(padded.length).toBeLessThanOrEqual(Math.max(64, Math.ceil((bytes.length + 4) * 1.12)))
      }),
    )
  })

  test('leaves few lengths, and refuses what has another', () => {
    const lengths = new Set(Array.from({ length: 65_536 }, (_, i) => paddedLength(i)))
    expect(lengths.size).toBeLessThan(200)
    expect(unpad(new Uint8Array(63))).toBeNull()
    const padded = pad(new Uint8Array([1, 2, 3]))
    padded[63] = 1
    expect(unpad(padded)).toBeNull()
    expect(unpad(new Uint8Array(128))).toBeNull()
  })
})

describe('commitments', () => {
  test('are the same for the same name and account, and for no other', async () => {
    const [ours, again, theirs, plain] = [keys, keys, others, null].map((of) => createCommitments(of))
    const names = [
      ['o', 'n', null, 'u', null],
      ['o', 'n', 'u', null, null],
      ['on', '', null, 'u', null],
    ]
    const all = await Promise.all([ours, theirs, plain].flatMap((by) => names.map((levels) => by?.namespace(levels))))
    expect(new Set(all).size).toBe(9)
    const nc = (await ours?.namespace(['o'])) as string
    expect(await again?.key(nc, 'user/home/city')).toBe(await ours?.key(nc, 'user/home/city'))
    expect(await ours?.key(nc, 'user/home')).not.toBe(await ours?.key(nc, 'user/home/city'))
    expect(await ours?.key(`${nc}x`, 'user/home')).not.toBe(await ours?.key(nc, 'user/home'))
  })
})
