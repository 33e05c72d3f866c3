/** First words of the script, once its engine is warm. */
export interface PatternHello {
  readonly type: 'palimpsest:patterns'
}

/** Asked of the worker that runs patterns, one at a time. */
export type PatternRequest =
  | { readonly task: 'check'; readonly pattern: string }
  /** Answered pattern by pattern, up to the first that is found. */
  | { readonly task: 'scan'; readonly patterns: readonly string[]; readonly texts: readonly string[] }

export type PatternReply = { readonly problem: string | null } | { readonly found: boolean }
