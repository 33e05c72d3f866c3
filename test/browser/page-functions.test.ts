import { afterEach, expect, test } from 'vitest'
import { useBrowser } from '../support/browser-suite.js'
import { openPage } from '../support/memory-page.js'

const suite = useBrowser()
afterEach(() => suite.server.setOverrides(() => undefined))

test('the judge of the page is asked what the rules left open, and what it says is kept with its reason', async () => {
  const page = await openPage(suite.browser.context, suite.server)
  const seen = await page.evaluate(async () => {
    const asked: unknown[] = []
    const memory = await openMemory({
      backend: 'memory',
      judge: (question) => {
        asked.push([question.earlier.key, question.later.key, question.because])
        return { opinion: 'replaces', reason: 'Tastes change.' }
      },
    })
    await memory.set({ key: 'a', value: 'Priya loves grapefruit juice.' })
    await memory.set({ key: 'b', value: 'Priya hates grapefruit juice.' })
    await memory.settled()
    const [older] = await memory.history('a', { limit: 1 })
    return { asked, older, newer: await memory.get('b') }
  })
  expect(seen.asked).toEqual([['a', 'b', expect.stringContaining('dislikes')]])
  expect(seen.older).toMatchObject({ status: 'superseded', statusReason: expect.stringContaining('Tastes change.') })
  expect(seen.newer).toMatchObject({ status: 'active', conflictWith: [] })
  await page.close()
})

test('a judge that throws, answers nonsense or never answers leaves the conflict to a person, and the store usable', async () => {
  const page = await openPage(suite.browser.context, suite.server)
  const seen = await page.evaluate(async () => {
    const judges = [
      () => Promise.reject(new Error('The model is gone.')),
      () => 'perhaps',
      () => ({ opinion: 'replaces', reason: () => 'cannot be sent' }),
      () => new Promise(() => undefined),
    ] as unknown as readonly NonNullable<import('../../src/index.js').OpenOptions['judge']>[]
    return Promise.all(
      judges.map(async (answer, i) => {
        const waits = i === judges.length - 1
        let heard = (): void => undefined
        const asked = new Promise<void>((resolve) => {
          heard = resolve
        })
        const judge: typeof answer = (question, options) => {
          heard()
          return answer(question, options)
        }
        const memory = await openMemory({ backend: 'memory', embedder: 'hash', judge })
        await memory.set({ key: 'a', value: 'The deposit is 500 euros.' })
        await memory.set({ key: 'b', value: 'The deposit is not 500 euros.' })
        await asked
        if (!waits) await memory.settled()
        const row = await memory.get('b')
        await memory.close()
        return row?.status
      }),
    )
  })
  expect(seen).toEqual(['conflicted', 'conflicted', 'conflicted', 'conflicted'])
  await page.close()
})

test('without the script of seldom calls those fail and say why, and all else goes on', async () => {
  const page = await openPage(suite.browser.context, suite.server)
  suite.server.setOverrides((path) => (path === '/dist/seldom.js' ? { status: 404, body: '' } : undefined))
  const seen = await page.evaluate(async () => {
    const memory = await openMemory({ backend: 'memory', embedder: 'hash' })
    await memory.set({ key: 'a', value: 'The gate is locked at night.' })
    const history = await attempt(() => memory.history('a'))
    const found = await memory.search('gate')
    await memory.set({ key: 'a', value: 'The gate is open at night.' })
    return { code: history.code, message: history.message, found: found.hits.length, value: (await memory.get('a'))?.value }
  })
  expect(seen).toMatchObject({ code: 'WORKER_FAILED', found: 1, value: 'The gate is open at night.' })
  expect(seen.message).toContain('seldom.js')
  await page.close()
})

test('a language model of the page puts an answer into words, is asked once more when it stammers, and is left when it throws', async () => {
  const page = await openPage(suite.browser.context, suite.server)
  const seen = await page.evaluate(async () => {
    const memory = await openMemory({ backend: 'memory', embedder: 'hash' })
    await memory.set({ key: 'a', value: 'Nora is allergic to nuts.' })
    const seen: string[] = []
    const said = ['Nuts!', '{"claims":[{"text":"It is nuts.","memories":[1]}]}']
    const answer = await memory.ask('What is Nora allergic to?', {
      llm: (messages, { schema, signal }) => {
        seen.push(
          `${messages.length} ${messages[1]?.content.includes('| Nora is allergic to nuts.')} ${'type' in schema} ${signal.aborted}`,
        )
        return said[seen.length - 1] ?? ''
      },
    })
    const alone = await memory.ask('What is Nora allergic to?', { llm: () => Promise.reject(new Error('gone')) })
    const bad = await attempt(() => memory.ask('What?', { llm: 'gpt' as unknown as () => string }))
    return { seen, answer: answer.answer, by: answer.by, alone: alone.answer, degraded: alone.degraded, code: bad.code }
  })
  expect(seen).toEqual({
    seen: ['2 true true false', '4 true true false'],
    answer: 'It is nuts. [1]',
    by: 'llm',
    alone: 'Nora is allergic to nuts. [1]',
    degraded: ['llm'],
    code: 'INVALID_ARGUMENT',
  })
  await page.close()
})

test('tokens of a context block are counted by the page, and a counter that throws ends the call', async () => {
  const page = await openPage(suite.browser.context, suite.server)
  const seen = await page.evaluate(async () => {
    const memory = await openMemory({ backend: 'memory', embedder: 'hash' })
    await memory.set({ key: 'a', value: 'Nora is allergic to nuts.' })
    await memory.set({ key: 'b', value: 'Nora lives in Bergen.' })
    const counted = await memory.context.pack({ query: 'Nora', tokenBudget: 60, countTokens: () => 12 })
    const estimated = await memory.context.pack({ query: 'Nora' })
    const failed = await memory.context
      .pack({ query: 'Nora', countTokens: () => Promise.reject(new Error('no tokenizer')) })
      .catch((error: Error) => error.message)
    return { tokens: counted.tokens, estimated: estimated.tokens > 0, text: estimated.text, failed }
  })
  expect(seen).toMatchObject({ tokens: 52, estimated: true, failed: 'no tokenizer' })
  expect(seen.text).toContain('| Nora lives in Bergen.')
  await page.close()
})

test('a function of the page puts the best hits in order; one that throws leaves them as they were found', async () => {
  const page = await openPage(suite.browser.context, suite.server)
  const seen = await page.evaluate(async () => {
    const memory = await openMemory({ backend: 'memory', embedder: 'hash' })
    for (const day of ['Monday', 'Tuesday', 'Friday']) await memory.set({ value: `The ferry leaves the harbour on ${day}.` })
    const search = (rerank: (query: string, texts: readonly string[]) => number[]) =>
      memory.search('When does the ferry leave?', { rerank, limit: 2 })
    const ranked = await search((_, texts) =>
      texts.map((text) => (text.includes('Friday') ? 2 : text.includes('Monday') ? 1 : 0)),
    )
    const failed = await search(() => {
      throw new Error('no model')
    })
    const { code } = await attempt(() => search(7 as never))
    return {
      order: ranked.hits.map(({ value, rerank }) => [value, rerank]),
      failed: [failed.hits.length, failed.degraded],
      code,
    }
  })
  expect(seen.order).toEqual([
    ['The ferry leaves the harbour on Friday.', 2],
    ['The ferry leaves the harbour on Monday.', 1],
  ])
  expect(seen.failed).toEqual([2, ['rerank']])
  expect(seen.code).toBe('INVALID_ARGUMENT')
  await page.close()
})
