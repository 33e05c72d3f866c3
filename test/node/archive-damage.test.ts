import { createHash, createHmac } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { sha256Hex } from '../../src/domain/sha256.js'
import { MemoryError } from '../../src/protocol/errors.js'
import { contentsOf, forged, linesOf, openElsewhere } from '../support/archives.js'
import { ALICE, refusal } from '../support/engine-calls.js'

const RUNS = process.env.LONG === '1' ? 2_000 : 120
const PASSPHRASE = 'correct horse battery staple'

let plain: Uint8Array<ArrayBuffer>
let sealed: Uint8Array<ArrayBuffer>
let lines: string[]
let empty: Awaited<ReturnType<typeof openElsewhere>>
let full: Awaited<ReturnType<typeof openElsewhere>>

const bytesOf = async (blob: Blob) => new Uint8Array(await blob.arrayBuffer())

beforeAll(async () => {
  const from = await openElsewhere()
  for (const city of ['Delhi', 'Berlin', 'Oslo']) await from.set({ key: 'user/home/city', value: `Alice lives in ${city}.` })
  await from.set({ key: 'user/diet', value: 'Alice eats no meat.', tags: ['food'] })
  await from.remove('user/diet')
  await from.set({ key: 'user/cat', value: { name: 'Mia', born: 2019 } }, { user: 'bob' })
  await from.forbid({ pattern: 'falcon', patternType: 'substring' })
  await from.call('namespaces.register', { defaultConflictPolicy: 'manual_review' })
  plain = await bytesOf(await from.export())
  sealed = await bytesOf(await from.export({ passphrase: PASSPHRASE }))
  lines = await linesOf(new Blob([plain]))
  empty = await openElsewhere()
  full = await openElsewhere()
  await full.set({ key: 'user/home/city', value: 'Alice lives in Rome.' })
  await full.settled()
})

/** That both an empty store and one that is in use refuse it with one of these codes, and stay as they are. */
const refused = async (
  archive: unknown,
  input = {},
  codes: readonly string[] = ['INVALID_ARGUMENT'],
): Promise<MemoryError> => {
  let last: unknown = null
  for (const memory of [empty, full]) {
    const before = contentsOf(memory.db)
    last = await memory.import(archive, input).then(
      (report) => ({ code: 'imported', report }),
      (error: unknown) => error,
    )
    expect(last).toBeInstanceOf(MemoryError)
    expect(codes).toContain((last as MemoryError).code)
    expect(contentsOf(memory.db)).toEqual(before)
  }
  return last as MemoryError
}

test('an archive that ends at any of its lines, or in the middle of one, is refused', async () => {
  for (let count = 0; count < lines.length; count++) {
    const whole = lines
      .slice(0, count)
      .map((line) => `${line}\n`)
      .join('')
    await refused(whole)
    await refused(whole + (lines[count] ?? '').slice(0, 40))
  }
  // Its last line without the end of a line.
  await refused(lines.join('\n'))
})

test('an archive with a line that is left out, doubled, moved or added is refused', async () => {
  for (let i = 0; i < lines.length; i++) {
    await refused(
      lines
        .toSpliced(i, 1)
        .map((line) => `${line}\n`)
        .join(''),
    )
    await refused(
      lines
        .toSpliced(i, 0, lines[i] ?? '')
        .map((line) => `${line}\n`)
        .join(''),
    )
    if (i + 1 < lines.length) {
      const moved = lines.toSpliced(i, 2, lines[i + 1] ?? '', lines[i] ?? '')
      await refused(moved.map((line) => `${line}\n`).join(''))
    }
  }
  await refused(`${lines.join('\n')}\n\n`)
  await refused(`${lines.join('\n')}\n{"type":"version"}\n`)
})

const flipped = (bytes: Uint8Array<ArrayBuffer>, at: number, bit: number): Uint8Array<ArrayBuffer> => {
  const changed = bytes.slice()
  const place = at % changed.length
  changed[place] = (changed[place] ?? 0) ^ (1 << bit)
  return changed
}
const places = fc.tuple(fc.nat(), fc.nat(7))

test('no bit of an archive can be turned', async () => {
  const text = gunzipSync(plain)
  await fc.assert(
    fc.asyncProperty(places, async ([at, bit]) => {
      await refused(new Blob([flipped(new Uint8Array(text), at, bit)]), {}, ['INVALID_ARGUMENT', 'SCHEMA_TOO_NEW'])
    }),
    { numRuns: RUNS },
  )
})

test('no bit of a compressed archive can be turned so that anything is read differently', async () => {
  const text = gunzipSync(plain).toString()
  await fc.assert(
    fc.asyncProperty(places, async ([at, bit]) => {
      const changed = flipped(plain, at, bit)
      // Some bits of the format's own first bytes say nothing about what is inside.
      let inside: string | null = null
      try {
        inside = gunzipSync(changed).toString()
      } catch {}
      if (inside !== text) await refused(new Blob([changed]))
    }),
    { numRuns: RUNS },
  )
})

test('no bit of an encrypted archive can be turned, no piece cut off', async () => {
  await fc.assert(
    fc.asyncProperty(places, async ([at, bit]) => {
      await refused(new Blob([flipped(sealed, at, bit)]), { passphrase: PASSPHRASE }, ['INVALID_ARGUMENT', 'SCHEMA_TOO_NEW'])
    }),
    { numRuns: Math.min(20, RUNS) },
  )
  for (const end of [
    0,
    10,
    sealed.indexOf(10),
    sealed.indexOf(10) + 1,
    sealed.indexOf(10) + 17,
    sealed.length - 16,
    sealed.length - 1,
  ])
    await refused(new Blob([sealed.slice(0, end)]), { passphrase: PASSPHRASE })
}, 60_000)

test('a compressed archive that is cut short anywhere is refused, and so is what stands behind it', async () => {
  for (let end = 0; end < plain.length; end += Math.ceil(plain.length / 60)) await refused(new Blob([plain.slice(0, end)]))
  await refused(new Blob([plain, 'more']))
})

describe('the passphrase', () => {
  test('must be the right one, is asked for, and is not taken where nothing is encrypted', async () => {
    const wrong = await refused(new Blob([sealed]), { passphrase: 'correct horse battery stapler' })
    expect(wrong.details).toMatchObject({ issues: [{ path: 'passphrase' }] })
    expect((await refused(new Blob([sealed]))).details).toMatchObject({ issues: [{ path: 'passphrase' }] })
    expect((await refused(new Blob([plain]), { passphrase: PASSPHRASE })).details).toMatchObject({
      issues: [{ path: 'passphrase' }],
    })
    const to = await openElsewhere()
    expect(await to.import(new Blob([sealed]), { passphrase: PASSPHRASE })).toMatchObject({ versions: 6 })
  })

  test('is one however its characters are made up', async () => {
    const from = await openElsewhere()
    await from.set({ key: 'a', value: 'A memory.' })
    const archive = await from.export({ passphrase: 'café'.normalize('NFC') })
    const to = await openElsewhere()
    expect(await to.import(archive, { passphrase: 'café'.normalize('NFD') })).toMatchObject({ versions: 1 })
  })

  test('leaves nothing readable, and no two archives alike', async () => {
    const from = await openElsewhere()
    await from.set({ key: 'user/secret', value: 'Alice hides the key under the mat.' })
    const [first, second] = [await from.export({ passphrase: PASSPHRASE }), await from.export({ passphrase: PASSPHRASE })]
    expect(await first.text()).not.toContain('Alice')
    expect(await first.text()).not.toBe(await second.text())
  })

  test('that was stretched too little, or that would take for ever, is refused before it is tried', async () => {
    const text = Buffer.from(sealed).toString('latin1')
    for (const iterations of ['1000', '4000000000']) {
      const changed = Buffer.from(text.replace('600000', iterations), 'latin1')
      await refused(new Blob([changed]), { passphrase: PASSPHRASE })
    }
  })

  test('pieces of a large archive can be neither moved nor dropped', async () => {
    const from = await openElsewhere()
    // What does not compress, so that it takes several pieces.
    const noise = (i: number) => createHmac('sha512', 'noise').update(`${i}`).digest('base64')
    await from.bulk(
      Array.from({ length: 40 }, (_, i) => ({
        key: `n/${i}`,
        value: Array.from({ length: 60 }, (_, j) => noise(100 * i + j)),
      })),
    )
    const whole = await bytesOf(await from.export({ passphrase: PASSPHRASE }))
    const start = whole.indexOf(10) + 1 + 16
    const size = 65_536 + 16
    expect(whole.length).toBeGreaterThan(start + 2 * size)
    const piece = (n: number) => whole.slice(start + n * size, start + (n + 1) * size)
    const head = whole.slice(0, start)
    const rest = whole.slice(start + 2 * size)
    await refused(new Blob([head, piece(1), piece(0), rest]), { passphrase: PASSPHRASE })
    await refused(new Blob([head, piece(1), rest]), { passphrase: PASSPHRASE })
    await refused(new Blob([head, piece(0)]), { passphrase: PASSPHRASE })
    await refused(new Blob([head, piece(0), piece(1)]), { passphrase: PASSPHRASE })
    const to = await openElsewhere()
    expect(await to.import(new Blob([whole]), { passphrase: PASSPHRASE })).toMatchObject({ versions: 40 })
  })
})

describe('who makes up a last line that fits', () => {
  /** The archive with one version changed. */
  const changing = (change: (version: Record<string, unknown>) => object): string => {
    const at = lines.findIndex((line) => line.includes('Oslo'))
    return forged(lines.with(at, JSON.stringify(change(JSON.parse(lines[at] ?? '{}') as Record<string, unknown>))))
  }

  test('still cannot change a version, its place or its scope', async () => {
    const changes: readonly ((version: Record<string, unknown>) => object)[] = [
      (version) => ({ ...version, body: String(version['body']).replace('Oslo', 'Rome') }),
      (version) => ({ ...version, scope: { org: 'local', namespace: 'default', user: 'bob' } }),
      (version) => ({ ...version, ver: `${BigInt(String(version['ver'])) + 1n}` }),
      (version) => ({ ...version, kind: 'restore' }),
      (version) => ({ ...version, id: `${'0'.repeat(16)}.1` }),
      (version) => ({ ...version, parents: [] }),
      (version) => ({ ...version, prev: null }),
      (version) => ({ ...version, prev: 'a'.repeat(64) }),
      (version) => ({ ...version, sha256: 'a'.repeat(64) }),
      (version) => ({ ...version, commitment: 'a'.repeat(64) }),
      (version) => ({ ...version, salt: '00'.repeat(16) }),
      (version) => ({ ...version, salt: null }),
      (version) => ({ ...version, memory: '01ARYZ6S41TSV4RRFFQ69G5FAV' }),
    ]
    for (const change of changes) await refused(changing(change))
  })

  test('cannot bring in what no schema knows, nor a field that would reach a prototype', async () => {
    await refused(changing((version) => ({ ...version, extra: 1 })))
    await refused(changing((version) => JSON.parse(`{"__proto__": {"polluted": 1}, ${JSON.stringify(version).slice(1)}`)))
    await refused(forged(lines.toSpliced(1, 0, '{"type":"trigger","sql":"drop table versions"}')))
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  test('cannot bring in a body that no store writes, though all its hashes fit', async () => {
    const rehashed = (change: (body: string) => string) =>
      changing((version) => {
        const body = change(String(version['body']))
        const commitment = createHash('sha256')
          .update(Buffer.from(String(version['salt']), 'hex'))
          .update(body)
          .digest('hex')
        const scope = version['scope'] as Record<string, string>
        const header = [
          version['prev'],
          version['id'],
          version['ver'],
          version['kind'],
          version['memory'],
          (version['parents'] as string[]).join(' '),
          `{"namespace":"${scope['namespace']}","org":"${scope['org']}","user":"${scope['user']}"}`,
          commitment,
        ]
        return { ...version, body, commitment, sha256: sha256Hex(header.join('\n')) }
      })
    // The helper does what the store does.
    const same = await openElsewhere()
    expect(await same.import(rehashed((body) => body))).toMatchObject({ versions: 6 })
    for (const change of [
      (body: string) => body.replace('user/home/city', '/user//home'),
      (body: string) => body.replace('"value":', '"vaule":'),
      (body: string) => body.replace(/"updatedAt":\d+/, '"updatedAt":"now"'),
      (body: string) => body.replace('Oslo', 'Rome'),
      (body: string) => ` ${body}`,
      (body: string) => body.replace('{', '{"__proto__":{"polluted":1},'),
      (body: string) => body.replace('{', '{"conflictWith":["nobody"],'),
      () => '[]',
      () => 'nothing',
    ])
      await refused(rehashed(change))
  })
})

test('an archive of a newer build is refused by its number, also under a passphrase', async () => {
  const newer = forged(lines.with(0, (lines[0] ?? '').replace('"version":1', '"version":2')))
  expect((await refused(newer, {}, ['SCHEMA_TOO_NEW'])).details).toEqual({ supported: 1, found: 2 })
  const text = Buffer.from(sealed).toString('latin1').replace('"version":1', '"version":7')
  const later = new Blob([Buffer.from(text, 'latin1')])
  expect((await refused(later, { passphrase: PASSPHRASE }, ['SCHEMA_TOO_NEW'])).details).toEqual({ supported: 1, found: 7 })
})

test('what is nothing of the kind is refused, whatever it is', async () => {
  const others = [
    '',
    ' ',
    '\n',
    'hello',
    '{}',
    '[]',
    'null',
    '5',
    '{"results":[]}',
    '{"type":"palimpsest-archive"}',
    '\ufeff{',
    '[{"a":1}]',
  ]
  for (const other of [...others, new Blob([new Uint8Array(1000)]), new Blob([gzipSync('hello')])]) await refused(other)
  await refused(`${'x'.repeat(5 * 1024 * 1024)}\n`)
  await refused(`${lines[0]}\n${'x'.repeat(5 * 1024 * 1024)}`)
  for (const other of [null, 5, {}, [], new Uint8Array(4)]) await refused(other)
})

test('a refusal names the line and never what stands in it, and leaves a trace in the audit', async () => {
  const at = lines.findIndex((line) => line.includes('Oslo'))
  const text = lines
    .with(at, (lines[at] ?? '').replace('Oslo', 'Rome'))
    .map((line) => `${line}\n`)
    .join('')
  const before = empty.audited().length
  const details = await refusal(empty.import(text, {}, ALICE), 'INVALID_ARGUMENT')
  expect(details.issues).toMatchObject([{ path: `archive.lines.${at + 1}` }])
  expect(JSON.stringify(details)).not.toContain('Rome')
  expect(empty.audited().slice(before)).toMatchObject([{ action: 'memory.import', outcome: 'INVALID_ARGUMENT' }])
})
