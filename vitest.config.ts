import { defineConfig } from 'vitest/config';

/** Rooms whose tests need no Temporal server: none is started for these. */
const WITHOUT_SERVER = [
  'api',
  'config',
  'conformance',
  'contract',
  'deploy',
  'emulator',
  'operations',
  'outputs',
  'pipeline',
  'policy',
  'schemas',
  'terminal',
  'webhooks',
].map((room) => `test/${room}/**/*.test.ts`);

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Sized for two cores: a workflow test also keeps the Temporal server busy.
    maxWorkers: 2,
    projects: [
      // Two processes load the modules that most files need once, not each file anew.
      { extends: true, test: { name: 'unit', include: WITHOUT_SERVER, isolate: false } },
      {
        extends: true,
        test: {
          name: 'temporal',
          include: ['test/**/*.test.ts'],
          exclude: WITHOUT_SERVER,
          globalSetup: ['test/setup/temporal.ts'],
        },
      },
    ],
  },
});
