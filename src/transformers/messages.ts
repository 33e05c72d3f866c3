import type { ModelProgress } from '../protocol/embedding.js'

/** What a model file must be, by its path in the model's folder: what `checksums.json` of a prepared model says. */
export type ExpectedFiles = Readonly<Record<string, { readonly sha256?: string; readonly bytes?: number }>>

/** How the vectors of the tokens become one. */
export type Pooling = 'mean' | 'cls' | 'last_token'

/** Where the model runs. */
export type Device = 'auto' | 'webgpu' | 'wasm'

/** Everything about a model that is plain data. Addresses are absolute. */
export interface ModelOptions {
  /** The library's module; null when the worker brings the library itself. */
  readonly url: string | null
  readonly model: string
  readonly revision: string
  readonly dtype: string
  readonly device: Device
  readonly pooling: Pooling
  readonly localModelPath: string
  readonly remote: boolean
  /** Folder, or the two files, of the runtime; null leaves what the library is set to. */
  readonly wasmPaths: string | { readonly mjs?: string; readonly wasm?: string } | null
  /** Null takes what suits the device. */
  readonly batchSize: number | null
  readonly files: ExpectedFiles
  readonly stallMs: number
}

/** Page to embedder worker: answer on this port, and hold the lock of this name as long as you run. */
export interface ServeMessage {
  readonly type: 'palimpsest:serve'
  readonly port: MessagePort
  readonly alive: string
  readonly options: ModelOptions
}

/** Embedder worker to page. */
export type ServerMessage =
  /** The first word, before anything is loaded. */
  | { readonly type: 'palimpsest:embedder' }
  /** It has the first message and holds the lock that came with it. */
  | { readonly type: 'palimpsest:embedder-alive' }
  | { readonly type: 'palimpsest:embedder-progress'; readonly progress: ModelProgress }
  /** It cannot go on: end it and start another. */
  | { readonly type: 'palimpsest:embedder-lost'; readonly cause: string }
