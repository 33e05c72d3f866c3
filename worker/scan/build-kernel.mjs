// @ts-check
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import asc from 'assemblyscript/asc'

// npm run build:kernel. The compiler wants its input to end in .ts, which this source is not: it is handed over by name.

const FLAGS = ['--runtime=stub', '--enable=simd', '--noAssert', '--initialMemory=1', '-O3', '--shrinkLevel=1']
const SOURCE = fileURLToPath(new URL('kernel.as', import.meta.url))
const OUTPUT = fileURLToPath(new URL('kernel-bytes.ts', import.meta.url))

/** The kernel as the module that holds it. */
export const buildKernel = async () => {
  const source = readFileSync(SOURCE, 'utf8')
  /** @type {Uint8Array | undefined} */
  let wasm
  const { error, stderr } = await asc.main(['kernel.ts', '--outFile=kernel.wasm', ...FLAGS], {
    readFile: (name) => (name === 'kernel.ts' ? source : null),
    writeFile: (_, contents) => {
      if (typeof contents !== 'string') wasm = contents
    },
    listFiles: () => [],
  })
  if (error !== null || wasm === undefined) throw new Error(`The kernel did not compile.\n${stderr}`)
  // In hexadecimal, which compresses to fewer bytes than base64: what is alike in the kernel stays alike.
  return `/** Made from kernel.as by \`npm run build:kernel\`. */\nexport const KERNEL =\n  '${Buffer.from(wasm).toString('hex')}'\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(OUTPUT, await buildKernel())
}
