import { afterEach, describe, expect, test, vi } from 'vitest'
import { configure, MODELS, makeExtractor, type TransformersLibrary } from '../../src/transformers/library.js'
import type { ModelOptions } from '../../src/transformers/messages.js'

const OPTIONS: ModelOptions = {
  url: 'http://a/lib/transformers.js',
  model: 'tiny',
  revision: 'main',
  dtype: 'q8',
  device: 'auto',
  pooling: 'mean',
  localModelPath: 'http://a/models/',
  remote: false,
  wasmPaths: null,
  batchSize: null,
  files: {},
  stallMs: 1_000,
}

const none: TransformersLibrary['pipeline'] = async () => undefined
const guarded = { fetch: (async () => new Response()) as typeof fetch, everywhere: true }
const CDN = 'https://cdn.jsdelivr.net/npm/onnxruntime-web@1.31.0/dist/ort-wasm-simd-threaded.wasm'

describe('the library is set up', () => {
  test('to load from the own origin only, through our fetch, without a cache of its own', () => {
    const env = { allowRemoteModels: true, useBrowserCache: true, fetch: globalThis.fetch, backends: { onnx: { wasm: {} } } }
    configure({ pipeline: none, env }, { ...OPTIONS, wasmPaths: 'http://a/ort/' }, guarded)
    expect(env).toMatchObject({
      allowLocalModels: true,
      allowRemoteModels: false,
      localModelPath: MODELS,
      useBrowserCache: false,
      fetch: guarded.fetch,
      backends: { onnx: { wasm: { wasmPaths: 'http://a/ort/', proxy: false } } },
    })
  })

  test('to load from its hub only when that is said', () => {
    const env = {}
    configure({ pipeline: none, env }, { ...OPTIONS, remote: true }, guarded)
    expect(env).toMatchObject({ allowLocalModels: false, allowRemoteModels: true })
  })

  test('with the real folder where our fetch does not reach', () => {
    const env = {}
    configure({ pipeline: none, env }, OPTIONS, { ...guarded, everywhere: false })
    expect(env).toMatchObject({ localModelPath: 'http://a/models/' })
    expect('fetch' in env).toBe(false)
  })

  test('and not with a runtime from a CDN that nobody named', () => {
    const env = () => ({ backends: { onnx: { wasm: { wasmPaths: { wasm: CDN } } } } })
    expect(() => configure({ pipeline: none, env: env() }, OPTIONS, guarded)).toThrow(/set wasmPaths/)
    const own = env()
    configure({ pipeline: none, env: own }, { ...OPTIONS, wasmPaths: { wasm: 'http://a/ort.wasm' } }, guarded)
    expect(own.backends.onnx.wasm.wasmPaths).toEqual({ wasm: 'http://a/ort.wasm' })
    configure({ pipeline: none, env: env() }, { ...OPTIONS, remote: true }, guarded)
  })

  test('by the app where it gives no settings', () => {
    expect(() => configure({ pipeline: none }, OPTIONS, guarded)).not.toThrow()
  })
})

describe('the device', () => {
  afterEach(() => vi.unstubAllGlobals())

  /** Which devices are tried, one after the other. */
  const tried = async (options: Partial<ModelOptions>, adapter: unknown, failing: readonly string[] = []) => {
    vi.stubGlobal('navigator', adapter === undefined ? {} : { gpu: { requestAdapter: async () => adapter } })
    const devices: string[] = []
    const pipeline = async (_task: string, _model: string, { device }: { device: string }) => {
      devices.push(device)
      if (failing.includes(device)) throw new Error(`no ${device}`)
      return () => undefined
    }
    const { device } = await makeExtractor({ pipeline }, { ...OPTIONS, ...options })
    expect(device).toBe(devices.at(-1))
    return devices
  }

  test('is the GPU for weights in floating point, where there is an adapter', async () => {
    expect(await tried({ dtype: 'fp32' }, {})).toEqual(['webgpu'])
    expect(await tried({ dtype: 'fp16' }, {})).toEqual(['webgpu'])
    expect(await tried({ dtype: 'fp32' }, null)).toEqual(['wasm'])
    expect(await tried({ dtype: 'fp32' }, undefined)).toEqual(['wasm'])
  })

  test('is not the GPU for quantised weights, unless that is said', async () => {
    expect(await tried({}, {})).toEqual(['wasm'])
    expect(await tried({ dtype: 'q4' }, {})).toEqual(['wasm'])
    expect(await tried({ device: 'webgpu' }, {})).toEqual(['webgpu'])
  })

  test('is WASM where the GPU turns out not to work, and where it is said', async () => {
    expect(await tried({ dtype: 'fp32' }, {}, ['webgpu'])).toEqual(['webgpu', 'wasm'])
    expect(await tried({ device: 'wasm', dtype: 'fp32' }, {})).toEqual(['wasm'])
  })
})
