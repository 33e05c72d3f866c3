import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Consumer, createConsumer, TOOLS } from '../support/consumer.js'

const APP = `import { type Memory, MemoryError, openMemory } from 'palimpsest'

export const remember = async (): Promise<string | null> => {
  const memory: Memory = await openMemory('types-test')
  try {
    const { verdict, peers } = await memory.set({ key: 'a/b', value: 'Alice lives in Berlin.' })
    const row = await memory.get('a/b')
    return row === null || verdict === 'conflict' ? (peers[0]?.key ?? null) : row.id
  } catch (error) {
    return error instanceof MemoryError ? error.code : null
  }
}
`

let consumer: Consumer
beforeAll(async () => {
  consumer = await createConsumer(inject('tarball'), { 'app.ts': APP })
})
afterAll(() => consumer.remove())

const compile = async (module: string, source = APP): Promise<string> => {
  await writeFile(join(consumer.folder, 'app.ts'), source)
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck', 'false']
  return consumer.node(
    TOOLS.tsc,
    'app.ts',
    '--noEmit',
    '--target',
    'es2022',
    '--module',
    module,
    ...moduleResolution(module),
    ...strict,
  )
}

const moduleResolution = (module: string) => (module === 'esnext' ? ['--moduleResolution', 'bundler'] : [])

test.each(['esnext', 'nodenext'])(
  'a strict app compiles against the declarations, which compile themselves (%s)',
  async (module) => {
    expect(await compile(module)).toBe('')
  },
)

test('wrong calls do not compile', async () => {
  const wrong = APP.replace("{ key: 'a/b', value:", "{ kye: 'a/b', value:")
  await expect(compile('esnext', wrong)).rejects.toThrow(/TS2561|TS2353/)
})
