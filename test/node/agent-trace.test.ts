import { SpanStatusCode } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { describe, expect, test } from 'vitest'
import { otelExporter, type Span, traced } from '../../src/agent/main.js'
import { kindOf } from '../../src/agent/trace/describe.js'
import { MASK } from '../../src/agent/trace/snippets.js'
import { PAGE_CALLS } from '../../src/client/page-calls.js'
import type { Memory } from '../../src/protocol/api.js'
import type { ProgressEvent } from '../../src/protocol/events.js'
import { openAgent } from '../support/agent.js'
import { openLinkedMemory } from '../support/linked-memory.js'

const SECRET = 'sk_live_abcdefghijklmnop1234'

const openTraced = async (payloads?: boolean) => {
  const spans: Span[] = []
  const memory = traced(await openLinkedMemory(), {
    onTrace: (span) => void spans.push(span),
    ...(payloads === undefined ? {} : { payloads }),
  })
  return { memory, spans, last: () => spans.at(-1) }
}

describe('a traced memory', () => {
  test('tells of every read and write, with counts, scores and beginnings of texts', async () => {
    const { memory, last } = await openTraced()
    const ada = memory.scope({ user: 'ada', session: 's1' })
    await ada.set({ key: 'ada/drink', value: 'Ada likes green tea.' })
    expect(last()).toMatchObject({
      name: 'memory.set',
      kind: 'write',
      status: 'ok',
      error: null,
      scope: { user: 'ada', session: 's1' },
      attributes: { verdict: 'clear', status: 'active' },
      snippets: ['Ada likes green tea.'],
    })
    expect(last()?.durationMs).toBeGreaterThanOrEqual(0)
    const { hits } = await ada.search('green tea')
    expect(last()).toMatchObject({
      name: 'memory.search',
      kind: 'read',
      counts: { hits: 1 },
      scores: hits.map(({ score }) => score),
      attributes: { abstained: false },
    })
    expect(last()?.snippets).toContain('green tea')
    await ada.conversations.append([{ text: 'Hello.' }])
    expect(last()).toMatchObject({
      name: 'conversations.append',
      kind: 'write',
      counts: { appended: 1 },
      snippets: ['Hello.'],
    })
    await ada.working.get('nothing')
    expect(last()).toMatchObject({ name: 'working.get', kind: 'read' })
  })

  test('tells of what failed, and fails the same way', async () => {
    const { memory, last } = await openTraced()
    await expect(memory.update({ key: 'a', value: 'x' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(last()).toMatchObject({ name: 'memory.update', status: 'error', error: 'NOT_FOUND' })
    expect(() => memory.scope({ user: 'ada' }).scope({ user: 'bo' })).toThrow()
  })

  test('masks what holds a secret, also where it is cut', async () => {
    const { memory, spans } = await openTraced()
    await memory.set({ key: 'key', value: `My key is ${SECRET}.` })
    await memory.set({ key: 'long', value: `${'words '.repeat(18)} ${SECRET}` })
    await memory.search(`whose key is ${SECRET}`)
    await memory.list()
    await memory.set({ key: 'password', value: 'The password is hunter2-and-more!' })
    expect(JSON.stringify(spans)).not.toMatch(/sk_live|hunter2/)
    expect(spans.flatMap(({ snippets }) => snippets)).toContain(MASK)
  })

  test('without payloads tells nothing that was said, and of nobody', async () => {
    const { memory, spans } = await openTraced(false)
    const ada = memory.scope({ user: 'ada-lovelace', namespace: 'shop' })
    await ada.set({ key: 'ada/secret-drink', value: 'Ada likes green tea.' })
    await ada.search('green tea')
    await ada.setFromMessages([{ text: 'I live in Porto.' }])
    await ada.conversations.append([{ session: 'private', text: 'Hello.' }])
    await ada.get('ada/secret-drink')
    await ada.update({ key: 'none', value: 'Oh no.' }).catch(() => undefined)
    expect(spans).toHaveLength(6)
    expect(JSON.stringify(spans)).not.toMatch(/lovelace|tea|Porto|Hello|secret-drink|private|Oh no/)
    expect(spans[1]).toMatchObject({ counts: { hits: 1 }, snippets: [], scope: { user: '', namespace: 'shop' } })
    expect(spans[1]?.scores).toHaveLength(1)
  })

  test('works the same where its listener throws', async () => {
    const memory = traced(await openLinkedMemory(), {
      onTrace: () => {
        throw new Error('no')
      },
    })
    await memory.set({ key: 'a', value: 'The roof leaks.' })
    expect((await memory.get('a'))?.value).toBe('The roof leaks.')
  })

  test('tells of live queries, and can be awaited', async () => {
    const { memory, spans } = await openTraced()
    expect('then' in memory).toBe(false)
    const seen: number[] = []
    const live = memory.live({ keyPrefix: 'a/' }, ({ rows }) => void seen.push(rows.length))
    await expect.poll(() => seen).toContain(0)
    await memory.set({ key: 'a/b', value: 'The roof leaks.' })
    await expect.poll(() => seen).toContain(1)
    live.unsubscribe()
    expect(spans.filter(({ name }) => name === 'memory.live').map(({ counts }) => counts['rows'])).toEqual(seen)
  })
})

test('which calls write is said as the page has it', () => {
  const writes = Object.entries(PAGE_CALLS).filter(([, { writes }]) => writes === true)
  expect(writes.length).toBeGreaterThan(20)
  expect(writes.map(([name]) => name).filter((name) => kindOf(name) === 'read')).toEqual([])
  const reads = ['memory.get', 'memory.search', 'conversations.recall', 'context.pack', 'users.profile']
  expect(reads.filter((name) => kindOf(name) !== 'read')).toEqual([])
})

test('steps of the background are spans from their first word to their last', () => {
  let tell: (event: ProgressEvent) => void = () => undefined
  const handle = {
    onProgress: (callback: typeof tell) => {
      tell = callback
      return () => {
        tell = () => undefined
      }
    },
    close: async () => undefined,
  } as unknown as Memory
  const spans: Span[] = []
  const memory = traced(handle, { onTrace: (span) => void spans.push(span) })
  const step = (phase: ProgressEvent['phase'], loaded: number) =>
    tell({ type: 'progress', phase, loaded, total: 4, ratio: loaded / 4 })
  step('indexing', 0)
  step('learning', 1)
  step('indexing', 2)
  expect(spans).toEqual([])
  step('indexing', 4)
  expect(spans).toMatchObject([
    {
      name: 'background.indexing',
      kind: 'background',
      counts: { loaded: 4, total: 4 },
      attributes: { phase: 'indexing', done: true },
    },
  ])
  return memory.close().then(() => {
    expect(spans.at(-1)).toMatchObject({ name: 'background.learning', counts: { loaded: 1 }, attributes: { done: false } })
    step('indexing', 0)
    expect(spans).toHaveLength(3)
  })
})

test('what an agent does in a turn belongs to the turn', async () => {
  const { agent, spans } = await openAgent()
  const turn = { userId: 'ada', session: 's1', text: 'I live in Porto.' }
  await agent.before(turn)
  await agent.after(turn, 'Fine.')
  const [before, after] = spans.filter(({ kind }) => kind === 'turn')
  expect(before).toMatchObject({ name: 'agent.before', scope: { user: 'ada', session: 's1' }, parentId: null })
  expect(after).toMatchObject({ name: 'agent.after', counts: { appended: 2, written: 1 } })
  const of = (parent: Span | undefined) =>
    spans
      .filter(({ parentId, traceId }) => parentId === parent?.spanId && traceId === parent?.traceId)
      .map(({ name }) => name)
  expect(of(before)).toEqual(expect.arrayContaining(['conversations.list', 'memory.list', 'memory.search', 'working.list']))
  expect(of(after)).toEqual(['conversations.append', 'memory.setFromMessages'])
})

describe('the exporter for OpenTelemetry', () => {
  test('gives spans their times, their attributes and their state', async () => {
    const exporter = new InMemorySpanExporter()
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
    const told: Span[] = []
    const tell = otelExporter(provider.getTracer('test'), { attributes: { 'service.part': 'memory' } })
    const memory = traced(await openLinkedMemory(), {
      onTrace: (span) => {
        told.push(span)
        tell(span)
      },
    })
    const ada = memory.scope({ user: 'ada', session: 's1', agent: 'support' })
    await ada.set({ key: 'ada/drink', value: 'Ada likes green tea.' })
    await ada.search('green tea')
    await ada.update({ key: 'none', value: 'x' }).catch(() => undefined)
    const spans = exporter.getFinishedSpans()
    expect(spans.map(({ name }) => name)).toEqual(['memory.set', 'memory.search', 'memory.update'])
    expect(spans[1]?.attributes).toMatchObject({
      'gen_ai.operation.name': 'memory.search',
      'gen_ai.conversation.id': 's1',
      'gen_ai.agent.name': 'support',
      'user.id': 'ada',
      'palimpsest.kind': 'read',
      'palimpsest.count.hits': 1,
      'palimpsest.abstained': false,
      'palimpsest.scores': told[1]?.scores,
      'palimpsest.span_id': told[1]?.spanId,
      'service.part': 'memory',
    })
    expect(spans[0]?.status).toEqual({ code: SpanStatusCode.OK })
    expect(spans[2]?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'NOT_FOUND' })
    expect(spans[2]?.attributes['error.type']).toBe('NOT_FOUND')
    const ms = ([seconds, nanoseconds]: readonly [number, number]) => seconds * 1_000 + nanoseconds / 1e6
    spans.forEach((span, i) => {
      expect(ms(span.startTime)).toBeCloseTo(told[i]?.startTime ?? 0, 1)
      expect(ms(span.duration)).toBeCloseTo(told[i]?.durationMs ?? 0, 1)
    })
    await provider.shutdown()
  })
})
