import { defineConfig } from 'vitest/config'

const MINUTE = 60_000

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/setup.ts'],
    // Far beyond what a machine under load needs.
    testTimeout: process.env.LONG === '1' ? 60 * MINUTE : MINUTE,
    hookTimeout: MINUTE,
    maxWorkers: 2,
  },
})
