import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { ModelProgress } from '../../src/protocol/embedding.js'
import { createFairQueue } from '../../src/transformers/fair-queue.js'
import { createProgressMeter } from '../../src/transformers/model-progress.js'
import { meanOf, windowsOf } from '../../src/transformers/windows.js'

const NEVER = new AbortController().signal

describe('the queue', () => {
  const gated = (size = 2) => {
    const batches: string[][] = []
    let release: () => void = () => undefined
    const queue = createFairQueue<string, string>(
      async (batch) => {
        batches.push([...batch])
        await new Promise<void>((resume) => {
          release = resume
        })
        return batch.map((text) => text.toUpperCase())
      },
      () => size,
    )
    const next = async (): Promise<void> => {
      const seen = batches.length
      release()
      await vi.waitFor(() => expect(batches.length).toBeGreaterThan(seen))
    }
    return { batches, queue, next, release: () => release() }
  }

  test('runs one batch at a time, and lets a later list in between two of them', async () => {
    const { batches, queue, next, release } = gated()
    const long = queue(['a', 'b', 'c', 'd', 'e'], NEVER)
    const single = queue(['x'], NEVER)
    expect(batches).toEqual([['a', 'b']])
    await next()
    expect(batches.at(-1)).toEqual(['x'])
    await next()
    expect(await single).toEqual(['X'])
    await next()
    expect(batches).toEqual([['a', 'b'], ['x'], ['c', 'd'], ['e']])
    release()
    expect(await long).toEqual(['A', 'B', 'C', 'D', 'E'])
  })

  test('stops an aborted list between two batches', async () => {
    const { batches, queue, next, release } = gated()
    const controller = new AbortController()
    const cut = queue(['a', 'b', 'c'], controller.signal)
    const kept = queue(['x'], NEVER)
    controller.abort(new Error('enough'))
    await next()
    release()
    await expect(cut).rejects.toThrow('enough')
    expect(await kept).toEqual(['X'])
    expect(batches).toEqual([['a', 'b'], ['x']])
  })

  test('fails the list whose batch fails, and no other', async () => {
    const queue = createFairQueue<string, string>(
      async (batch) => {
        if (batch.includes('bad')) throw new Error('no')
        return batch
      },
      () => 1,
    )
    const outcomes = await Promise.allSettled([queue(['a', 'bad', 'b'], NEVER), queue(['c', 'd'], NEVER), queue([], NEVER)])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  })

  test('leaves a turn to messages between two batches that take no pause', async () => {
    const { port1, port2 } = new MessageChannel()
    let done = 0
    const seen = new Promise<number>((resolve) => {
      port1.onmessage = () => resolve(done)
    })
    const queue = createFairQueue<number, number>(
      async (batch) => {
        done++
        return batch
      },
      () => 1,
    )
    const all = queue(
      Array.from({ length: 10_000 }, (_, i) => i),
      NEVER,
    )
    port2.postMessage(null)
    expect(await seen).toBeLessThan(10_000)
    port1.close()
    await all
  })
})

describe('progress', () => {
  const meter = (clock = () => 0) => {
    const shown: ModelProgress[] = []
    return { shown, ...createProgressMeter((progress) => shown.push(progress), clock) }
  }

  test('adds up the files, and knows no total before the weights have said theirs', () => {
    const { shown, moved, finish } = meter()
    moved('http://a/config.json', 600, 600)
    expect(shown.at(-1)).toEqual({ loaded: 600, total: null, ratio: 0, file: 'http://a/config.json' })
    moved('http://a/model.onnx', 400, 9_400)
    moved('http://a/model.onnx', 9_400, 9_400)
    expect(shown.at(-1)).toMatchObject({ loaded: 10_000, total: 10_000, ratio: 1 })
    finish()
    expect(shown.at(-1)).toMatchObject({ loaded: 10_000, total: 10_000, ratio: 1 })
  })

  test('never goes backwards, whatever files do', () => {
    const event = fc.tuple(
      fc.constantFrom('a/config.json', 'a/model.onnx', 'a/ort.wasm'),
      fc.nat(10_000),
      fc.option(fc.nat(10_000), { nil: null }),
    )
    fc.assert(
      fc.property(fc.array(event), (events) => {
        let time = 0
        const { shown, moved, finish } = meter(() => (time += 60))
        for (const [file, loaded, total] of events) moved(file, loaded, total)
        finish()
        for (const [index, { loaded, total, ratio }] of shown.entries()) {
          const before = shown[index - 1]
          expect(loaded).toBeGreaterThanOrEqual(before?.loaded ?? 0)
          expect(total ?? 0).toBeGreaterThanOrEqual(before?.total ?? 0)
          expect(ratio).toBeGreaterThanOrEqual(before?.ratio ?? 0)
          expect(ratio).toBeLessThanOrEqual(1)
        }
        expect(shown.at(-1)?.ratio).toBe(1)
      }),
    )
  })

  test('is told a few times a second, and always at the end of a file', () => {
    let time = 0
    const { shown, moved } = meter(() => time)
    for (let loaded = 1; loaded <= 1_000; loaded++) {
      time += 1
      moved('a/model.onnx', loaded, 1_000)
    }
    expect(shown.length).toBeLessThan(15)
    expect(shown.at(-1)?.loaded).toBe(1_000)
  })
})

describe('a text longer than the window', () => {
  const words = (text: string): number => text.split(/\s+/).filter(Boolean).length

  test('is left alone when it fits', () => {
    expect(windowsOf('a man plays', 10, words)).toEqual([{ text: 'a man plays', weight: 1 }])
    expect(windowsOf('', 10, words)).toEqual([{ text: '', weight: 1 }])
  })

  test('is cut into windows that fit and together hold all of it, up to eight of them', () => {
    const text = Array.from({ length: 40 }, (_, i) => `w${i}`).join(' ')
    const windows = windowsOf(text, 10, words)
    expect(windows.map((window) => window.text).join('')).toBe(text)
    for (const window of windows) expect(words(window.text)).toBeLessThanOrEqual(10)
  })

  test('is looked at from beginning to end when it is longer than that', () => {
    const text = Array.from({ length: 10_000 }, (_, i) => `w${i}`).join(' ')
    const windows = windowsOf(text, 10, words)
    expect(windows.length).toBeGreaterThanOrEqual(8)
    expect(windows.length).toBeLessThan(32)
    expect(windows[0]?.text.startsWith('w0 ')).toBe(true)
    expect(windows.at(-1)?.text.endsWith('w9999')).toBe(true)
  })

  test('is never cut inside of a character', () => {
    const one = (text: string): number => text.length * 3
    for (const { text } of windowsOf('🎉'.repeat(50), 10, one)) expect(text.isWellFormed()).toBe(true)
  })

  test('has the mean of its windows, by their length', () => {
    const vectors = [Float32Array.of(1, 0), Float32Array.of(0, 1)]
    expect(meanOf(vectors, [3, 4])).toEqual(Float32Array.of(0.6, 0.8))
    expect(meanOf([Float32Array.of(0, 0), Float32Array.of(0, 0)], [1, 1])).toEqual(Float32Array.of(0, 0))
    expect(meanOf(vectors.slice(0, 1), [7])).toBe(vectors[0])
  })
})
