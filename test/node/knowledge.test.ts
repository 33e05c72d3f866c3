import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sectionsOf } from '../../src/domain/neighbours/sections.js'
import { stillSays } from '../../src/domain/neighbours/source.js'
import type { DocumentResult, DocumentRow, DocumentsResult, SectionRow } from '../../src/schema/neighbours/knowledge.js'
import type { SearchResult } from '../../src/schema/records.js'
import { readHtml } from '../../worker/documents/html.js'
import { readMarkdown } from '../../worker/documents/markdown.js'
import { ALICE, type Fields, open, refusal } from '../support/engine-calls.js'

const MANUAL = `Read this first.

# Kettle

It boils water.

## Descaling

Descale the kettle every two months with vinegar.

## Safety

Never leave it on without water.
`

const openKnowledge = async () => {
  const memory = await open()
  return {
    ...memory,
    upsert: (content: string, more: Fields = {}) =>
      memory.call<DocumentResult>('knowledge.upsert', { document: 'manual', content, ...more }, ALICE),
    section: (source: string) => memory.call<SectionRow | null>('knowledge.get', { source }, ALICE),
    document: () => memory.call<DocumentRow | null>('knowledge.get', { source: 'manual' }, ALICE),
  }
}

describe('reading documents', () => {
  const outline = (text: string) =>
    sectionsOf(readMarkdown(text)).map(({ slug, level, above }) => [slug, level, above.join('/')])

  test('Markdown is divided at its headings, not at what only looks like one', () => {
    expect(outline(MANUAL)).toEqual([
      ['top', 0, ''],
      ['kettle', 1, ''],
      ['descaling', 2, 'Kettle'],
      ['safety', 2, 'Kettle'],
    ])
    expect(outline('Setext *title*\n===\n\ntext\n\n```\n# code\n```\n\n> # quoted\n\n####### seven')).toEqual([
      ['setext-title', 1, ''],
    ])
    expect(outline('# A\n\n# A\n\n### C\n\n## A')).toEqual([
      ['a', 1, ''],
      ['a-2', 1, ''],
      ['c', 3, 'A'],
      ['a-3', 2, 'A'],
    ])
  })

  test('HTML is read as it is seen', () => {
    const page = `<title>x</title><style>b{}</style><p>Intro &amp; more<br>line</p><h1>Kettle <em>one</em></h1><div><p>Boils   water.</p>
      <script>alert(1)</script><h2>Care</h2><ul><li>Vinegar<li>Rinse</ul></div>`
    expect(sectionsOf(readHtml(page)).map(({ slug, text }) => [slug, text])).toEqual([
      ['top', 'Intro & more\nline'],
      ['kettle-one', 'Kettle one\n\nBoils water.'],
      ['care', 'Care\n\nVinegar\n\nRinse'],
    ])
  })

  test('nothing of a text is lost, and no section is too long', () => {
    const line = fc.oneof(
      fc.string({ maxLength: 30 }),
      fc.constantFrom('# A', '## B', '```', '> q', '- l', '', '='.repeat(3)),
    )
    const words = (text: string) => text.replace(/\s+/g, '')
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const text = lines.join('\n').replaceAll('\0', '')
        const sections = sectionsOf(readMarkdown(text))
        expect(words(sections.map((section) => section.text).join(''))).toBe(words(text))
        expect(new Set(sections.map(({ slug }) => slug)).size).toBe(sections.length)
      }),
    )
    const long = sectionsOf([{ level: 1, heading: 'A', text: `${'word '.repeat(6_000)}\n\n${'x'.repeat(13_000)}` }])
    expect(long.map(({ text }) => text.length).every((length) => length <= 12_000)).toBe(true)
    expect(long.map(({ slug }) => slug).slice(0, 2)).toEqual(['a', 'a-2'])
  })
})

test.each<[string, string, string, boolean]>([
  ['Descale every two months.', 'Descale the kettle every two months.', 'Descale the kettle every two months.', true],
  ['Descale every two months.', 'Descale it every two months.', 'Please descale the kettle every two months now.', true],
  ['Descale every 2 months.', 'Descale it every 2 months.', 'Descale it every 3 months.', false],
  ['The lid is heat proof.', 'The lid is heat proof.', 'The lid is not heat proof.', false],
  ['The lid is heat proof.', 'The lid is heat proof.', '', false],
  ['The moon is far.', 'The lid is heat proof.', 'Something else.', true],
])('what was taken as %j from %j is still said by %j: %s', (statement, before, after, expected) => {
  expect(stillSays(statement, before, after)).toBe(expected)
})

describe('documents', () => {
  test('are kept section by section, each with an address', async () => {
    const { upsert, document, section } = await openKnowledge()
    const { sections } = await upsert(MANUAL, { origin: 'https://example.org' })
    expect(sections.map(({ source, outcome }) => [source, outcome])).toEqual([
      ['manual#top', 'new'],
      ['manual#kettle', 'new'],
      ['manual#descaling', 'new'],
      ['manual#safety', 'new'],
    ])
    expect(await document()).toMatchObject({
      kind: 'document',
      title: 'Kettle',
      format: 'markdown',
      origin: 'https://example.org',
    })
    expect(await section('manual#descaling')).toMatchObject({
      kind: 'section',
      document: 'manual',
      heading: 'Descaling',
      above: ['Kettle'],
      text: '## Descaling\n\nDescale the kettle every two months with vinegar.',
    })
    expect(await section('manual#nothing')).toBeNull()
    expect(await section('other#top')).toBeNull()
  })

  test('are found by search, a hit naming its document, and by the words of a heading above', async () => {
    const { upsert, call, settled, keys } = await openKnowledge()
    await upsert(MANUAL)
    const search = (query: string) => call<SearchResult>('memory.search', { query }, ALICE)
    expect((await search('vinegar')).hits[0]).toMatchObject({
      key: '~knowledge/manual/descaling',
      parentKey: '~knowledge/manual',
    })
    await settled()
    expect((await search('how often to descale with vinegar?')).hits[0]?.key).toBe('~knowledge/manual/descaling')
    expect((await search('kettle safety')).hits[0]?.key).toBe('~knowledge/manual/safety')
    expect(await keys()).toEqual([])
  })

  test('that change are written only where they did', async () => {
    const { upsert, section, audited } = await openKnowledge()
    await upsert(MANUAL)
    const versions = async () => [(await section('manual#kettle'))?.version, (await section('manual#safety'))?.version]
    const before = await versions()
    const noted = audited().length
    const same = await upsert(MANUAL)
    expect(same.sections.every(({ outcome }) => outcome === 'same')).toBe(true)
    expect(audited()).toHaveLength(noted)
    const changed = await upsert(
      `${MANUAL.replace('two months', 'month').replace('Read this first.\n', '')}\n## Warranty\n\nTwo years.`,
    )
    expect(changed.removed).toEqual(['manual#top'])
    expect(changed.sections.map(({ outcome }) => outcome)).toEqual(['same', 'changed', 'same', 'new'])
    expect(await versions()).toEqual(before)
    expect(await section('manual#top')).toBeNull()
  })

  test('tag a fact that they no longer back, and no other', async () => {
    const { upsert, set, get, call } = await openKnowledge()
    await upsert(MANUAL)
    await set({
      key: 'kettle/descaling',
      value: 'Descale the kettle every two months.',
      sourceResourceId: 'manual#descaling',
    })
    await set({ key: 'kettle/safety', value: 'The kettle needs water.', sourceResourceId: 'manual' })
    await set({ key: 'kettle/colour', value: 'Descale in two colours.' })
    const { sourceChanged } = await upsert(MANUAL.replace('two months', 'three weeks'))
    expect(sourceChanged).toEqual(['kettle/descaling'])
    expect((await get('kettle/descaling'))?.tags).toEqual(['source-changed'])
    expect((await get('kettle/safety'))?.tags).toEqual([])
    const gone = await call<DocumentResult>('knowledge.remove', { document: 'manual' }, ALICE)
    expect(gone).toMatchObject({ found: true, sections: 4, sourceChanged: ['kettle/safety'] })
    expect(await call<DocumentsResult>('knowledge.list', {}, ALICE)).toMatchObject({ rows: [] })
  })

  test('are refused whole: a name that is taken, a rule, a lock, no text', async () => {
    const { upsert, call, forbid, lock, section } = await openKnowledge()
    await upsert(MANUAL)
    const add = (content: string, document = 'manual') => call('knowledge.add', { document, content }, ALICE)
    await refusal(add('Other.'), 'PRECONDITION_FAILED')
    await refusal(upsert('<p></p>', { format: 'html' }), 'INVALID_ARGUMENT')
    await refusal(upsert('x', { document: 'a#b' }), 'INVALID_ARGUMENT')
    await forbid({ pattern: 'falcon', patternType: 'substring' })
    await refusal(upsert(`${MANUAL}\n## Code\n\nFalcon.`), 'BLACKLISTED')
    expect(await section('manual#code')).toBeNull()
    await lock('~knowledge/manual/safety', { mode: 'read_only', reason: 'signed off' })
    await refusal(upsert(MANUAL.replace('Never', 'Always').replace('two', 'ten')), 'LOCKED')
    expect((await section('manual#descaling'))?.text).toContain('two months')
  })

  test('that are hostile are read or refused, never a crash', async () => {
    const { upsert } = await openKnowledge()
    for (const [format, content] of [
      ['markdown', '>'.repeat(20_000)],
      ['markdown', '['.repeat(5_000)],
      ['html', '<div>'.repeat(20_000)],
      ['html', '<h1>'.repeat(3_000)],
    ] as const) {
      const outcome = await upsert(content, { format }).then(
        () => 'read',
        (error: unknown) => (error as { code: string }).code,
      )
      expect(['read', 'INVALID_ARGUMENT']).toContain(outcome)
    }
  })

  test('that hold a secret keep it out of search', async () => {
    const { upsert, found, settled } = await openKnowledge()
    await upsert('# Access\n\nThe key is sk-proj-4f9aB7cD2eF1gH3iJ5kL6mN8oP0qR2sT4uV6wX8yZ0aB1cD3.\n\n# Lunch\n\nAt noon.')
    await settled()
    expect(await found('access key')).not.toContain('~knowledge/manual/access')
  })
})
