import { type OpenOptions, type ProgressEvent, transformersEmbedder } from 'palimpsest'

/** Size and hash of the model's files, put in when the demo is built. */
declare const MODEL_FILES: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>

/** `?model=off` stays on the static table. */
const isWanted = (): boolean => new URLSearchParams(location.search).get('model') !== 'off'

/** Answers at once from the static table, and moves up to MiniLM, all from this page's own server. */
export const embedderOptions = (): Pick<OpenOptions, 'embedder' | 'model'> => ({
  embedder: 'auto',
  ...(isWanted() && {
    model: transformersEmbedder({
      url: '/transformers/transformers.min.js',
      // Half the size of what the library takes by itself, which can use a GPU: these weights cannot.
      wasmPaths: {
        mjs: '/transformers/ort-wasm-simd-threaded.mjs',
        wasm: '/transformers/ort-wasm-simd-threaded.wasm',
      },
      model: 'all-MiniLM-L6-v2',
      localModelPath: '/models/',
      files: MODEL_FILES,
    }),
  }),
})

export const STATIC_NAME = 'the static table'

/** Whether a name is that of the static table, or of its file. */
export const isStatic = (id: string): boolean => id.startsWith('static-')

/** An embedder as people call it. */
export const embedderName = (id: string): string => {
  if (isStatic(id)) return STATIC_NAME
  return id.includes('MiniLM') ? 'MiniLM' : id
}

/** Whether a step of the store is the model's, and not the static table's. */
export const isModelStep = ({ phase, file = '' }: ProgressEvent): boolean =>
  (phase === 'embedder' || phase === 'indexing') && !isStatic(file)
