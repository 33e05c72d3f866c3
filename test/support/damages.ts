/** Where things are in a sound file: page numbers, from 1. */
export interface Layout {
  readonly pages: number
  /** Root page of each table and index. */
  readonly roots: Readonly<Record<string, number>>
  /** Pages of each table and index, from `dbstat`: kind is internal, leaf or overflow. */
  readonly pagesOf: (name: string, kind: string) => readonly number[]
}

export interface Damage {
  readonly name: string
  /** Changes a copy, or answers other bytes. */
  readonly apply: (bytes: Uint8Array, layout: Layout) => Uint8Array | undefined
  /** What may be lost: rows of the pages named, nothing, or everything. */
  readonly loses: 'nothing' | 'everything' | ((layout: Layout) => readonly number[])
  /** Not seen by the checks that fit into opening, only by the thorough one afterwards. */
  readonly hidden?: true
}

const PAGE = 8192

const pageOf = (bytes: Uint8Array, page: number): Uint8Array => bytes.subarray((page - 1) * PAGE, page * PAGE)

const noise = (bytes: Uint8Array, seed = 1): void => {
  let state = seed
  for (let i = 0; i < bytes.length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[i] = state >>> 24
  }
}

const middle = (numbers: readonly number[]): number => numbers[numbers.length >> 1] as number

const setPage = (bytes: Uint8Array, page: number, at: number, ...values: readonly number[]): void =>
  pageOf(bytes, page).set(values, at)

const leaf = (layout: Layout): number => middle(layout.pagesOf('versions', 'leaf'))
const inner = (layout: Layout): number => layout.roots.versions as number
const overflow = (layout: Layout): number => middle(layout.pagesOf('versions', 'overflow'))

const in_place = (change: (bytes: Uint8Array, layout: Layout) => void) => (bytes: Uint8Array, layout: Layout) => {
  change(bytes, layout)
  return undefined
}

export const damages: readonly Damage[] = [
  { name: 'the header is zeroed', apply: in_place((b) => void b.fill(0, 0, 100)), loses: 'nothing' },
  { name: 'one letter of the magic is wrong', apply: in_place((b) => void b.set([0x58], 3)), loses: 'nothing' },
  { name: 'the page size is nonsense', apply: in_place((b) => void b.set([0x13, 0x37], 16)), loses: 'nothing' },
  {
    name: 'the header counts more pages than there are',
    apply: in_place((b) => void b.set([0, 1, 0, 0], 28)),
    loses: 'nothing',
  },
  { name: 'the header asks for a newer file format', apply: in_place((b) => void b.set([9, 9], 18)), loses: 'nothing' },
  { name: 'the first page is zeroed', apply: in_place((b) => void pageOf(b, 1).fill(0)), loses: 'nothing' },
  { name: 'the first page is noise', apply: in_place((b) => noise(pageOf(b, 1))), loses: 'nothing' },
  { name: 'the schema names pages beyond the file', apply: in_place((b) => breakRoots(b)), loses: 'nothing' },
  {
    name: 'the root of the versions is zeroed',
    apply: in_place((b, l) => void pageOf(b, inner(l)).fill(0)),
    loses: 'nothing',
  },
  { name: 'the root of the versions is noise', apply: in_place((b, l) => noise(pageOf(b, inner(l)))), loses: 'nothing' },
  {
    name: 'the root of the versions points in circles',
    apply: in_place((b, l) => pageOf(b, inner(l)).set([0, 0, inner(l) >> 8, inner(l) & 255], 8)),
    loses: 'nothing',
  },
  {
    name: 'a leaf of the versions is zeroed',
    apply: in_place((b, l) => void pageOf(b, leaf(l)).fill(0)),
    loses: (l) => [leaf(l)],
    hidden: true,
  },
  {
    name: 'a leaf of the versions is noise',
    apply: in_place((b, l) => noise(pageOf(b, leaf(l)))),
    loses: (l) => [leaf(l)],
    hidden: true,
  },
  {
    name: 'half a leaf of the versions was not written',
    apply: in_place((b, l) => void pageOf(b, leaf(l)).fill(0, 4096)),
    loses: (l) => [leaf(l)],
    hidden: true,
  },
  {
    name: 'a leaf has another kind',
    apply: in_place((b, l) => setPage(b, leaf(l), 0, 0x0a)),
    loses: (l) => [leaf(l)],
    hidden: true,
  },
  {
    name: 'a leaf counts more rows than it has',
    apply: in_place((b, l) => setPage(b, leaf(l), 3, 0x0f, 0xff)),
    loses: (l) => [leaf(l)],
    hidden: true,
  },
  {
    name: 'a row lies beyond its page',
    apply: in_place((b, l) => setPage(b, leaf(l), 8, 0x1f, 0xfe)),
    loses: (l) => [leaf(l)],
    hidden: true,
  },
  {
    name: 'the first leaf is zeroed',
    apply: in_place((b, l) => void pageOf(b, l.pagesOf('versions', 'leaf')[0] as number).fill(0)),
    loses: (l) => [l.pagesOf('versions', 'leaf')[0] as number],
  },
  {
    name: 'an overflow page points beyond the file',
    apply: in_place((b, l) => setPage(b, overflow(l), 0, 0x7f, 0, 0, 0)),
    loses: (l) => [overflow(l)],
    hidden: true,
  },
  {
    name: 'an overflow page points at itself',
    apply: in_place((b, l) => setPage(b, overflow(l), 0, 0, 0, overflow(l) >> 8, overflow(l) & 255)),
    loses: (l) => [overflow(l)],
    hidden: true,
  },
  {
    name: 'the root of an index is noise',
    apply: in_place((b, l) => noise(pageOf(b, l.roots.versions_by_memory as number))),
    loses: 'nothing',
    hidden: true,
  },
  {
    name: 'a leaf of an index is zeroed',
    apply: in_place((b, l) => void pageOf(b, middle(l.pagesOf('versions_by_memory', 'leaf'))).fill(0)),
    loses: 'nothing',
    hidden: true,
  },
  {
    name: 'a leaf of an index misses an entry',
    apply: in_place((b, l) => dropEntry(b, middle(l.pagesOf('versions_by_memory', 'leaf')))),
    loses: 'nothing',
    hidden: true,
  },
  {
    name: 'the list of free pages is nonsense',
    apply: in_place((b) => void b.set([0, 0, 0, 3], 32)),
    loses: 'nothing',
    hidden: true,
  },
  {
    name: 'a page of the text index is zeroed',
    apply: in_place((b, l) => void pageOf(b, middle(l.pagesOf('words_data', 'leaf'))).fill(0)),
    loses: 'nothing',
  },
  {
    name: 'the identities are noise',
    apply: in_place((b, l) => noise(pageOf(b, l.roots.identities as number))),
    loses: 'nothing',
  },
  { name: 'the last page is missing', apply: (b) => b.slice(0, -PAGE), loses: 'everything' },
  { name: 'the file ends in the middle of a page', apply: (b) => b.slice(0, (b.length >> 1) + 1000), loses: 'everything' },
  { name: 'only the first page is left', apply: (b) => b.slice(0, PAGE), loses: 'everything' },
  { name: 'only a part of the header is left', apply: (b) => b.slice(0, 50), loses: 'everything' },
  { name: 'the file is empty', apply: () => new Uint8Array(), loses: 'everything' },
  { name: 'the whole file is noise', apply: in_place((b) => noise(b)), loses: 'everything' },
  { name: 'the whole file is zeroed', apply: in_place((b) => void b.fill(0)), loses: 'everything' },
  {
    name: 'the file is something else',
    apply: () => new TextEncoder().encode('<!doctype html><title>Not found</title>'.repeat(500)),
    loses: 'everything',
  },
  {
    name: 'every tenth page is zeroed',
    apply: in_place((b, l) => {
      for (let page = 10; page <= l.pages; page += 10) pageOf(b, page).fill(0)
    }),
    loses: 'everything',
  },
]

/** The schema's rows end in root page, then text; the roots are small numbers after the table's name. */
const breakRoots = (bytes: Uint8Array): void => {
  const page = pageOf(bytes, 1)
  const text = new TextDecoder('latin1').decode(page)
  for (let at = text.indexOf('versionsversions'); at >= 0; at = text.indexOf('versionsversions', at + 1))
    page.set([0xff], at + 'versionsversions'.length)
}

const dropEntry = (bytes: Uint8Array, page: number): void => {
  const view = new DataView(bytes.buffer, bytes.byteOffset + (page - 1) * PAGE, PAGE)
  view.setUint16(3, view.getUint16(3) - 1)
}
