import { defineConfig } from 'vitest/config'
import { workerConstants } from './tsdown.config.js'

const MINUTE = 60_000
const long = process.env.LONG === '1'

export default defineConfig({
  define: workerConstants,
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          include: [
            'test/unit/**/*.test.ts',
            'test/node/**/*.test.ts',
            'test/architecture.test.ts',
            'test/protocol-version.test.ts',
          ],
          // Far beyond what a machine under load needs.
          testTimeout: long ? 10 * MINUTE : 30_000,
          // No test changes what others import, so a worker may keep it: a third of the time is loading.
          isolate: false,
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          // Starts and kills of browsers take as long as a machine takes for them.
          testTimeout: long ? 60 * MINUTE : 3 * MINUTE,
          hookTimeout: MINUTE,
          // Two browsers at once fill two cores; more would only wait for one another.
          maxWorkers: 2,
          // A busy machine takes its time to open a page.
          expect: { poll: { timeout: 10_000 } },
        },
      },
      {
        extends: true,
        test: {
          name: 'package',
          include: ['test/package/**/*.test.ts'],
          globalSetup: ['test/package/setup.ts'],
          testTimeout: 4 * MINUTE,
          hookTimeout: 2 * MINUTE,
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: { name: 'bench', include: ['test/bench/**/*.bench.ts'], testTimeout: 60 * MINUTE, fileParallelism: false },
      },
    ],
  },
})
