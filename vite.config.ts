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
          testTimeout: long ? 10 * MINUTE : 10_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          testTimeout: long ? 60 * MINUTE : MINUTE,
          hookTimeout: MINUTE,
          // Each test starts browsers; several at once would measure one another.
          fileParallelism: false,
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
