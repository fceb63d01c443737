import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { MediaApi } from '../../../src/api/client/media-api.ts';
import { NO_USAGE } from '../../../src/api/records/usage.ts';
import { accountOfBudget } from '../../../src/contract/entities/account.ts';
import { submitProvenSignal } from '../../../src/contract/messages.ts';
import type { SubmitTaskResult } from '../../../src/contract/tasks/submit-task.ts';
import { entityId } from '../../../src/contract/workflow-ids.ts';
import { DEFAULT_POLICY, type Policy } from '../../../src/policy/policy.ts';
import { eventually } from '../../eventually.ts';
import {
  type ActivityStage,
  type Attempt,
  attempt,
  LOCKED_OUT,
  openActivityStage,
  SLOWED,
} from '../activity-stage.ts';

let stage: ActivityStage;
beforeAll(async () => {
  stage = await openActivityStage();
});
afterAll(() => stage.close());
beforeEach(() => stage.emulator.service().reset());

/** The failure that an attempt ends with. */
async function failure(ended: Promise<unknown>): Promise<ApplicationFailure> {
  const reason: unknown = await ended.then(
    (value) => expect.fail(`expected a failure, got ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (!(reason instanceof ApplicationFailure)) throw reason;
  return reason;
}

function refuse(code: string, times = 1): void {
  stage.fault({ on: 'submit', times, fault: { kind: 'error', code } });
}

function withPace(row: 'PROVIDER_UNAVAILABLE' | 'RATE_LIMITED', pace: Partial<Policy['retries']['FAILED']>) {
  const { retries } = DEFAULT_POLICY;
  return { retries: { ...retries, [row]: { ...retries[row], ...pace } } };
}

/** A submit whose answer takes that long, and that heartbeats while its POST is in flight, at a time of the test's own. */
async function beatingSubmit(of: Attempt): Promise<SubmitTaskResult> {
  stage.fault({ on: 'submit', times: 1, fault: { kind: 'slow', ms: 1_000 } });
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const submitted = stage.submit(of);
    await eventually(() => expect(stage.submits()).toBe(1));
    vi.runOnlyPendingTimers();
    return await submitted;
  } finally {
    vi.useRealTimers();
  }
}

describe('an accepted submit', () => {
  it('names the task that was charged, and whose it is', async () => {
    const first = attempt();
    const result = await stage.submit(first);
    const [charge] = stage.emulator.service().ledger.charges({ workflow: first.workflowId });
    expect(result).toEqual({
      kind: 'accepted',
      taskId: charge?.taskId,
      usage: charge?.usage,
      adopted: false,
      outlook: { webhooks: false },
      lookedBack: true,
    });
  });

  it('heartbeats while its POST is in flight', async () => {
    const first = attempt();
    expect(await beatingSubmit(first)).toMatchObject({ kind: 'accepted' });
    expect(first.heartbeats).toMatchObject([{ posting: expect.any(Number) }]);
  });

  it('that is cancelled during its POST waits for the answer: it carries the id of a paid task', async () => {
    stage.fault({ on: 'submit', fault: { kind: 'slow', ms: 400 } });
    const first = attempt();
    const submitted = stage.submit(first);
    const charge = await eventually(() => {
      const [made] = stage.emulator.service().ledger.charges();
      if (made === undefined) throw new Error('nothing is charged yet');
      return made;
    });
    expect(charge.answered).toBe(false);
    first.environment.cancel();
    expect(await submitted).toMatchObject({ kind: 'accepted', taskId: charge.taskId });
  });
});

describe('a submit after one that was given up', () => {
  it('takes what its run was told that the other one has bought, also where nobody works on the run', async () => {
    const taskId = await stage.buy();
    const { taskQueue } = stage;
    const handle = await stage.client.workflow.start('generation', {
      taskQueue: `${taskQueue}-nobody`,
      workflowId: `generation/${taskQueue}`,
      args: [{}],
    });
    const proof = { claimId: 'a claim', taskId, usage: NO_USAGE };
    await handle.signal(submitProvenSignal, proof);
    const { workflowId, firstExecutionRunId: runId } = handle;
    const of = attempt({ workflowId, runId, heartbeats: [] });
    const before = stage.submits();
    expect(await stage.submit(of, {}, Date.now())).toMatchObject({ kind: 'accepted', taskId, adopted: true });
    expect(stage.submits()).toBe(before);
    await handle.terminate();
  });

  it('takes what an account knows that the other one has bought', async () => {
    const taskId = await stage.buy();
    const { workflowId, runId } = attempt();
    const of = attempt({ workflowId, runId, heartbeats: [{ search: { bought: [taskId] } }] });
    const before = stage.submits();
    expect(await stage.submit(of, {}, Date.now())).toMatchObject({ kind: 'accepted', taskId, adopted: true });
    expect(stage.submits()).toBe(before);
  });
});

describe('a submit whose answer got lost', () => {
  it('ends as unknown after one POST, with the balance before and after for whoever has to decide', async () => {
    stage.fault({ on: 'submit', fault: { kind: 'lost-after' } });
    const first = attempt();
    const result = await stage.submit(first);
    expect(result).toMatchObject({ kind: 'unknown', balance: { after: { available: expect.any(Number) } } });
    expect(stage.submits()).toBe(1);
    expect(stage.emulator.service().ledger.charges()).toHaveLength(1);
  });

  it('ends as unknown at once where this worker has failed over it: cancelled, it would not be tried again', async () => {
    const post = vi.spyOn(MediaApi.prototype, 'submit');
    onTestFinished(() => post.mockRestore());
    post.mockRejectedValueOnce(new Error('a socket that nobody expected'));
    const result = await stage.submit(attempt());
    const reason = expect.stringContaining('a socket that nobody expected');
    expect(result).toMatchObject({ kind: 'unknown', reason, since: expect.any(Number), inFlight: true });
  });
});

describe('an attempt after one that has sent its request', () => {
  it('buys nothing where nobody has told how that ended: it is unknown', async () => {
    const first = attempt();
    await beatingSubmit(first);
    // The answer was there, and was lost between this process and Temporal, which tries again.
    const second = await stage.submit(attempt(first));
    expect(second).toMatchObject({ kind: 'unknown', since: expect.any(Number) });
    expect(stage.submits()).toBe(1);
  });

  it('sends its own where that was refused', async () => {
    refuse('PROVIDER_UNAVAILABLE');
    const first = attempt();
    await failure(stage.submit(first));
    expect(await stage.submit(attempt(first))).toMatchObject({ kind: 'accepted' });
  });
});

describe('a refused submit', () => {
  it("fails with the API's own code and tells Temporal when to come again", async () => {
    refuse('PROVIDER_UNAVAILABLE');
    const refused = await failure(
      stage.submit(attempt(), withPace('PROVIDER_UNAVAILABLE', { initial: 1_000 })),
    );
    expect(refused).toMatchObject({ type: 'IMAGE_GENERATION_PROVIDER_UNAVAILABLE', nonRetryable: false });
    expect(refused.nextRetryDelay).toBeGreaterThanOrEqual(750);
    expect(refused.nextRetryDelay).toBeLessThanOrEqual(1_250);
  });

  it('remembers from attempt to attempt how long it has been refused, and ends with the window', async () => {
    refuse('PROVIDER_UNAVAILABLE', 3);
    // The first pause is 1.25 s at most, both together at least 2.25 s.
    const pace = withPace('PROVIDER_UNAVAILABLE', { initial: 1_000, factor: 2, window: 2_000 });
    const first = attempt();
    expect(await failure(stage.submit(first, pace))).toMatchObject({ nonRetryable: false });
    expect(await failure(stage.submit(attempt(), pace))).toMatchObject({ nonRetryable: false });
    expect(await failure(stage.submit(attempt(first), pace))).toMatchObject({ nonRetryable: true });
  });

  it('of a kind that only the workflow can decide about is not tried again', async () => {
    refuse('CONTENT_REJECTED');
    expect(await failure(stage.submit(attempt()))).toMatchObject({
      type: 'IMAGE_GENERATION_CONTENT_REJECTED',
      nonRetryable: true,
    });
  });

  it('for want of credits tells what is there', async () => {
    refuse('INSUFFICIENT_CREDITS');
    const { details } = await failure(stage.submit(attempt()));
    expect(details?.[0]).toMatchObject({ available: expect.any(Number) });
  });
});

describe('a submit in a workspace that the API refuses for now', () => {
  it('is held back without a POST, and comes again when the API wants it to', async () => {
    stage.fault({
      on: 'submit',
      times: 1,
      fault: { kind: 'error', code: 'RATE_LIMITED', retryAfter: 600 },
    });
    await failure(stage.submit(attempt(), { workspace: SLOWED }));
    expect(stage.submits()).toBe(1);
    const held = await failure(stage.submit(attempt(), { workspace: SLOWED }));
    expect(held).toMatchObject({ type: 'IMAGE_GENERATION_RATE_LIMITED', nonRetryable: false });
    expect(held.message).toContain('held back');
    expect(held.nextRetryDelay).toBeGreaterThan(500_000);
    expect(stage.submits()).toBe(1);
  });
});

describe('a submit beside as many as may be in flight', () => {
  it('is held back without a POST, and without a word of a refusal', async () => {
    stage.fault({ on: 'submit', fault: { kind: 'slow', ms: 3_000, when: 'before' } });
    const more = Array.from({ length: 100 }, () => stage.submit(attempt()));
    const held = (await Promise.allSettled(more)).flatMap((one) =>
      one.status === 'rejected' ? [one.reason as ApplicationFailure] : [],
    );
    expect(held.length).toBeGreaterThan(0);
    for (const { type, nonRetryable, nextRetryDelay } of held)
      expect({ type, nonRetryable, comesAgain: Number(nextRetryDelay) > 0 }).toEqual({
        type: 'HELD_BACK',
        nonRetryable: false,
        comesAgain: true,
      });
    expect(stage.submits()).toBeLessThanOrEqual(100 - held.length); // some may still be on their way
  });
});

describe('a submit within a budget whose account does not answer', () => {
  /** A budget, and how its account comes to where no worker is. */
  function budget() {
    const owner = `pipeline/${randomUUID()}`;
    const workflowId = entityId('account', accountOfBudget(owner, String).scope, stage.taskQueue);
    const goAway = () => stage.client.workflow.start('account', { workflowId, taskQueue: 'without workers' });
    const account = stage.client.workflow.getHandle(workflowId);
    return { owner, account, goAway, budgetsAbove: [{ workflowId: owner, credits: 24 }] };
  }

  it('comes again without a POST, and says why: it keeps no place of its workspace meanwhile', async () => {
    const { owner, account, goAway, budgetsAbove } = budget();
    await goAway();
    const { type, nonRetryable, message } = await failure(stage.submit(attempt(), { budgetsAbove }));
    expect({ type, nonRetryable }).toEqual({ type: 'ACCOUNT_AWAY', nonRetryable: false });
    expect(message).toContain(`the account of the budget of ${owner}, 24 credits, does not answer`);
    expect(stage.submits()).toBe(0);
    await account.terminate();
  });

  it('ends as its POST has ended, also where the account goes away meanwhile', async () => {
    const { account, goAway, budgetsAbove } = budget();
    stage.fault({ on: 'submit', times: 1, fault: { kind: 'slow', ms: 5_000 } });
    const submit = { timeout: 2_000, heartbeat: 600_000 };
    const submitted = stage.submit(attempt(), { budgetsAbove, submit });
    await eventually(() => expect(stage.submits()).toBe(1));
    await account.terminate();
    await goAway();
    expect(await submitted).toMatchObject({ kind: 'unknown' });
    await account.terminate();
  });
});

describe('a submit that this worker cannot make', () => {
  it.each([
    [{ model: 'image-z' }, 'model image-z is not known to this worker'],
    [{ workspace: 'elsewhere' }, 'workspace elsewhere is not configured on this worker'],
  ])('%j, and another worker has checked: comes again without a POST', async (request, message) => {
    expect(await failure(stage.submit(attempt(), request))).toMatchObject({
      type: 'NOT_CONFIGURED',
      nonRetryable: false,
      message,
    });
    expect(stage.submits()).toBe(0);
  });

  it('because the API does not take its key fails at once, and the worker tells people, once', async () => {
    for (let times = 0; times < 2; times += 1)
      expect(await failure(stage.submit(attempt(), { workspace: LOCKED_OUT }))).toMatchObject({
        type: 'UNAUTHORIZED',
        nonRetryable: true,
      });
    const told = `submits to the API fail (workspace ${LOCKED_OUT})`;
    expect(stage.warnings.filter((line) => line.startsWith(told))).toHaveLength(1);
  });
});
