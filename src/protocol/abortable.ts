/** Accepted by every call: aborting rejects it with `ABORTED`. A write that was already committed stays written. */
export interface Abortable {
  readonly signal?: AbortSignal
}
