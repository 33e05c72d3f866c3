import type { OpenOptions } from './location.js'

/** Where the files of the library are, as absolute addresses, and how to start the workers. */
export interface Assets {
  /** Null when the app brings its own worker. */
  readonly worker: string | null
  readonly wasm: string
  readonly table: string
  readonly language: string
  readonly lexicon: string
  readonly repair: string
  readonly search: string
  readonly seldom: string
  readonly extract: string
  /** The script that looks for patterns; the worker starts it. */
  readonly patterns: string
  readonly startWorker: () => Worker
  /** Starts the worker that runs a model of transformers.js. */
  readonly startEmbedderWorker: () => Worker
  /** A port to the shared worker that introduces tabs to each other; null where there is none. */
  readonly startBroker: () => MessagePort | null
}

/**
 * The files beside this module, or where the options say. The addresses are spelled out literally, since that is the one form which
 * every bundler finds.
 */
export const findAssets = ({ worker, workerUrl, assetBase }: OpenOptions): Assets => {
  const base = assetBase === undefined ? null : folder(assetBase)
  const wasm = base === null ? new URL('./sqlite3.wasm', import.meta.url).href : new URL('sqlite3.wasm', base).href
  const table = base === null ? new URL('./static-256.bin', import.meta.url).href : new URL('static-256.bin', base).href
  const language = base === null ? new URL('./language.js', import.meta.url).href : new URL('language.js', base).href
  const lexicon = base === null ? new URL('./lexicon.txt', import.meta.url).href : new URL('lexicon.txt', base).href
  const repair = base === null ? new URL('./repair.js', import.meta.url).href : new URL('repair.js', base).href
  const search = base === null ? new URL('./search.js', import.meta.url).href : new URL('search.js', base).href
  const seldom = base === null ? new URL('./seldom.js', import.meta.url).href : new URL('seldom.js', base).href
  const extract = base === null ? new URL('./extract.js', import.meta.url).href : new URL('extract.js', base).href
  const patterns =
    base === null ? new URL('./pattern-worker.js', import.meta.url).href : new URL('pattern-worker.js', base).href
  const beside = new URL('./worker.js', import.meta.url).href
  const elsewhere = isHere(beside) ? null : beside
  const given = workerUrl !== undefined ? absolute(workerUrl) : base !== null ? new URL('worker.js', base).href : elsewhere
  const embedder = new URL('./embedder-worker.js', import.meta.url).href
  const embedderElsewhere = base !== null ? new URL('embedder-worker.js', base).href : isHere(embedder) ? null : embedder
  return {
    worker: worker !== undefined ? null : (given ?? beside),
    wasm,
    table,
    language,
    lexicon,
    repair,
    search,
    seldom,
    extract,
    patterns,
    startWorker: () =>
      given === null ? new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }) : startFrom(given),
    startEmbedderWorker: () =>
      embedderElsewhere === null
        ? new Worker(new URL('./embedder-worker.js', import.meta.url), { type: 'module' })
        : startFrom(embedderElsewhere),
    startBroker: () => {
      if (worker !== undefined || typeof SharedWorker === 'undefined') return null
      try {
        const broker =
          given === null
            ? new SharedWorker(new URL('./worker.js', import.meta.url), { type: 'module', name: BROKER })
            : isHere(given)
              ? new SharedWorker(given, { name: BROKER })
              : null
        return broker?.port ?? null
      } catch {
        return null
      }
    },
  }
}

const BROKER = 'palimpsest'

const absolute = (url: string | URL): string => new URL(url, location.href).href

const folder = (url: string | URL): URL => {
  const href = absolute(url)
  return new URL(href.endsWith('/') ? href : `${href}/`)
}

// Files and data addresses have no origin of their own to be compared.
const isHere = (url: string): boolean => new URL(url, location.href).origin === location.origin || !url.startsWith('http')

/** A script of another origin cannot be a worker; one of this origin that only imports it can. */
const startFrom = (url: string): Worker => {
  if (isHere(url)) return new Worker(url, { type: 'module' })
  const shim = URL.createObjectURL(new Blob([`import ${JSON.stringify(url)}`], { type: 'text/javascript' }))
  const worker = new Worker(shim, { type: 'module' })
  worker.addEventListener('message', () => URL.revokeObjectURL(shim), { once: true })
  return worker
}
