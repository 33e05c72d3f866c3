import type { Finder } from './finding/find.js'

export type { Finder }

/** What finds by all legs, loaded once; null while it cannot be loaded, which the next search tries again. */
export const createFinderSource = (load: () => Promise<Finder>): (() => Promise<Finder | null>) => {
  let loading: Promise<Finder | null> | null = null
  return () => {
    loading ??= load().catch(() => {
      loading = null
      return null
    })
    return loading
  }
}
