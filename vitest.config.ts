import { defineConfig } from 'vitest/config';
import { SlowFirst } from './test/setup/slow-first.ts';

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
    sequence: { sequencer: SlowFirst },
    projects: [
      // Two processes load the modules that most files need once, not each file anew.
      {
        extends: true,
        test: {
          name: 'unit',
          include: WITHOUT_SERVER,
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'temporal',
          include: ['test/**/*.test.ts'],
          exclude: WITHOUT_SERVER,
          isolate: false,
          globalSetup: ['test/setup/temporal.ts'],
          // Sized for two cores: what these tests do most of the time is wait, for timers, processes and the server.
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
