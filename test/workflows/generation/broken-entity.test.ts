import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FailureDetails } from '../../../src/contract/generation.ts';
import { entityId } from '../../../src/contract/workflow-ids.ts';
import { eventually, FAST, type Generation, image, openWorld, type World } from '../world.ts';

const decide = (handle: Generation, decision: object) =>
  handle.executeUpdate<unknown, [object]>('decide', { args: [decision] });

describe('a lost submit, where the id of unclaimed-tasks is that of a generation', () => {
  let world: World;
  let squatter: Generation;
  let squattersRun: string;
  beforeAll(async () => {
    world = await openWorld();
    world.hold('squats');
    squatter = await world.start(
      image('squats'),
      entityId('unclaimed-tasks', 'default', world.config.taskQueue),
    );
    await world.until(squatter, 'waiting');
    squattersRun = (await squatter.describe()).runId;
  });
  afterAll(() => world.close());

  it.each([{ action: 'fail' }, { action: 'adopt' }])(
    'is a person’s to decide about, and $action is obeyed',
    async ({ action }) => {
      const prompt = `to ${action}`;
      world.loseAnswer(prompt);
      world.loseWebhooks(prompt);
      const policy = { ...FAST, reconcile: { wait: '100ms', otherwise: 'ask' } };
      const handle = await world.start(image(prompt, policy));
      const { trouble } = await world.until(handle, 'needs a decision');
      expect(trouble).toContain('unclaimed-tasks does not answer');
      const [taskId] = world.bought(handle);
      await decide(handle, action === 'adopt' ? { action, taskId } : { action });
      const end =
        action === 'adopt'
          ? (await handle.result()).taskId
          : (await world.failureOf<FailureDetails>(handle)).type;
      expect(end).toBe(action === 'adopt' ? taskId : 'SUBMISSION_UNKNOWN');
      expect(world.charges(handle.workflowId)).toHaveLength(1);
    },
  );

  it('is not bought again on a person’s word before it answers, and the person is told why', async () => {
    world.loseAnswer('not yet');
    world.loseWebhooks('not yet');
    const policy = { ...FAST, reconcile: { wait: '100ms', otherwise: 'ask' } };
    const handle = await world.start(image('not yet', policy));
    await world.until(handle, 'needs a decision');
    await expect(decide(handle, { action: 'resubmit' })).rejects.toMatchObject({
      cause: { message: expect.stringContaining('unclaimed-tasks does not answer') },
    });
    await squatter.terminate('a test');
    await decide(handle, { action: 'resubmit' });
    await handle.result();
    expect(world.charges(handle.workflowId)).toHaveLength(2);
  });

  it('leaves that generation alone: what is not for it is not sent to it', async () => {
    const own = world.client.workflow.getHandle(squatter.workflowId, squattersRun);
    const { events } = await own.fetchHistory();
    const signals = (events ?? []).map((event) => event.workflowExecutionSignaledEventAttributes?.signalName);
    expect(signals).not.toContain('claimRequested');
  });
});

it('a lost submit, while nobody can look who holds its task, asks the entity less and less often', async () => {
  const world = await openWorld({
    activities: (activities) => ({
      ...activities,
      surveyTasks: () => Promise.reject(new Error('visibility is away')),
    }),
  });
  try {
    const prompt = 'nobody can look';
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    const policy = { ...FAST, reconcile: { wait: '100ms', otherwise: 'resubmit' } };
    const handle = await world.start(image(prompt, policy));
    await world.until(handle, 'reconciling');
    await world.tellOfCreation(world.bought(handle)[0] ?? '', { prompt });
    const asked = await eventually(async () => {
      const { events } = await handle.fetchHistory();
      const times = (events ?? []).flatMap(
        ({ activityTaskScheduledEventAttributes: scheduled, eventTime }) =>
          scheduled?.activityType?.name === 'withdrawClaim' ? Number(eventTime?.seconds) : [],
      );
      expect(times.length).toBeGreaterThanOrEqual(7);
      return times;
    });
    // Half a second, and half as long again each time: 10 seconds.
    expect((asked[6] ?? 0) - (asked[0] ?? 0)).toBeGreaterThanOrEqual(9);
    expect(world.bought(handle)).toHaveLength(1);
    await handle.terminate();
  } finally {
    await world.close();
  }
});
