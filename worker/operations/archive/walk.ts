import { letOthers } from '../turn.js'

/** How long other calls wait for their turn, at most, in milliseconds. */
const TURN_MS = 30

/** Lets other calls have their turn when this one has gone on for a while. */
export const createBreather = (now: () => number): (() => Promise<void>) => {
  let since = now()
  return async () => {
    if (now() - since < TURN_MS) return
    await letOthers()
    since = now()
  }
}

/** Goes through what a generator gives, to its end, and answers with what it gives then. */
export const walk = async <Each, End>(
  reading: AsyncGenerator<Each, End>,
  each: (some: Each) => Promise<void> | void,
): Promise<End> => {
  try {
    for (;;) {
      const step = await reading.next()
      if (step.done === true) return step.value
      await each(step.value)
    }
  } finally {
    await reading.return(undefined as never)
  }
}
