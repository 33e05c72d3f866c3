import { type ErrorCode, MemoryError } from 'palimpsest'

/** What went wrong and what can be done about it, in words. */
export interface Failure {
  readonly code: string
  readonly title: string
  readonly advice: string
}

type Words = readonly [title: string, advice: string]

const WORDS: { readonly [Code in ErrorCode]?: Words } = {
  STORAGE_UNAVAILABLE: [
    'This browser offers no place to keep memories.',
    'Leave private browsing, or allow site data for this page, and try again.',
  ],
  STORAGE_FULL: [
    'There is no room left.',
    'Nothing of this was written. Free some disk space or forget something, and say it again.',
  ],
  STORAGE_CORRUPT: [
    'The store is damaged and could not be mended.',
    'The damaged file was put aside, not deleted. Reload to begin with an empty page.',
  ],
  SCHEMA_TOO_NEW: ['These memories were written by a newer version of this page.', 'Reload to get the newer version.'],
  PROTOCOL_MISMATCH: ['Another tab runs another version of this page.', 'Reload the older tab.'],
  WORKER_FAILED: ['The memory worker does not run.', 'Reload the page. If that does not help, something blocks its script.'],
  OWNER_CHANGED: [
    'The tab that held the store went away in between.',
    'This may have been written or not: look at the memory panel before you say it again.',
  ],
  EMBEDDING_FAILED: ['The meaning of that could not be worked out.', 'Nothing was written. Say it again.'],
  INVALID_ARGUMENT: ['That cannot be kept as it is.', 'Say it shorter: a memory is one claim, not a document.'],
  FORBIDDEN: ['That is not allowed here.', 'Choose a person first.'],
  GONE: ['It was forgotten too long ago.', 'What was deleted can be brought back for 14 days. Say it again instead.'],
  NOT_FOUND: ['There is nothing of that name any more.', 'Another tab may have deleted it.'],
  PRECONDITION_FAILED: ['It was changed in between.', 'Look at its history in the memory panel and choose there.'],
  CLOSED: ['The store was closed.', 'Reload the page.'],
  TIMEOUT: ['That took too long.', 'Try again.'],
}

/** Any thrown thing in words a person can act on. */
export const explainFailure = (error: unknown): Failure => {
  if (!(error instanceof MemoryError)) return { code: 'UNKNOWN', title: 'Something went wrong.', advice: 'Reload the page.' }
  const { code, message }: MemoryError = error
  const [title, advice] = WORDS[code] ?? ['Something went wrong.', message]
  return { code, title, advice }
}
