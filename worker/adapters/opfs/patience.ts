/** A killed worker's handles come free after up to 1.9 s, measured with a busy one. */
const PATIENCE_MS = 5_000
const STEP_MS = 50

/** Repeats what fails because a file is still held elsewhere; then, or for any other reason, rejects with the browser's error. */
export const patiently = async <T>(attempt: () => Promise<T>): Promise<T> => {
  for (let waited = 0; ; waited += STEP_MS) {
    try {
      return await attempt()
    } catch (error) {
      if (waited >= PATIENCE_MS || !(error instanceof Error) || error.name !== 'NoModificationAllowedError') throw error
    }
    await new Promise((resolve) => setTimeout(resolve, STEP_MS))
  }
}
