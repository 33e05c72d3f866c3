/** Why a language model gave no answer. */
export type LlmErrorCode = 'http' | 'timeout' | 'shape' | 'too_large' | 'unavailable' | 'aborted' | 'network'

/** What the adapters reject with. The library takes it for no answer, and goes on without the model. */
export class LlmError extends Error {
  readonly code: LlmErrorCode
  /** The HTTP status, where one came. */
  readonly status: number | null

  constructor(code: LlmErrorCode, message: string, status: number | null = null, options?: ErrorOptions) {
    super(message, options)
    this.name = 'LlmError'
    this.code = code
    this.status = status
  }
}
