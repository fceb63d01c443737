import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { temporal } from '@temporalio/proto';
import { expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { openShortWorld } from '../workflows/short-histories.ts';
import { openWorld, type World } from '../workflows/world.ts';
import { SHORT_SCENARIOS } from './continued.ts';
import { currentVersion, folderToRecordInto, SHORT } from './histories.ts';
import { SCENARIOS, type Scenario, TEMPLATES } from './scenarios.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LONG = { timeout: 240_000 };

const folder = folderToRecordInto(await currentVersion());
await mkdir(folder, { recursive: true });

/** `npm run record-histories`; see README.md beside this. */
it.each(Object.entries(SCENARIOS))('records %s', LONG, async (name, scenario) => {
  const world = await openWorld({ emulator: { templates: TEMPLATES } });
  expect(await record(name, scenario, world)).toBeGreaterThan(0);
});

it.each(Object.entries(SHORT_SCENARIOS))('records %s', LONG, async (name, scenario) => {
  expect(await record(name, scenario, await openShortWorld(SHORT))).toBeGreaterThan(1);
});

/** @returns how many histories it has written */
async function record(name: string, scenario: Scenario, world: World): Promise<number> {
  try {
    let written = 0;
    for (const one of await scenario(world)) {
      const histories = await chainOf(world, typeof one === 'string' ? { workflowId: one } : one);
      for (const [index, history] of histories.entries()) {
        const kind = history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name ?? '';
        // Stack traces name the files of whoever recorded them.
        const text = JSON.stringify(JSON.parse(historyToJSON(history))).replaceAll(ROOT, '');
        await writeFile(
          new URL(`${name}.${kind}${index === 0 ? '' : `.${index}`}.json`, folder),
          `${text}\n`,
        );
        written += 1;
      }
    }
    return written;
  } finally {
    await world.close();
  }
}

/** That run, the latest one where none is named, and before it the last ones of those that it goes on for: more of them show nothing else. */
async function chainOf(
  world: World,
  { workflowId, runId: last }: { workflowId: string; runId?: string },
): Promise<temporal.api.history.v1.IHistory[]> {
  const chain: temporal.api.history.v1.IHistory[] = [];
  let runId: string | null | undefined =
    last ?? (await world.client.workflow.getHandle(workflowId).describe()).runId;
  while (runId && chain.length < 3) {
    const handle: WorkflowHandle = world.client.workflow.getHandle(workflowId, runId);
    const history = await eventually(async () => {
      const told = await handle.fetchHistory();
      // One that has only begun shows nothing.
      if (!told.events?.some((event) => event.workflowTaskCompletedEventAttributes))
        throw new Error('it has only begun');
      return told;
    });
    const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
    // The replayer takes the run's id from here, where a Reset leaves the old run's; a worker is told the real one.
    if (started) started.originalExecutionRunId = runId;
    chain.push(history);
    runId = started?.continuedExecutionRunId;
  }
  return chain;
}
