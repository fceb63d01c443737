import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Sized for two cores: a workflow test also keeps the Temporal server busy.
    maxWorkers: 2,
    projects: [
      // Pure code: no server is started for these.
      { extends: true, test: { name: 'unit', include: ['test/unit/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'temporal',
          include: ['test/**/*.test.ts'],
          exclude: ['test/unit/**'],
          globalSetup: ['test/setup/temporal.ts'],
        },
      },
    ],
  },
});
