import type { PairOpinion } from '../../src/domain/resolution.js'
import type { JudgeReply, JudgeRequest, PairAnswer } from '../../src/protocol/judging.js'
import { isWellFormed } from '../../src/schema/scalars.js'
import type { PairJudge } from '../ports.js'

const OPINIONS: readonly unknown[] = ['replaces', 'compatible', 'contradicts', 'unsure'] satisfies readonly PairOpinion[]

/** Longest reason that is kept. */
const LONGEST_REASON = 500

interface Waiting {
  readonly resolve: (answer: PairAnswer) => void
  readonly reject: (error: Error) => void
}

/** Asks the page's own judge over a port. Its answers are not trusted: what is no opinion is no answer. */
export const createPortJudge = (port: MessagePort): PairJudge => {
  const waiting = new Map<number, Waiting>()
  let last = 0
  port.addEventListener('message', ({ data }: MessageEvent<JudgeReply>) => {
    const call = waiting.get(data.id)
    waiting.delete(data.id)
    const answer = readAnswer(data.answer)
    if (answer === null) call?.reject(new Error('the judge gave no opinion'))
    else call?.resolve(answer)
  })
  port.start()
  return {
    ask: (question, { signal }) =>
      new Promise<PairAnswer>((resolve, reject) => {
        const id = ++last
        const send = (request: JudgeRequest): void => port.postMessage(request)
        const abort = (): void => {
          if (!waiting.delete(id)) return
          send({ id, question: null })
          reject(new Error('aborted'))
        }
        waiting.set(id, {
          resolve: (answer) => {
            signal.removeEventListener('abort', abort)
            resolve(answer)
          },
          reject: (error) => {
            signal.removeEventListener('abort', abort)
            reject(error)
          },
        })
        signal.addEventListener('abort', abort)
        send({ id, question })
      }),
  }
}

const readAnswer = (answer: unknown): PairAnswer | null => {
  const given = (typeof answer === 'string' ? { opinion: answer } : answer) as Partial<PairAnswer> | null | undefined
  if (!OPINIONS.includes(given?.opinion)) return null
  const reason = typeof given?.reason === 'string' ? given.reason.slice(0, LONGEST_REASON) : ''
  return { opinion: given?.opinion as PairOpinion, reason: isWellFormed(reason) ? reason : '' }
}
