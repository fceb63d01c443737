import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountOfBudget } from '../../../src/contract/entities/account.ts';
import type { FailureDetails } from '../../../src/contract/generation.ts';
import { accountQuery } from '../../../src/contract/messages.ts';
import type { PipelineRequest } from '../../../src/contract/pipeline.ts';
import { entityId } from '../../../src/contract/workflow-ids.ts';
import { FAST, image, openWorld, type World } from '../world.ts';
import { chargesBelow, large, still } from './steps.ts';

const KEYS = { default: 'sk-key-of-the-default-workspace', other: 'sk-key-of-the-other-workspace' };

let world: World;
beforeAll(async () => {
  world = await openWorld({
    emulator: {
      accounts: [
        { workspace: 'default', apiKey: KEYS.default },
        { workspace: 'other', apiKey: KEYS.other },
      ],
    },
    config: {
      workspaces: new Map([
        ['default', { apiKey: KEYS.default, webhookSecrets: [], legacy: 'refuse' }],
        ['other', { apiKey: KEYS.other, webhookSecrets: [], legacy: 'refuse' }],
      ]),
    },
  });
});
afterAll(() => world.close());

it('a pipeline of another workspace is none that can be reused', async () => {
  const steps = { a: still('mine'), b: large({ $from: 'a' }) };
  const first = await world.pipeline({ steps, policy: FAST });
  await first.result();
  const foreign = await world.pipeline({ steps, policy: FAST, workspace: 'other', reuse: first.workflowId });
  const { type, details } = await world.failureOf<FailureDetails>(foreign);
  expect(type).toBe('INVALID_REQUEST');
  expect(details.errors).toEqual([
    { path: 'reuse', message: expect.stringContaining('is no workflow that the server still has') },
  ]);
  const own = await world.pipeline({ steps, policy: FAST, workspace: 'default', reuse: first.workflowId });
  expect((await own.result()).steps).toMatchObject({ a: { reused: true }, b: { reused: true } });
});

it.each<[string, (of: string) => Partial<PipelineRequest>]>([
  ['budget.of', (of) => ({ budget: { credits: 100, of } })],
  [
    'budgetsAbove.0.workflowId',
    (of) => ({ budgetsAbove: [{ workflowId: of, credits: 100, since: Date.now() }] }),
  ],
])('the budget of another workspace pays for nothing: %s', async (path, paying) => {
  const steps = { a: still('paid by somebody') };
  const first = await world.pipeline({ steps, policy: FAST, budget: { credits: 8 } });
  await first.result();
  const foreign = (owner: string) =>
    world.pipeline({ steps, policy: FAST, workspace: 'other', ...paying(owner) });
  for (const owner of [first.workflowId, 'pipeline/not-there-yet']) {
    const { type, details } = await world.failureOf<FailureDetails>(await foreign(owner));
    expect([type, details.errors]).toEqual([
      'INVALID_REQUEST',
      [{ path, message: expect.stringContaining(`but "${owner}" is none that the server still has`) }],
    ]);
  }
  const id = entityId('account', accountOfBudget(first.workflowId, String).scope, world.config.taskQueue);
  const account = await world.client.workflow.getHandle(id).query(accountQuery);
  expect(account).toMatchObject({ spent: 8, limit: 8 });
  const own = await world.pipeline({
    steps: { a: still('paid by us') },
    policy: FAST,
    ...paying(first.workflowId),
  });
  expect((await own.result()).status).toBe('COMPLETED');
});

it('a step of the same id that another workspace has bought is not taken over', async () => {
  const steps = { a: still('whose') };
  const first = await world.pipeline({ steps, policy: FAST });
  const bought = await first.result();
  const second = await world.pipeline({ steps, policy: FAST, workspace: 'other' }, first.workflowId);
  const result = await second.result();
  expect(chargesBelow(world, first.workflowId)).toHaveLength(2);
  expect(result.steps['a']).toMatchObject({ status: 'COMPLETED' });
  expect(result.steps).not.toEqual(bought.steps);
  const charges = world.charges(`${first.workflowId}/a`);
  expect(charges.map(({ workspace }) => workspace)).toEqual(['default', 'other']);
});

it('an earlier run of another workspace is none to adopt from', async () => {
  const first = await world.start(image('not yours'));
  await first.result();
  const { runId } = await first.describe();
  const foreign = await world.start(
    { ...image('not yours'), workspace: 'other', earlierRun: runId },
    first.workflowId,
  );
  const { type, message } = await world.failureOf<FailureDetails>(foreign);
  expect(type).toBe('INVALID_REQUEST');
  expect(message).toContain('is no run of');
  expect(world.charges(first.workflowId)).toHaveLength(1);
});
