import { MemoryError, toFailure } from '../src/protocol/errors.js'
import type { Outcome } from '../src/protocol/wire.js'

/** A result or a failure as plain data. Faults that are not ours to name are logged here, where their cause still is. */
export const outcomeOf = async <T>(work: () => Promise<T> | T): Promise<Outcome<T>> => {
  try {
    return { ok: true, value: await work() }
  } catch (error) {
    return { ok: false, failure: failureOf(error) }
  }
}

export const failureOf = (error: unknown) => toFailure(asOurs(error), logFault)

const asOurs = (error: unknown): unknown =>
  error instanceof DOMException && error.name === 'AbortError'
    ? new MemoryError('ABORTED', 'The call was aborted.', {})
    : error

// The one place that writes to the console: a fault of ours, under the reference its caller got.
const logFault = (reference: string, cause: unknown): void => {
  // biome-ignore lint/suspicious/noConsole: see above
  console.error(`palimpsest ${reference}`, cause)
}
