/** Rest between two steps, so that calls come first. */
const REST_MS = 100

/** One step of looking over a database. */
export type Finding = { readonly sound: true } | { readonly sound: false; readonly cause: string }

/**
 * Looks a database over in the background, one step at a time, and reports the first damage. Opening checks only what is cheap:
 * everything would take seconds on a large store.
 */
export const startInspection = (
  steps: Iterator<Finding>,
  onDamage: (cause: string) => void,
): { readonly stop: () => void } => {
  let timer: ReturnType<typeof setTimeout> | null = null
  const step = (): void => {
    const { done, value } = steps.next()
    if (done === true) return
    if (!value.sound) return onDamage(value.cause)
    timer = setTimeout(step, REST_MS)
  }
  timer = setTimeout(step, REST_MS)
  return {
    stop: () => {
      if (timer !== null) clearTimeout(timer)
    },
  }
}
