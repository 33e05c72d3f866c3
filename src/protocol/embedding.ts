/**
 * How an embedder outside the database worker is reached. The page and the database worker share one line for as long as the
 * store is open; over it the worker asks for the embedder and the page hands it a port to wherever the embedder runs: on the
 * page or in a worker of its own. Nothing is started before it is asked for, and a tab that does not lead asks for nothing.
 */

/**
 * Database worker to page: start the embedder and send a port to it, or end it, since it is not needed any more. `start` numbers the
 * tries, so that late news of an earlier one is not taken for news of this one.
 */
export type EmbedderWish = { readonly type: 'start'; readonly start: number } | { readonly type: 'stop' }

/** Page to database worker: the port that was asked for, or why the embedder that was running, or starting, is gone. */
export type EmbedderNews =
  | { readonly type: 'port'; readonly start: number; readonly port: MessagePort }
  | { readonly type: 'lost'; readonly start: number; readonly cause: string }

/** Database worker to embedder: texts to embed, or that a request is no longer wanted. */
export type EmbedRequest =
  | { readonly id: number; readonly texts: readonly string[] }
  | { readonly id: number; readonly abort: true }

/** How far a model is loaded, all its files together. Neither `loaded` nor `total` ever goes backwards; `total` is null until known. */
export interface ModelProgress {
  readonly loaded: number
  readonly total: number | null
  readonly ratio: number
  /** The file that moved. */
  readonly file: string
}

/** Embedder to database worker. The vectors' buffers are transferred. */
export type EmbedReply =
  | { readonly id: number; readonly vectors: readonly Float32Array[] }
  | { readonly id: number; readonly message: string }
  | { readonly progress: ModelProgress }
