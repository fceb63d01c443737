import { readdir, readFile } from 'node:fs/promises';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { cachedWorkflows } from '../../src/worker/workflow-bundle.ts';
import '../setup/quiet-temporal.ts';
import { currentVersion, folderToRecordInto, HISTORIES, RELEASED } from './releases.ts';
import { SCENARIOS } from './scenarios.ts';

/** `<version>/<scenario>.<workflow type>.json` */
const stored = (await readdir(HISTORIES, { recursive: true }))
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.json'))
  .sort();
const versionOf = (path: string): string => path.split('/')[0] ?? '';
const scenarioOf = (path: string): string => path.split(/[/.]/).at(-3) ?? '';

describe('a stored history', () => {
  const bundle = cachedWorkflows();
  const replay = async (path: string, text: string): Promise<void> => {
    const history = historyFromJSON(JSON.parse(text));
    // The ids of a pipeline's children begin with its own.
    const { workflowId } = history.events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
    const options = { workflowBundle: await bundle, replayName: path };
    await Worker.runReplayHistory(options, history, workflowId ?? path);
  };

  it('exists for every path that is pinned', () => {
    const recorded = new Set(stored.map(scenarioOf));
    expect(Object.keys(SCENARIOS).filter((name) => !recorded.has(name))).toEqual([]);
  });

  it('is of a version that is released, or of the one in work', async () => {
    const versions = new Set(stored.map(versionOf));
    expect(RELEASED.filter((version) => !versions.has(version))).toEqual([]);
    const known = new Set([...RELEASED, await currentVersion()]);
    expect([...versions].filter((version) => !known.has(version))).toEqual([]);
  });

  it.each(stored)('%s replays', async (path) => {
    const text = await readFile(new URL(path, HISTORIES), 'utf8');
    await expect(replay(path, text)).resolves.toBeUndefined();
  });

  it('that the code does not follow is noticed', async () => {
    const text = await readFile(new URL('0.1.0/settled-by-webhook.generation.json', HISTORIES), 'utf8');
    const other = replay('other', text.replaceAll('submitTask', 'buyTask'));
    await expect(other).rejects.toThrow(/[Nn]ondetermini|does not match/);
  });
});

describe('recording', () => {
  it('writes into the folder of the version in work', () => {
    expect(folderToRecordInto('0.3.0', ['0.1.0', '0.2.0']).href).toBe(new URL('0.3.0/', HISTORIES).href);
  });

  it('refuses a version that is released', () => {
    expect(() => folderToRecordInto('0.2.0', ['0.1.0', '0.2.0'])).toThrow('set the next version');
  });
});
