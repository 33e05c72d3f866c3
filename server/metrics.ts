type Labels = Readonly<Record<string, string | number>>

export interface Metrics {
  readonly count: (name: string, labels?: Labels, by?: number) => void
  readonly gauge: (name: string, read: () => number) => void
  readonly observe: (name: string, seconds: number, labels?: Labels) => void
  /** Prometheus' text format. */
  readonly text: () => string
}

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const HELP: Readonly<Record<string, string>> = {
  palimpsest_requests_total: 'Requests answered.',
  palimpsest_request_seconds: 'Time until a request was answered.',
  palimpsest_pushed_rows_total: 'Rows pushed, by what became of them.',
  palimpsest_pulled_rows_total: 'Rows handed out.',
  palimpsest_rebases_total: 'Readers that were told to begin anew.',
  palimpsest_hint_streams: 'Open streams of hints.',
  palimpsest_resident_bytes: 'Memory of the process.',
}

interface Histogram {
  readonly counts: number[]
  sum: number
  count: number
}

const labelText = (labels: Labels): string => {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${String(value).replace(/[\\"\n]/g, '_')}"`)
  return parts.length === 0 ? '' : `{${parts.join()}}`
}

export const openMetrics = (): Metrics => {
  const counters = new Map<string, Map<string, number>>()
  const gauges = new Map<string, () => number>()
  const histograms = new Map<string, Map<string, { readonly labels: Labels; readonly histogram: Histogram }>>()

  const header = (name: string, type: string) => [`# HELP ${name} ${HELP[name] ?? name}`, `# TYPE ${name} ${type}`]

  const histogramLines = (name: string, { labels, histogram }: { labels: Labels; histogram: Histogram }): string[] => [
    ...BUCKETS.map((le, i) => `${name}_bucket${labelText({ ...labels, le })} ${histogram.counts[i] ?? 0}`),
    `${name}_bucket${labelText({ ...labels, le: '+Inf' })} ${histogram.count}`,
    `${name}_sum${labelText(labels)} ${histogram.sum}`,
    `${name}_count${labelText(labels)} ${histogram.count}`,
  ]

  return {
    count: (name, labels = {}, by = 1) => {
      const series = counters.get(name) ?? new Map<string, number>()
      counters.set(name, series.set(labelText(labels), (series.get(labelText(labels)) ?? 0) + by))
    },
    gauge: (name, read) => {
      gauges.set(name, read)
    },
    observe: (name, seconds, labels = {}) => {
      const series = histograms.get(name) ?? new Map()
      histograms.set(name, series)
      const key = labelText(labels)
      const found = series.get(key) ?? { labels, histogram: { counts: BUCKETS.map(() => 0), sum: 0, count: 0 } }
      series.set(key, found)
      found.histogram.sum += seconds
      found.histogram.count++
      // Buckets are cumulative.
      for (const [i, le] of BUCKETS.entries()) if (seconds <= le) found.histogram.counts[i]++
    },
    text: () => {
      const lines: string[] = []
      for (const [name, series] of counters)
        lines.push(...header(name, 'counter'), ...[...series].map(([labels, value]) => `${name}${labels} ${value}`))
      for (const [name, read] of gauges) lines.push(...header(name, 'gauge'), `${name} ${read()}`)
      for (const [name, series] of histograms)
        lines.push(...header(name, 'histogram'), ...[...series.values()].flatMap((each) => histogramLines(name, each)))
      return `${lines.join('\n')}\n`
    },
  }
}
