import type { ModelProgress } from '../protocol/embedding.js'
import type { TransformersLibrary } from './library.js'
import type { Device, ExpectedFiles, Pooling } from './messages.js'

/** Options of `transformersEmbedder`: exactly one of `url`, `worker` and `pipeline`, and the model. */
export interface TransformersOptions {
  /** Address of transformers.js as one module for browsers, such as your copy of `dist/transformers.min.js`. It runs in a worker of its own. */
  readonly url?: string | URL
  /** Starts a worker of yours that has the library and calls `serveTransformers` of `palimpsest/transformers`. */
  readonly worker?: () => Worker
  /**
   * The library's own function. The simplest way, and the least isolated: the model runs on the page, so that it holds up rendering,
   * and takes the page with it when it runs out of memory.
   */
  readonly pipeline?: TransformersLibrary['pipeline']
  /** The library's settings, with `pipeline`: without them, files are loaded as the library is set up, and are not checked. */
  readonly env?: object
  /** Name of the model: its folder under `localModelPath`, or its repository with `remote`. */
  readonly model: string
  /** Part of the embedder's id, so that another revision is embedded anew; with `remote`, the revision that is fetched. Default `main`. */
  readonly revision?: string
  /** Which of the model's weights. Default `q8`. */
  readonly dtype?: string
  /**
   * Where it runs. `auto` takes WebGPU where there is an adapter and the weights are `fp32` or `fp16`, and WASM elsewhere, since quantised
   * weights give wrong vectors under WebGPU. Whatever is asked for, WASM stands in where WebGPU does not work. Default `auto`.
   */
  readonly device?: Device
  /** How the vectors of the tokens become one: as the model was trained. Default `mean`. */
  readonly pooling?: Pooling
  /** Length of the vectors, checked with every answer. Default: what the first answer has. */
  readonly dims?: number
  /** Folder of models, relative to the page. Default `/models/`. */
  readonly localModelPath?: string | URL
  /** True fetches the model from the library's hub, another company's server. Default false: nothing leaves your origin. */
  readonly remote?: boolean
  /** Folder of the runtime's `.wasm` and `.mjs` files, or both addresses. Default: the folder of `url`. */
  readonly wasmPaths?: string | URL | { readonly mjs?: string; readonly wasm?: string }
  /** Texts per inference. Default 1 on a processor, where more are no faster, and 16 on WebGPU. */
  readonly batchSize?: number
  /** Size and hash of the model's files by their path in its folder, checked before a file is used or kept: see `checksums.json`. */
  readonly files?: ExpectedFiles
  /** A download without a byte for so long is taken up anew, and given up after a few times. Default 30,000. */
  readonly stallMs?: number
  /** Calls back as the model is downloaded, all its files together. */
  readonly onProgress?: (progress: ModelProgress) => void
}
