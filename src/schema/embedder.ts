/** Which embedder answers, and how far the one that the app wants has come. */
export interface EmbedderReport {
  /** Whose vectors are searched; null until one has answered. */
  readonly active: { readonly id: string; readonly dims: number } | null
  readonly wanted: { readonly id: string; readonly dims: number | null }
  /**
   * `idle`: not asked for anything yet. `loading`: its model is being loaded. `embedding`: memories get their vectors. `ready`: it
   * answers. `failed`: it did not answer and is tried again later. `paused`, `cancelled`: by the app, until `resume`.
   */
  readonly state: 'idle' | 'loading' | 'embedding' | 'ready' | 'failed' | 'paused' | 'cancelled'
  /** Passages that have a vector of the wanted embedder, out of all. */
  readonly loaded: number
  readonly total: number
  /** From 0 to 1. */
  readonly ratio: number
  /** Bytes of its model while that is loaded; null else. */
  readonly model: {
    readonly loaded: number
    readonly total: number | null
    readonly ratio: number
    readonly file: string
  } | null
  /** Why it failed, in a sentence. */
  readonly reason: string | null
}

/** How the similarities of the embedder that answers are to be read. */
export interface CalibrationReport {
  readonly embedder: string | null
  /**
   * Where the thresholds of judging come from: settled for the `type` or the `namespace`, `measured` on the calibration texts when the
   * embedder was first used, or the `fallback` until then.
   */
  readonly source: 'tag' | 'type' | 'namespace' | 'measured' | 'fallback'
  /** Cosines from which on a memory may be a duplicate, may be in conflict, is evidence in a search. */
  readonly thresholds: { readonly duplicate: number; readonly conflict: number; readonly vector: number }
  readonly randomPairs: Percentiles | null
  readonly paraphrases: Percentiles | null
  readonly measuredAt: number | null
}

/** Cosines below which a share of pairs lies. */
export interface Percentiles {
  readonly p5: number
  readonly p25: number
  readonly p50: number
  readonly p75: number
  readonly p95: number
}
