/** What a worker of this bench answers. `fill` and `ask` answer milliseconds, `nearest` the numbers of the texts found per query. */
export interface Contender {
  readonly fill: (count: number, dims: number) => Promise<number>
  /** Time per query, asked with `count` queries from one on. */
  readonly ask: (first: number, count: number) => Promise<number>
  /** The nearest ten of each of the first queries. */
  readonly nearest: (queries: number) => Promise<readonly (readonly number[])[]>
  /** Whatever else one of them can tell. */
  readonly facts?: () => Promise<Readonly<Record<string, number>>>
}

export type Command = keyof Contender

/** Messages: [id, command, arguments]; answers: [id, value, problem]. */
export const serve = (contender: Contender): void => {
  const scope = globalThis as unknown as DedicatedWorkerGlobalScope
  scope.onmessage = async ({ data: [id, command, args] }: MessageEvent<[number, Command, never[]]>) => {
    try {
      const work = contender[command] as (...given: never[]) => Promise<unknown>
      scope.postMessage([id, await work(...args), null])
    } catch (error) {
      scope.postMessage([id, null, error instanceof Error ? `${error.message}\n${error.stack}` : String(error)])
    }
  }
}

export const timed = async (work: () => unknown): Promise<number> => {
  const start = performance.now()
  await work()
  return performance.now() - start
}
