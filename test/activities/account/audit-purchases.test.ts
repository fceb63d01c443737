import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
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
