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

// The Temporal servers that tests start: less garbage collection for more memory, of which they take little.
process.env['GOGC'] ??= '400';

export default defineConfig({
  test: {
    // A busy machine is no defect: what is waited for comes, or it does not.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // Sized for two cores: most of a test's time is waiting, for the Temporal server and for timers.
    maxWorkers: 6,
    // Each process loads the modules that most files need once, not each file anew; and as Node does in production.
    isolate: false,
    experimental: { viteModuleRunner: false },
    sequence: { sequencer: SlowFirst },
    projects: [
      { extends: true, test: { name: 'unit', include: WITHOUT_SERVER } },
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
