import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { digestOf } from '../../../src/api/input/field-digests.ts';
import { rerunWith } from '../../../src/client/starting/rerun.ts';
import { retryRun } from '../../../src/client/starting/retry.ts';
import { stepStateSignal } from '../../../src/contract/messages.ts';
import { predecessorOf, readStart } from '../../../src/temporal/history.ts';
import { deleteRun } from '../../delete-run.ts';
import { goesOn, openShortWorld } from '../short-histories.ts';
import { eventually, FAST, type World } from '../world.ts';
import { chargesBelow, failTasks, idsOf, large, latest, retryWith, still } from './steps.ts';

let world: World;
beforeAll(async () => {
  world = await openShortWorld(200);
});
afterAll(() => world?.close());

/** What each image is made larger with: it tells which input that was. */
const by = (upscale_factor: number) => ({ image_url: { $each: 'views' }, upscale_factor });

/** Deletes the runs that the latest one of a pipeline goes on for, as the server does with what has ended long ago. */
async function deleteBefore(workflowId: string): Promise<void> {
  const gone: string[] = [];
  for (let runId: string | undefined; ; gone.push(runId)) {
    const start = await readStart(
      world.client,
      workflowId,
      runId ?? (await latest(world, workflowId).describe()).runId,
    );
    const before = predecessorOf(start);
    if (before === undefined) break;
    runId = before.runId;
  }
  expect(gone).not.toEqual([]);
  for (const runId of gone) await deleteRun(world.client, { workflowId, runId });
}

/** A step that was given three inputs, each of which has bought an item: the runs that were told so are deleted. */
async function givenThree(last: string): Promise<string> {
  const workflowId = `pipeline/${randomUUID()}`;
  for (const [item, times] of [[1, 1] as const, [2, 2] as const]) {
    const match = { workflowIncludes: `${workflowId}/each/${item}` };
    world.fault({ on: 'task', match, times, fault: { kind: 'fail', code: 'INVALID_INPUT' } });
  }
  const each = { ...large({ $each: 'views' }), approve: true, onFailure: 'hold' as const };
  const asked = (prompt: string) => ({ ...still(prompt), approve: true });
  const steps = { views: still('three of them', 3), each, gate: asked('the gate'), last: asked(last) };
  await world.pipeline({ policy: FAST, steps }, workflowId);
  const run = latest(world, workflowId);
  const approve = (said: object) => eventually(() => run.executeUpdate('approve', { args: [said] }));
  await approve({ step: 'each', input: by(2) });
  await retryWith(world, run, 'each', by(3));
  await retryWith(world, run, 'each', by(4));
  await eventually(() => expect(chargesBelow(world, `${workflowId}/each`)).toHaveLength(3 + 2 + 1));
  await approve({ step: 'gate' });
  const nothing = { path: 'nobody', state: 'running', note: null };
  await goesOn(world, workflowId, () => run.signal(stepStateSignal, nothing));
  await deleteBefore(workflowId);
  await approve({ step: 'last' });
  return workflowId;
}

it('a rerun takes over what each input has bought that people have given, where the run that was told is deleted', async () => {
  const workflowId = await givenThree('the last one');
  const made = await latest(world, workflowId).result();
  expect(idsOf(made, 'each')).toEqual(
    [2, 3, 4].map((factor, item) => `${workflowId}/each/${item}@${digestOf(by(factor))}`),
  );
  const again = await rerunWith(world.client, workflowId, {});
  const { status, steps } = await latest(world, again).result();
  expect(status).toBe('COMPLETED');
  expect(idsOf({ steps }, 'each')).toEqual(idsOf(made, 'each'));
  expect(chargesBelow(world, again)).toEqual([]);
});

it('a start anew asks nobody about what was approved, where the run that was told is deleted', async () => {
  failTasks(world, 'refused in the end');
  const workflowId = await givenThree('refused in the end');
  await world.failureOf(latest(world, workflowId));
  const bought = chargesBelow(world, workflowId);
  await retryRun(world.client, workflowId);
  const run = latest(world, workflowId);
  await eventually(() => run.executeUpdate('approve', { args: [{ step: 'last' }] }));
  const { steps } = await run.result();
  expect(idsOf({ steps }, 'each')).toEqual(
    [2, 3, 4].map((factor, item) => `${workflowId}/each/${item}@${digestOf(by(factor))}`),
  );
  expect(chargesBelow(world, workflowId)).toHaveLength(bought.length + 1);
});
