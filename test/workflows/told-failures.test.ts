import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FAST, image, openWorld, type World } from './world.ts';

/** Where this machine has what the bundle and the activities are made of. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const REFUSED = image('refused', FAST);

/** How runs fail: by what they were asked for, by the API, and by an activity whose failure is handed on. */
const FAILED: readonly (readonly [string, () => Promise<WorkflowHandle>])[] = [
  ['a generation with a wrong request', () => world.start({ model: 'image-l', input: { promt: 'a typo' } })],
  ['a generation that the API refuses', () => world.start(REFUSED)],
  ['a pipeline with a wrong request', () => world.pipeline({ steps: {} })],
  [
    'a pipeline whose step fails',
    () => world.pipeline({ policy: FAST, steps: { only: { model: REFUSED.model, input: REFUSED.input } } }),
  ],
  ['a batch with a wrong request', () => startBatch([{ workflowId: 'of/others', rows: 1 }])],
  ['a batch whose rows are gone', () => startBatch((id) => [{ workflowId: `${id}/rows/0a`, rows: 1 }])],
];

async function startBatch(pages: object[] | ((workflowId: string) => object[])): Promise<WorkflowHandle> {
  const workflowId = `batch/${randomUUID()}`;
  const request = {
    pipeline: { steps: { only: { model: 'image-l', input: { prompt: 'x' } } } },
    pages: typeof pages === 'function' ? pages(workflowId) : pages,
  };
  const { taskQueue } = world.config;
  return await world.client.workflow.start('batch', { workflowId, taskQueue, args: [request] });
}

it.for(FAILED)('%s has no stack and no path of this machine in its failure', async ([, start]) => {
  const fault = { kind: 'error', code: 'CONTENT_REJECTED' } as const;
  world.fault({ on: 'submit', match: { promptIncludes: 'refused' }, fault });
  const handle = await start();
  await expect(handle.result()).rejects.toThrow('Workflow execution failed');
  const { events } = await handle.fetchHistory();
  const failure = events?.at(-1)?.workflowExecutionFailedEventAttributes?.failure;
  expect(failure?.message).toBeTruthy();
  for (let at = failure; at != null; at = at.cause) expect(at.stackTrace ?? '').toBe('');
  expect(textOf(failure)).not.toContain(ROOT);
  expect(textOf(failure)).not.toMatch(/file:\/\/|\n\s+at /);
});

/** All texts in it, its details decoded. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return typeof value === 'object' && value !== null ? Object.values(value).map(textOf).join('\n') : '';
}
