import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deleteRuns } from '../../delete-run.ts';
import { eventually } from '../../eventually.ts';
import { type ActivityStage, attempt, openActivityStage, run } from '../activity-stage.ts';

let stage: ActivityStage;
beforeAll(async () => {
  stage = await openActivityStage();
});
afterAll(() => stage.close());

it('a purchase that Temporal refuses to look up keeps no other one from being found', async () => {
  const purchase = { workflowId: 'generation/audited', activityId: '1', workspace: 'default' };
  const taskId = await stage.buy({ prompt: 'audited beside a wrong id' });
  const found = await run(attempt(), stage.activities.auditPurchases, [
    { ...purchase, runId: 'no id of a run', taskId: null },
    { ...purchase, runId: randomUUID(), taskId },
  ]);
  expect(found).toEqual([{ kind: 'open' }, expect.objectContaining({ credits: 8 })]);
});

it('a budget is of use as long as the server has a run of its id, or of one below it', async () => {
  const owner = `pipeline/${randomUUID()}`;
  const hasRuns = (id: string): Promise<boolean> => run(attempt(), stage.activities.hasRuns, id);
  const { workflow } = stage.client;
  const { taskQueue } = stage;
  // A step that waits, while its pipeline is deleted.
  const step = await workflow.start('unknown', { taskQueue, workflowId: `${owner}/clip` });
  await eventually(async () => expect(await hasRuns(owner)).toBe(true));
  expect(await hasRuns(owner.slice(0, -1))).toBe(false);
  await deleteRuns(stage.client, step.workflowId);
  await eventually(async () => expect(await hasRuns(owner)).toBe(false));
  const own = await workflow.start('unknown', { taskQueue, workflowId: owner });
  expect(await hasRuns(owner)).toBe(true);
  await own.terminate();
});
