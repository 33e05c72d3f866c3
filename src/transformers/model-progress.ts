import type { ModelProgress } from '../protocol/embedding.js'

/** Between two reports. */
const EVERY_MS = 100

/** How far all files of a model together are. */
export interface ProgressMeter {
  readonly moved: (url: string, loaded: number, total: number | null) => void
  /** Everything is there. */
  readonly finish: () => void
}

/**
 * Adds up the files of a model. The small ones come first, so the total stays unknown until the weights have said theirs; from then
 * on nothing that is reported goes backwards, also when a file starts anew.
 */
export const createProgressMeter = (report: (progress: ModelProgress) => void, now: () => number): ProgressMeter => {
  const files = new Map<string, { loaded: number; total: number | null }>()
  let last: ModelProgress = { loaded: 0, total: null, ratio: 0, file: '' }
  let reportedAt = Number.NEGATIVE_INFINITY

  const sum = (file: string): ModelProgress => {
    const all = [...files.values()]
    const loaded = Math.max(last.loaded, add(all.map((one) => one.loaded)))
    const known = [...files].some(([url, { total }]) => /\.onnx(_data)?$/.test(url) && total !== null)
    const total = known ? Math.max(last.total ?? 0, loaded, add(all.map((one) => one.total ?? one.loaded))) : last.total
    const ratio = total === null || total === 0 ? last.ratio : Math.max(last.ratio, loaded / total)
    return { loaded, total, ratio, file }
  }

  return {
    moved: (url, loaded, total) => {
      const before = files.get(url)
      files.set(url, { loaded: Math.max(loaded, before?.loaded ?? 0), total: total ?? before?.total ?? null })
      last = sum(url)
      if (now() - reportedAt < EVERY_MS && loaded !== total) return
      reportedAt = now()
      report(last)
    },
    finish: () => {
      const total = Math.max(last.loaded, last.total ?? 0)
      last = { ...last, loaded: total, total, ratio: 1 }
      report(last)
    },
  }
}

const add = (numbers: readonly number[]): number => numbers.reduce((sum, value) => sum + value, 0)
