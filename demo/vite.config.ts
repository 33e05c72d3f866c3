import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const checksums = here('../.cache/model/all-MiniLM-L6-v2/checksums.json')

// biome-ignore lint/style/noDefaultExport: Vite reads its configuration from it.
export default defineConfig({
  root: here('chat'),
  base: './',
  // The package as it is built, as anybody who installs it has it.
  resolve: { alias: { 'palimpsest/llm': here('../dist/llm.js'), palimpsest: here('../dist/index.js') } },
  // What the model's files must be; without its folder there is nothing to be checked.
  define: { MODEL_FILES: existsSync(checksums) ? readFileSync(checksums, 'utf8') : '{}' },
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  worker: { format: 'es' },
})
