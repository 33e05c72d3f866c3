import { fileURLToPath } from 'node:url'
import { build } from 'vite'

/** One TypeScript file of the tests with all it imports, as one module script. */
export const bundle = async (entry: string): Promise<string> => {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      target: 'es2022',
      lib: { entry: fileURLToPath(new URL(`../${entry}`, import.meta.url)), formats: ['es'], fileName: 'bundle' },
    },
  })
  const [output] = Array.isArray(result) ? result : [result]
  const chunk = output !== undefined && 'output' in output ? output.output[0] : undefined
  if (chunk?.type !== 'chunk') throw new Error(`${entry} was not bundled.`)
  return chunk.code
}
