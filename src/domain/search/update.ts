/** Words by which a statement says that something is otherwise than before. */
const CHANGE =
  /(?<!\p{L})(?:now|new(?:ly)?|no longer|any ?more|instead|updated?|chang(?:ed|ing)|moved|moving|rescheduled|postponed|adjusted|increas(?:ed|ing)|decreas(?:ed|ing)|reduced|raised|lowered|extended|improved|switched|switching|replaced|grown|grew|recent(?:ly)?|actually|corrected|correction)(?!\p{L})/iu

const NUMBERS = /\d+(?:[.,:]\d+)*/gu

const numbersOf = (text: string): ReadonlySet<string> => new Set(text.match(NUMBERS) ?? [])

/**
 * Whether the later of two statements about one thing may be what became of the earlier: it says that something changed, or it has another
 * number. Whether they are about one thing is for the caller to know.
 */
export const mayUpdate = (query: string, earlier: string, later: string): boolean => {
  const [before, after] = [numbersOf(earlier), numbersOf(later)]
  // Whoever asks for a number means the statement that has it.
  if ([...numbersOf(query)].some((number) => before.has(number) && !after.has(number))) return false
  if (CHANGE.test(later) && !CHANGE.test(earlier)) return true
  return before.size > 0 && [...after].some((number) => !before.has(number))
}
