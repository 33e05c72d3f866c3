/** What each code carries beside its message. Never the offending value itself. */
export interface ErrorDetails {
  /** The input does not fit: each issue names the field. */
  INVALID_ARGUMENT: { readonly issues: readonly { readonly path: string; readonly message: string }[] }
  BLACKLISTED: { readonly patternId: string }
  PINNED_CONFLICT: { readonly key: string }
  /** The live value is not the one the caller read. */
  PRECONDITION_FAILED: { readonly key: string; readonly currentSha256: string | null }
  /** Several writers hold the key in what the handle reads. */
  AMBIGUOUS_KEY: { readonly key: string; readonly writers: readonly Record<string, string | null>[] }
  LOCKED: { readonly key: string; readonly until: number | null }
  NOT_FOUND: { readonly key?: string; readonly id?: string }
  /** It was deleted too long ago to be restored. */
  GONE: { readonly key: string; readonly tombstonedAt: number }
  FORBIDDEN: { readonly reason: string }
  EMBEDDING_FAILED: { readonly embedder: string; readonly cause: string; readonly url?: string }
  STORAGE_FULL: { readonly usage: number | null; readonly quota: number | null }
  STORAGE_UNAVAILABLE: { readonly backend: string; readonly cause: string }
  STORAGE_CORRUPT: { readonly cause: string; readonly quarantinedAs: string | null }
  /** The tab that served the call went away: outcome unknown, repeat with the same idempotency key. */
  OWNER_CHANGED: { readonly call: string }
  /** The worker script did not load, does not answer, or has stopped. */
  WORKER_FAILED: { readonly url: string | null; readonly cause: string }
  /** Page and worker, or two tabs, run different builds: reload the older one. */
  PROTOCOL_MISMATCH: { readonly expected: number; readonly found: number }
  SCHEMA_TOO_NEW: { readonly supported: number; readonly found: number }
  BLACKLIST_TIMEOUT: { readonly patternId: string }
  NEEDS_AUTH: Record<string, never>
  RATE_LIMITED: { readonly retryAfterMs: number }
  QUOTA_EXCEEDED: { readonly limit: number }
  CLOSED: Record<string, never>
  ABORTED: { readonly written?: number }
  TIMEOUT: { readonly afterMs: number }
  /** A fault of ours: the cause is logged in the worker under the reference. */
  INTERNAL: { readonly reference: string }
}

export type ErrorCode = keyof ErrorDetails

/** HTTP status of each code, shared with the sync server. */
export const ERROR_STATUS: { readonly [Code in ErrorCode]: number } = {
  INVALID_ARGUMENT: 422,
  BLACKLISTED: 422,
  PINNED_CONFLICT: 409,
  PRECONDITION_FAILED: 409,
  AMBIGUOUS_KEY: 409,
  LOCKED: 423,
  NOT_FOUND: 404,
  GONE: 410,
  FORBIDDEN: 403,
  EMBEDDING_FAILED: 502,
  STORAGE_FULL: 507,
  STORAGE_UNAVAILABLE: 503,
  STORAGE_CORRUPT: 500,
  OWNER_CHANGED: 503,
  WORKER_FAILED: 503,
  PROTOCOL_MISMATCH: 426,
  SCHEMA_TOO_NEW: 409,
  BLACKLIST_TIMEOUT: 503,
  NEEDS_AUTH: 401,
  RATE_LIMITED: 429,
  QUOTA_EXCEEDED: 413,
  CLOSED: 410,
  ABORTED: 499,
  TIMEOUT: 408,
  INTERNAL: 500,
}

/** An error as plain data, the form in which it crosses threads. */
export type Failure = {
  [Code in ErrorCode]: { readonly code: Code; readonly message: string; readonly details: ErrorDetails[Code] }
}[ErrorCode]

/**
 * The one error class of the library. Programs branch on `code`, people read `message`.
 *
 * ```ts
 * try {
 *   await memory.update({ key: 'user/home/city', value: 'Berlin' })
 * } catch (error) {
 *   if (error instanceof MemoryError && error.code === 'NOT_FOUND') await memory.set({ key: 'user/home/city', value: 'Berlin' })
 * }
 * ```
 */
export class MemoryError extends Error {
  readonly code: ErrorCode
  /** HTTP status with the same meaning. */
  readonly status: number
  /** What the code carries: see {@link ErrorDetails}. */
  readonly details: ErrorDetails[ErrorCode]

  /** Also for those that another script has made, which has a class of its own. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'MemoryError' && 'code' in value
  }

  constructor(...[code, message, details, options]: ErrorArguments) {
    super(message, options)
    this.name = 'MemoryError'
    this.code = code
    this.status = ERROR_STATUS[code]
    this.details = details
  }
}

/** Each code with its own details. */
type ErrorArguments = {
  [Code in ErrorCode]: [code: Code, message: string, details: ErrorDetails[Code], options?: { readonly cause?: unknown }]
}[ErrorCode]

/**
 * Whether an error is one of ours with this code; its details are then those of the code.
 *
 * ```ts
 * if (isMemoryError(error, 'PRECONDITION_FAILED')) console.log(error.details.currentSha256)
 * ```
 */
export const isMemoryError = <Code extends ErrorCode>(
  error: unknown,
  code: Code,
): error is MemoryError & { readonly code: Code; readonly details: ErrorDetails[Code] } =>
  error instanceof MemoryError && error.code === code

/** One bad field, as the error every gate throws. */
export const invalidArgument = (path: string, message: string): MemoryError =>
  new MemoryError('INVALID_ARGUMENT', `${path} ${message}`, { issues: [{ path, message }] })

/** Any thrown thing as plain data. What is not ours becomes INTERNAL under a reference that `report` logs. */
export const toFailure = (error: unknown, report: (reference: string, cause: unknown) => void): Failure => {
  if (error instanceof MemoryError) return { code: error.code, message: error.message, details: error.details } as Failure
  const reference = Math.random().toString(36).slice(2, 10)
  report(reference, error)
  return {
    code: 'INTERNAL',
    message: `Something went wrong inside the memory worker; its log has the cause under ${reference}.`,
    details: { reference },
  }
}

/** The error a failure stands for. */
export const fromFailure = ({ code, message, details }: Failure): MemoryError =>
  // Code and details belong together by the failure's own type, which the constructor's types cannot see.
  Reflect.construct(MemoryError, [code, message, details]) as MemoryError
