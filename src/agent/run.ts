/** Who a piece of work is done for. */
export interface RunContext {
  readonly user?: string | null | undefined
  readonly session?: string
  readonly run?: string
}

/** A run, and ways to take it along. */
export interface Run extends RunContext {
  /** The same function, in which `currentRun` is this run: for callbacks, and for tools that are called later. */
  readonly bind: <Given extends readonly unknown[], Result>(work: (...given: Given) => Result) => (...given: Given) => Result
  /** A tool that is given its run as first argument, and in which `currentRun` is this run. */
  readonly tool: <Given extends readonly unknown[], Result>(
    work: (run: Run, ...given: Given) => Result,
  ) => (...given: Given) => Result
}

/** What is used of the proposed `AsyncContext.Variable`. */
interface Variable {
  readonly run: <Result>(value: Run, work: () => Result) => Result
  readonly get: () => Run | undefined
}

interface AsyncContextHolder {
  readonly AsyncContext?: { readonly Variable?: new () => Variable }
}

let variable: Variable | null | undefined
let current: Run | null = null

/** Follows awaits by itself; no browser has it yet, so it is looked for and done without. */
const variableHere = (): Variable | null => {
  if (variable === undefined) {
    const { AsyncContext } = globalThis as AsyncContextHolder
    variable = AsyncContext?.Variable === undefined ? null : new AsyncContext.Variable()
  }
  return variable
}

const within = <Result>(run: Run, work: () => Result): Result => {
  const following = variableHere()
  if (following !== null) return following.run(run, work)
  const outer = current
  current = run
  try {
    return work()
  } finally {
    // What is awaited in `work` goes on later, among the work of others: it must not find this run there, nor another.
    current = outer
  }
}

/**
 * Runs a function for a user, a session and a run. The function is given the run; `currentRun` is it too until the function awaits, and in
 * all that is bound by `run.bind` and `run.tool` up to its own first await. After an await it is null, never the run of somebody else: there
 * use the run that was given. Where the platform has `AsyncContext`, `currentRun` holds after an await as well.
 *
 * A run within a run keeps what it does not name anew; a `user` that is named and undefined is nobody.
 *
 * ```ts
 * await withRun({ user: 'alice', session: 's1', run: 'r1' }, async (run) => {
 *   const search = run.tool(async ({ user }, query: string) => find(user, query))
 *   await model.answer({ tools: { search } })
 * })
 * ```
 */
export const withRun = <Result>(context: RunContext, work: (run: Run) => Result): Result => {
  const run: Run = {
    ...scopeOf(currentRun()),
    ...scopeOf(context),
    bind:
      (bound) =>
      (...given) =>
        within(run, () => bound(...given)),
    tool:
      (bound) =>
      (...given) =>
        within(run, () => bound(run, ...given)),
  }
  return within(Object.freeze(run), () => work(run))
}

/** The run that is under way right here, or null. See {@link withRun} for how far it reaches. */
export const currentRun = (): Run | null => {
  const following = variableHere()
  return following === null ? current : (following.get() ?? null)
}

const scopeOf = (context: RunContext | null): RunContext => {
  const { user, session, run } = context ?? {}
  return {
    // A user that is named and missing is nobody: the run around must not lend its own.
    ...(context !== null && 'user' in context ? { user: user ?? null } : {}),
    ...(session === undefined ? {} : { session }),
    ...(run === undefined ? {} : { run }),
  }
}
