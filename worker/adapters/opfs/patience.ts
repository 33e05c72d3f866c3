/** A killed worker's handles come free after up to 1.9 s, measured with a busy one. */
const PATIENCE_MS = 5_000
const STEP_MS = 50

/** Repeats what fails because a file is still held elsewhere; then, or for any other reason, rejects with the browser's error. */
export const patiently = async <T>(attempt: () => Promise<T>): Promise<T> => {
  const start = performance.now()
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      const isHeld = error instanceof Error && error.name === 'NoModificationAllowedError'
      if (!isHeld || performance.now() - start > PATIENCE_MS) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, STEP_MS))
  }
}
