import type { Refusal } from '../../src/schema/sync-wire.js'

export type RefusalStatus = 400 | 401 | 403 | 404 | 408 | 413 | 415 | 426 | 429 | 503

/** A request that is refused as a whole. What it says is fixed text: nothing of the request comes back. */
export class Refused extends Error {
  readonly status: RefusalStatus
  readonly body: Refusal
  readonly headers: Readonly<Record<string, string>>

  constructor(status: RefusalStatus, body: Refusal, headers: Readonly<Record<string, string>> = {}) {
    super(body.error)
    this.status = status
    this.body = body
    this.headers = headers
  }
}

export const refuse = (status: RefusalStatus, error: string, headers?: Readonly<Record<string, string>>): Refused =>
  new Refused(status, { error }, headers)
