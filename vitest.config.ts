import { defineConfig } from 'vitest/config';

/** Tests of pure code: no server is started for these. */
const PURE = [
  'test/unit/**/*.test.ts',
  'test/outputs/**/*.test.ts',
  'test/conformance/**/*.test.ts',
  'test/deploy/**/*.test.ts',
  'test/emulator/**/*.test.ts',
  'test/webhooks/**/*.test.ts',
];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Sized for two cores: a workflow test also keeps the Temporal server busy.
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: 'unit', include: PURE } },
      {
        extends: true,
        test: {
          name: 'temporal',
          include: ['test/**/*.test.ts'],
          exclude: PURE,
          globalSetup: ['test/setup/temporal.ts'],
        },
      },
    ],
  },
});
