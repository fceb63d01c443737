import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { resetRun } from '../../reset-run.ts';
import { eventually, FAST, type Generation, image, openWorld, WEBHOOK_ONLY } from '../world.ts';

describe('a run that is cancelled while its submit is refused', () => {
  it('ends cancelled where that would be tried again', async () => {
    const began = Promise.withResolvers<void>();
    const refused = Promise.withResolvers<void>();
    const world = await openWorld({
      activities: (activities) => ({
        ...activities,
        submitTask: async () => {
          began.resolve();
          await refused.promise;
          throw ApplicationFailure.create({ type: 'IMAGE_GENERATION_RATE_LIMITED', message: 'not now' });
        },
      }),
    });
    try {
      const handle = await world.start(image('cancelled while it is refused', WEBHOOK_ONLY));
      await began.promise;
      await handle.cancel();
      await eventually(async () => {
        const { events } = await handle.fetchHistory();
        expect(events?.some((event) => event.activityTaskCancelRequestedEventAttributes)).toBe(true);
      });
      refused.resolve();
      await expect(handle.result()).rejects.toThrow('Workflow execution cancelled');
    } finally {
      await world.close();
    }
  });
});

it('a run that is cancelled while the worker of its first submit is lost tells that this may have bought', async () => {
  const began = Promise.withResolvers<void>();
  const over = Promise.withResolvers<never>();
  const world = await openWorld({
    activities: (activities) => ({
      ...activities,
      submitTask: async () => {
        began.resolve();
        return await over.promise; // without a heartbeat
      },
    }),
  });
  try {
    const submit = { timeout: '10s', heartbeat: '1s' };
    const handle = await world.start(image('cancelled while it is lost', { ...WEBHOOK_ONLY, submit }));
    await began.promise;
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow('Workflow execution cancelled');
    expect((await handle.describe()).memo).toMatchObject({
      cancelled: { attempts: [{ outcome: 'unknown' }] },
    });
  } finally {
    over.reject(new Error('the test is over'));
    await world.close();
  }
});

it('a run that is cancelled when a task was found for it leaves that to whom a person gives it, also after a Reset', async () => {
  const claimIds: string[] = [];
  const world = await openWorld({
    activities: (activities) => ({
      ...activities,
      requestClaim: async (asked) => {
        claimIds.push(asked.claim.claimId);
        return await activities.requestClaim(asked);
      },
    }),
  });
  try {
    const prompt = 'found, cancelled, given to another';
    const decide = (run: Generation, decision: object): Promise<unknown> =>
      run.executeUpdate('decide', { args: [decision] });
    const request = image(prompt, { ...FAST, reconcile: { wait: '100ms', otherwise: 'ask' } });
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    const handle = await world.start(request);
    await world.until(handle, 'needs a decision');
    const [taskId = ''] = world.bought(handle);
    const match = { promptIncludes: prompt };
    world.fault({ on: 'submit', match, times: 1, fault: { kind: 'lost-before' } });
    const other = await world.start(request);
    await world.until(other, 'needs a decision');
    await world.stopWorker();
    await handle.cancel();
    await handle.signal('taskGranted', { claimId: claimIds[0], taskId });
    await world.startWorker();
    await expect(handle.result()).rejects.toThrow('Workflow execution cancelled');
    await decide(other, { action: 'adopt', taskId });
    expect((await other.result()).attempts).toMatchObject([{ taskId, adopted: true }]);
    await resetRun(world.client, handle.workflowId);
    const again: Generation = world.client.workflow.getHandle(handle.workflowId);
    await world.until(again, 'needs a decision');
    await decide(again, { action: 'resubmit' });
    const { taskId: second, attempts } = await again.result();
    expect(attempts).toMatchObject([{ outcome: 'unknown' }, { outcome: 'completed' }]);
    expect(world.bought(handle)).toEqual([taskId, second]);
  } finally {
    await world.close();
  }
});

it('a run that is cancelled while its submit loses the answer leaves the task to the run that goes on for it', async () => {
  const cancelled = Promise.withResolvers<void>();
  const world = await openWorld({
    activities: (activities) => ({
      ...activities,
      submitTask: async (submit) => {
        const told = await activities.submitTask(submit);
        await cancelled.promise;
        return told;
      },
    }),
  });
  try {
    const prompt = 'cancelled while its answer is lost';
    const request = image(prompt, { ...WEBHOOK_ONLY, submit: { timeout: '10s', heartbeat: '60s' } });
    world.loseAnswer(prompt);
    const handle = await world.start(request);
    await eventually(() => expect(world.bought(handle)).toHaveLength(1));
    await handle.cancel();
    await eventually(async () => {
      const { events } = await handle.fetchHistory();
      expect(events?.some((event) => event.activityTaskCancelRequestedEventAttributes)).toBe(true);
    });
    cancelled.resolve();
    await expect(handle.result()).rejects.toThrow('Workflow execution cancelled');
    const { runId: earlierRun, memo } = await handle.describe();
    expect(memo).toMatchObject({ cancelled: { attempts: [{ outcome: 'unknown' }], charged: { total: 0 } } });
    const next = await world.start({ ...request, earlierRun }, handle.workflowId);
    const { taskId, charged } = await next.result();
    expect({ bought: world.bought(handle), charged: charged.total }).toEqual({
      bought: [taskId],
      charged: 8,
    });
  } finally {
    cancelled.resolve();
    await world.close();
  }
});
