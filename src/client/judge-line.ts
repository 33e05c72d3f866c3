import type { JudgeReply, JudgeRequest, PairAnswer, PairQuestion } from '../protocol/judging.js'

/**
 * Somebody who is asked about two memories that contradict each other and about which the rules are not sure: a language model, or a model
 * of inference. `replaces`: the later one takes the place of the earlier. `compatible`: both may be so. `contradicts`: they cannot both be
 * so, and a person decides. `unsure`: it cannot tell. What it throws counts as no answer.
 */
export type Judge = (
  question: PairQuestion,
  options: { readonly signal: AbortSignal },
) => PairAnswer['opinion'] | PairAnswer | PromiseLike<PairAnswer['opinion'] | PairAnswer>

/** Answers the worker's questions with the app's judge. Returns the worker's end of the line. */
export const openJudgeLine = (judge: Judge): MessagePort => {
  const { port1, port2 } = new MessageChannel()
  const running = new Map<number, AbortController>()
  const answer = async (id: number, question: PairQuestion): Promise<void> => {
    const abort = new AbortController()
    running.set(id, abort)
    const given: unknown = await Promise.resolve()
      .then(() => judge(question, { signal: abort.signal }))
      .catch(() => null)
    if (!running.delete(id)) return
    try {
      port1.postMessage({ id, answer: given } satisfies JudgeReply)
    } catch {
      // What cannot be sent is no answer either.
      port1.postMessage({ id, answer: null } satisfies JudgeReply)
    }
  }
  port1.addEventListener('message', ({ data }: MessageEvent<JudgeRequest>) => {
    if (data.question !== null) return void answer(data.id, data.question)
    running.get(data.id)?.abort()
    running.delete(data.id)
  })
  port1.start()
  return port2
}
