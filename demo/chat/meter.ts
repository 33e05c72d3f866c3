import type { EmbedderReport, Memory, ProgressEvent } from 'palimpsest'
import { explainFailure, type Failure } from './failures.js'
import { createMeterView } from './meter-view.js'
import { isModelStep, isStatic } from './model.js'

/** Between two looks: while something moves, and else, since another tab may move it. */
const MOVING_MS = 500
const RESTING_MS = 3000

/** Follows the embedder of a store, and lets the reader hold it. */
export interface Meter {
  readonly follow: (memory: Memory) => void
  /** Whether a step of the store is one that the meter shows. Then it looks again soon. */
  readonly takes: (progress: ProgressEvent) => boolean
}

export const createMeter = (place: HTMLElement, onFailure: (failure: Failure) => void): Meter => {
  let memory: Memory | null = null
  let next: ReturnType<typeof setTimeout> | undefined
  let looking = false
  let moving = true

  const show = (report: EmbedderReport): void => {
    // The table waits for its first question: nothing is on its way.
    const state = report.state === 'idle' && isStatic(report.wanted.id) ? 'ready' : report.state
    view.show({ ...report, state })
    moving = state === 'idle' || state === 'loading' || state === 'embedding'
    lookIn(moving ? MOVING_MS : RESTING_MS)
  }

  const lookIn = (milliseconds: number): void => {
    clearTimeout(next)
    next = setTimeout(() => void look(), milliseconds)
  }

  const look = async (): Promise<void> => {
    if (memory === null || looking || document.visibilityState === 'hidden') return
    looking = true
    try {
      show(await memory.embedder.get())
    } catch {
      // A store that does not answer is reported by what needs it.
      lookIn(RESTING_MS)
    } finally {
      looking = false
    }
  }

  const act = async (name: 'pause' | 'resume' | 'cancel'): Promise<void> => {
    try {
      if (memory !== null) show(await memory.embedder[name]())
    } catch (error) {
      onFailure(explainFailure(error))
    }
  }

  const view = createMeterView(place, (name) => void act(name))
  document.addEventListener('visibilitychange', () => void look())

  return {
    follow: (opened) => {
      memory = opened
      void look()
    },
    takes: (progress) => {
      if (!isModelStep(progress)) return false
      if (!moving) lookIn(0)
      moving = true
      return true
    },
  }
}
