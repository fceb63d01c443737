import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { expect, it } from 'vitest';
import { openWorld } from '../workflows/world.ts';
import { currentVersion, folderToRecordInto } from './releases.ts';
import { SCENARIOS, TEMPLATES } from './scenarios.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const folder = folderToRecordInto(await currentVersion());
await mkdir(folder, { recursive: true });

/** `npm run record-histories`; see README.md beside this. */
it.each(Object.entries(SCENARIOS))('records %s', { timeout: 60_000 }, async (name, scenario) => {
  const world = await openWorld({ emulator: { templates: TEMPLATES } });
  try {
    const workflowIds = await scenario(world);
    expect(workflowIds).not.toEqual([]);
    for (const workflowId of workflowIds) {
      const { runId } = await world.client.workflow.getHandle(workflowId).describe();
      const history = await world.client.workflow.getHandle(workflowId, runId).fetchHistory();
      const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
      // The replayer takes the run's id from here, where a Reset leaves the old run's; a worker is told the real one.
      if (started) started.originalExecutionRunId = runId;
      const kind = started?.workflowType?.name ?? '';
      // Stack traces name the files of whoever recorded them.
      const text = JSON.stringify(JSON.parse(historyToJSON(history))).replaceAll(ROOT, '');
      await writeFile(new URL(`${name}.${kind}.json`, folder), `${text}\n`);
    }
  } finally {
    await world.close();
  }
});
