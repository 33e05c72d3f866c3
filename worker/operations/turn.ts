import { MemoryError } from '../../src/protocol/errors.js'

/** Lets calls that came meanwhile have their turn. */
export const letOthers = (): Promise<void> => new Promise((resume) => setTimeout(resume, 0))

/** Ends what is no longer wanted. Of what writes, it says how many memories stay written. */
export const stopIfAborted = (signal: AbortSignal, written?: number): void => {
  if (signal.aborted) throw new MemoryError('ABORTED', 'The call was stopped.', written === undefined ? {} : { written })
}

/** The turn of others between two steps of a call, which may have been aborted meanwhile. */
export const takeTurn = async ({ signal }: { readonly signal: AbortSignal }, written?: number): Promise<void> => {
  await letOthers()
  stopIfAborted(signal, written)
}
