/** A time that a query names, and where it does. */
export interface TimeWindow {
  /** Epoch milliseconds. */
  readonly from: number
  /** The first moment after it. */
  readonly to: number
  readonly start: number
  readonly end: number
}

/** How well a moment fits a window: 1 within it, half right beside it, and half of that with each length of it that it is away. */
export const timeliness = (at: number | null, { from, to }: TimeWindow): number => {
  if (at === null) return 0
  const away = at < from ? from - at : at >= to ? at - to : 0
  return away === 0 && at >= from && at < to ? 1 : 0.5 ** (1 + away / Math.max(to - from, DAY))
}

const DAY = 86_400_000

/** Words by which a query asks for how things stand, and for how they stood. */
const NOW =
  /(?<!\p{L})(?:now|current(?:ly)?|latest|today|these days|at present|up to date|still|right now|most recent(?:ly)?)(?!\p{L})/iu
const THEN =
  /(?<!\p{L})(?:first|initial(?:ly)?|original(?:ly)?|before|earlier|previous(?:ly)?|formerly|used to|at first|in the past|old|back then|began|started)(?!\p{L})/iu

export const asksForNow = (query: string): boolean => NOW.test(query)
export const asksForThen = (query: string): boolean => THEN.test(query)
