import { AsyncLocalStorage } from 'node:async_hooks'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { currentRun, type Run, withRun } from '../../src/agent/main.js'

const pause = (): Promise<void> => new Promise((resume) => setTimeout(resume))

const whose = () => currentRun()?.user ?? null

describe('a run', () => {
  test('is known at once, and in what is bound to it', async () => {
    expect(currentRun()).toBeNull()
    const later = withRun({ user: 'ada', session: 's', run: 'r' }, (run) => {
      expect(currentRun()).toBe(run)
      expect(run).toMatchObject({ user: 'ada', session: 's', run: 'r' })
      return run.bind((more: string) => `${whose()} ${more}`)
    })
    expect(currentRun()).toBeNull()
    await pause()
    expect(later('later')).toBe('ada later')
    expect(currentRun()).toBeNull()
  })

  test('gives what the function gives, and ends with what it throws', async () => {
    expect(withRun({ user: 'ada' }, () => 7)).toBe(7)
    expect(await withRun({ user: 'ada' }, async () => 8)).toBe(8)
    expect(() =>
      withRun({ user: 'ada' }, () => {
        throw new Error('no')
      }),
    ).toThrow('no')
    expect(currentRun()).toBeNull()
  })

  test('within a run takes over what it does not name, and nobody is nobody', () => {
    withRun({ user: 'ada', session: 's' }, () => {
      withRun({ run: 'r' }, () => expect(currentRun()).toMatchObject({ user: 'ada', session: 's', run: 'r' }))
      withRun({ user: 'bo' }, () => expect(currentRun()).toMatchObject({ user: 'bo', session: 's' }))
      withRun({ user: undefined }, () => expect(currentRun()?.user).toBeNull())
      expect(whose()).toBe('ada')
    })
  })

  test('cannot be changed by a tool', () => {
    withRun({ user: 'ada' }, (run) => {
      expect(() => Object.assign(run, { user: 'bo' })).toThrow(TypeError)
      expect(whose()).toBe('ada')
    })
  })
})

/** Tools in tools, with waits of their own: what each sees must be its own run or none. */
const work = async (run: Run, depth: number, seen: (string | null)[], waits: readonly number[]): Promise<void> => {
  seen.push(whose())
  const tool = run.tool(async (own, left: number) => {
    expect(own.user).toBe(run.user)
    seen.push(whose())
    for (let i = 0; i < (waits[left % waits.length] ?? 0); i++) await pause()
    seen.push(whose())
    if (left > 0) await work(own, left - 1, seen, waits)
    seen.push(whose())
  })
  await Promise.all([tool(depth), Promise.resolve().then(() => tool(depth - 1))])
  seen.push(whose())
}

const interleaved = (waits: readonly number[]) =>
  Promise.all(
    ['ada', 'bo', null].map(async (user) => {
      const seen: (string | null)[] = []
      await withRun({ user }, (run) => work(run, 2, seen, waits))
      return { user, seen }
    }),
  )

test('runs of two users and of nobody, with tools in tools that wait, never see one another', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(3), { minLength: 1, maxLength: 4 }), async (waits) => {
      for (const { user, seen } of await interleaved(waits)) {
        expect(seen.filter((one) => one !== null && one !== user)).toEqual([])
        if (user !== null) expect(seen).toContain(user)
      }
      expect(currentRun()).toBeNull()
    }),
    { numRuns: 20 },
  )
})

describe('where the platform has AsyncContext', () => {
  afterEach(() => vi.unstubAllGlobals())

  test('a run is known after an await, too', async () => {
    vi.resetModules()
    vi.stubGlobal('AsyncContext', {
      Variable: class {
        readonly #storage = new AsyncLocalStorage()
        run = (value: unknown, inner: () => unknown) => this.#storage.run(value, inner)
        get = () => this.#storage.getStore()
      },
    })
    const fresh = await import('../../src/agent/run.js')
    const seen = await Promise.all(
      ['ada', 'bo'].map((user) =>
        fresh.withRun({ user }, async () => {
          await pause()
          const inner = await fresh.withRun({ run: user }, async () => {
            await pause()
            return fresh.currentRun()
          })
          return [fresh.currentRun()?.user, inner?.user, inner?.run]
        }),
      ),
    )
    expect(seen).toEqual([
      ['ada', 'ada', 'ada'],
      ['bo', 'bo', 'bo'],
    ])
    expect(fresh.currentRun()).toBeNull()
    vi.resetModules()
  })
})
