import { readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { bundleWorkflows } from '../../src/worker/workflow-bundle.ts';
import { openWorld } from '../workflows/world.ts';
import { SCENARIOS } from './scenarios.ts';

const FOLDER = new URL('histories/', import.meta.url);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Stored histories pin the behaviour of running workflows: what was recorded with earlier code must replay with
 * this one. A change that breaks one needs `patched()`. Recorded anew, all of them, only when none of them can be
 * in use any more: `RECORD_HISTORIES=1 npx vitest run test/replay`.
 */
describe.skipIf(process.env['RECORD_HISTORIES'] === undefined)('recording', () => {
  it.each(Object.entries(SCENARIOS))('stores %s', { timeout: 60_000 }, async (name, scenario) => {
    const world = await openWorld();
    try {
      const workflowIds = await scenario(world);
      expect(workflowIds).not.toEqual([]);
      for (const workflowId of workflowIds) {
        const history = await world.client.workflow.getHandle(workflowId).fetchHistory();
        const kind = history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name ?? '';
        // Stack traces name the files of whoever recorded them.
        const text = JSON.stringify(JSON.parse(historyToJSON(history))).replaceAll(ROOT, '');
        await writeFile(new URL(`${name}.${kind}.json`, FOLDER), `${text}\n`);
      }
    } finally {
      await world.close();
    }
  });
});

const stored = (await readdir(FOLDER)).filter((name) => name.endsWith('.json'));

describe('a stored history', () => {
  const bundle = bundleWorkflows();

  it('exists for every path that is pinned', () => {
    const names = new Set(stored.map((name) => name.split('.')[0]));
    expect([...names].sort()).toEqual(Object.keys(SCENARIOS).sort());
  });

  it.each(stored)('%s replays', async (name) => {
    const history = historyFromJSON(JSON.parse(await readFile(new URL(name, FOLDER), 'utf8')));
    // The ids of a pipeline's children begin with its own.
    const { workflowId } = history.events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
    const replay = Worker.runReplayHistory(
      { workflowBundle: await bundle, replayName: name },
      history,
      workflowId ?? name,
    );
    await expect(replay).resolves.toBeUndefined();
  });

  it('that the code does not follow is noticed', async () => {
    const text = await readFile(new URL('settled-by-webhook.generation.json', FOLDER), 'utf8');
    const other = historyFromJSON(JSON.parse(text.replaceAll('submitTask', 'buyTask')));
    const replay = Worker.runReplayHistory(
      { workflowBundle: await bundle, replayName: 'other' },
      other,
      'replayed/other',
    );
    await expect(replay).rejects.toThrow(/[Nn]ondetermini|does not match/);
  });
});
