import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Records histories instead of testing: `npm run record-histories`. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../../', import.meta.url)),
    include: ['test/replay/record-histories.ts'],
    globalSetup: ['test/setup/temporal.ts'],
  },
});
