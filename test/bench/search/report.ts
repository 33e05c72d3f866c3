/** Milliseconds per query of a system at a number of vectors. */
export interface Point {
  readonly system: string
  readonly vectors: number
  readonly ms: number
}

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [720, 420, 64, 150, 20, 44] as const
const COLOURS = ['#0b6e4f', '#8a8f98', '#c8553d', '#3d5a80', '#b8860b', '#6a4c93']

const logs = (values: readonly number[]): readonly [number, number] => [
  Math.floor(Math.log10(Math.min(...values))),
  Math.ceil(Math.log10(Math.max(...values))),
]

/** Both axes by powers of ten: what grows with the number of vectors is a straight line. */
export const plot = (title: string, points: readonly Point[]): string => {
  const [x0, x1] = logs(points.map(({ vectors }) => vectors))
  const [y0, y1] = logs(points.map(({ ms }) => ms))
  const x = (vectors: number): number => LEFT + ((Math.log10(vectors) - x0) / (x1 - x0)) * (WIDTH - LEFT - RIGHT)
  const y = (ms: number): number => HEIGHT - BOTTOM - ((Math.log10(ms) - y0) / (y1 - y0)) * (HEIGHT - TOP - BOTTOM)
  const text = (at: readonly [number, number], words: string, more = ''): string =>
    `<text x="${at[0].toFixed(1)}" y="${at[1].toFixed(1)}" ${more}>${words}</text>`
  const line = (from: readonly [number, number], to: readonly [number, number]): string =>
    `<line x1="${from[0].toFixed(1)}" y1="${from[1].toFixed(1)}" x2="${to[0].toFixed(1)}" y2="${to[1].toFixed(1)}" stroke="#d5d8dc"/>`
  const between = (low: number, high: number): number[] => Array.from({ length: high - low + 1 }, (_, i) => low + i)
  const grid = [
    ...between(x0, x1).flatMap((power) => [
      line([x(10 ** power), TOP], [x(10 ** power), HEIGHT - BOTTOM]),
      text([x(10 ** power), HEIGHT - BOTTOM + 18], (10 ** power).toLocaleString('en'), 'text-anchor="middle"'),
    ]),
    ...between(y0, y1).flatMap((power) => [
      line([LEFT, y(10 ** power)], [WIDTH - RIGHT, y(10 ** power)]),
      text([LEFT - 8, y(10 ** power) + 4], String(+(10 ** power).toPrecision(1)), 'text-anchor="end"'),
    ]),
    text([LEFT, HEIGHT - 8], 'vectors'),
    text([8, TOP - 6], 'ms per query'),
  ]
  const lines = [...new Set(points.map(({ system }) => system))].flatMap((system, i) => {
    const own = points.filter((point) => point.system === system).sort((a, b) => a.vectors - b.vectors)
    const colour = COLOURS[i % COLOURS.length] as string
    const last = own[own.length - 1] as Point
    return [
      `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${own.map((p) => `${x(p.vectors).toFixed(1)},${y(p.ms).toFixed(1)}`).join(' ')}"/>`,
      ...own.map((p) => `<circle cx="${x(p.vectors).toFixed(1)}" cy="${y(p.ms).toFixed(1)}" r="3" fill="${colour}"/>`),
      text([x(last.vectors) + 8, y(last.ms) + 4], system, `fill="${colour}"`),
    ]
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" role="img" aria-label="${title}">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
${[...grid, ...lines].join('\n')}
</svg>
`
}

/** A table as Markdown, which also reads well in a terminal. */
export const table = (columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
