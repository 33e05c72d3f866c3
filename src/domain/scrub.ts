/** Fields of results that explain a decision in the words of the values it was about. */
const QUOTING = new Set(['because', 'why', 'statusReason'])

/** A result without a hash, and without what may quote a value. */
export const scrubbedResult = (result: unknown, contentSha256: string): unknown => {
  if (Array.isArray(result)) return result.map((part) => scrubbedResult(part, contentSha256))
  if (typeof result !== 'object' || result === null) return result === contentSha256 ? '' : result
  return Object.fromEntries(
    Object.entries(result).map(([name, held]) => [
      name,
      QUOTING.has(name) && typeof held === 'string' ? '' : scrubbedResult(held, contentSha256),
    ]),
  )
}

/** Whether the reason of a status was made by a rule, which names itself first and then quotes the values it compared. */
export const isQuote = (statusReason: string | null): boolean => statusReason !== null && /^[a-z_]+: /.test(statusReason)
