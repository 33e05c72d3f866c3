import { hasMatch, patternProblem, warmUp } from './match.js'
import type { PatternHello, PatternReply, PatternRequest } from './messages.js'

const scope = globalThis as unknown as Pick<Worker, 'postMessage' | 'addEventListener'>

const say = (message: PatternHello | PatternReply): void => scope.postMessage(message)

scope.addEventListener('message', ({ data }: MessageEvent<PatternRequest>) => {
  if (data.task === 'check') return say({ problem: patternProblem(data.pattern) })
  for (const pattern of data.patterns) {
    const found = hasMatch(pattern, data.texts)
    say({ found })
    if (found) return
  }
})

warmUp()
say({ type: 'palimpsest:patterns' })
