import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

// biome-ignore lint/style/noDefaultExport: Vite reads its configuration from it.
export default defineConfig({
  root: here('chat'),
  base: './',
  // The package as it is built, as anybody who installs it has it.
  resolve: { alias: { palimpsest: here('../dist/index.js') } },
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  worker: { format: 'es' },
})
