import { appendFile } from 'node:fs/promises';
import { afterEach } from 'vitest';
import { openWorlds, tellOpenRuns } from '../open-runs.ts';

// A test that waited in vain says only that: what it waited for stands in the histories of the runs.
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail' || openWorlds.size === 0) return;
  const told = await tellOpenRuns().catch((error: unknown) => `no histories: ${String(error)}`);
  const text = `Open when "${task.name}" failed:\n${told}\n`;
  process.stderr.write(text);
  const file = process.env['TEST_OPEN_RUNS'];
  if (file !== undefined) await appendFile(file, text);
});
