import { afterEach } from 'vitest';
import { openWorlds, tellOpenRuns } from '../open-runs.ts';

// A test that waited in vain says only that: what it waited for stands in the histories of the runs.
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail' || openWorlds.size === 0) return;
  const told = await tellOpenRuns().catch((error: unknown) => `no histories: ${String(error)}`);
  process.stderr.write(`Open when "${task.name}" failed:\n${told}\n`);
});
