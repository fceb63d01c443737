import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { expect, onTestFinished, test } from 'vitest';
import { storeData, storeTaskOutputs } from '../../../src/activities/generation/store-outputs.ts';
import { createFileStore } from '../../../src/outputs/stores/file-store.ts';
import { startOrigin } from '../../outputs/origin.ts';

test("a record's data is stored beside the outputs, and a store that is away is a result", async () => {
  const { folder, deps } = await setUp();
  const task = { workspace: 'default', workflowId: 'generation/x', taskId: 'task-1' };
  const stored = await storeData(deps, task, { words: ['hello'] });
  if (!('dataUri' in stored)) throw new Error(stored.reason);
  expect(JSON.parse(await readFile(fileURLToPath(stored.dataUri), 'utf8'))).toEqual({ words: ['hello'] });
  await writeFile(join(folder, 'file'), '');
  const away = { ...deps, store: createFileStore(join(folder, 'file')) };
  expect(await storeData(away, task, {})).toMatchObject({ kind: 'delayed', url: null });
});

async function setUp() {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-store-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const deps = { store: createFileStore(folder), downloads: { allowPrivate: true } };
  const environment = new MockActivityEnvironment(
    { workflowExecution: { workflowId: 'generation/x', runId: 'r' } },
    { logger: new DefaultLogger('ERROR') },
  );
  const request = (url: string) => ({
    workflowId: 'generation/x',
    taskId: 'task-1',
    workspace: 'default',
    assets: [{ url, contentType: 'text/plain', width: null, height: null, duration: null }],
  });
  return {
    folder,
    deps,
    store: (url: string) => environment.run(storeTaskOutputs, deps, request(url)),
  };
}

test("a task's outputs lie below their workspace and workflow, under the task's id", async () => {
  const { store } = await setUp();
  const result = await store('data:,words');
  expect(result).toMatchObject({
    kind: 'stored',
    outputs: [
      { stored: { uri: expect.stringMatching(/\/default\/generation\+x\/task-1-[0-9a-f]{16}\.txt$/) } },
    ],
  });
  expect(await store('data:,words')).toMatchObject({ kind: 'stored', outputs: [{ stored: { bytes: 5 } }] });
});

test('what keeps an output from being stored is a result, told at once', async () => {
  const origin = await startOrigin((_, response) => void response.writeHead(503).end());
  const { store } = await setUp();
  expect(await store(origin.url)).toMatchObject({ kind: 'delayed', status: 503 });
  expect(origin.asked).toHaveLength(1);
});
