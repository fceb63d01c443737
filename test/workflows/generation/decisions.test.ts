import { activityInfo } from '@temporalio/activity';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Progress } from '../../../src/contract/generation.ts';
import { entityId, TAKEN_FOR, takenTaskId } from '../../../src/contract/workflow-ids.ts';
import { ApiCaller } from '../../emulator/api-caller.ts';
import {
  eventually,
  FAST,
  type Generation,
  image,
  nameElsewhere,
  openWorld,
  receiverOf,
  WEBHOOK_ONLY,
  type World,
} from '../world.ts';

const ASK = { ...FAST, reconcile: { wait: '100ms', otherwise: 'ask' } };

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** A run whose submit got no answer, of whose task nothing is heard, and that waits for a person. */
async function undecided(
  prompt: string,
  kind: 'lost-before' | 'lost-after' = 'lost-after',
): Promise<Generation> {
  world.fault({ on: 'submit', match: { promptIncludes: prompt }, times: 1, fault: { kind } });
  world.loseWebhooks(prompt);
  const handle = await world.start(image(prompt, ASK));
  await world.until(handle, 'needs a decision');
  return handle;
}

/** Buys a task past Darkroom. @returns its id */
async function buyByHand(prompt: string): Promise<string> {
  return await new ApiCaller(world.emulator).accepted('image-l', { prompt });
}

const decide = (handle: Generation, decision: object): Promise<Progress> =>
  handle.executeUpdate<Progress, [object]>('decide', { args: [decision] });

/** Why a decision was refused. */
function refusalOf(decided: Promise<Progress>): Promise<unknown> {
  return decided.then(
    ({ state }) => `it was taken: ${state}`,
    (error: unknown) =>
      error instanceof Error && error.cause instanceof Error ? error.cause.message : error,
  );
}

describe.concurrent('a run that needs a decision', () => {
  it('is found by operators, and by nobody once it is decided', async () => {
    const handle = await undecided('find me');
    await eventually(async () => {
      const { searchAttributes } = await handle.describe();
      expect(searchAttributes).toMatchObject({
        DarkroomState: ['needs a decision'],
        DarkroomModel: ['image-l'],
        DarkroomWorkspace: ['default'],
      });
    });
    await decide(handle, { action: 'fail' });
    await world.failureOf(handle);
    await eventually(async () => {
      const query = `WorkflowId = '${handle.workflowId}' AND DarkroomState IS NOT NULL`;
      expect((await world.client.workflow.count(query)).count).toBe(0);
    });
  });

  it('shows the balance before and after as evidence', async () => {
    await world.generate(image('reads the balance'));
    const handle = await undecided('evidence');
    const details = await world.details(handle);
    const [, before, after] = /credits before: (\d+) at .*, after: (\d+) at /.exec(details ?? '') ?? [];
    expect(Number(after)).toBeLessThan(Number(before));
    await decide(handle, { action: 'fail' });
  });

  it('adopts the task whose end is told to it, without a person', async () => {
    const handle = await undecided('told too late');
    const [charge] = world.charges(handle.workflowId);
    const event = { webhookId: 'msg_late', type: 'task.completed', taskId: charge?.taskId };
    await handle.signal('taskEvent', event);
    expect((await handle.result()).attempts).toMatchObject([{ taskId: charge?.taskId, adopted: true }]);
  });

  it('leaves a task to the run that it is kept for, whose end is told to it', async () => {
    const handle = await undecided('told of another’s end');
    const other = await undecided('has another’s end');
    const [taskId = ''] = world.bought(handle);
    const name = await nameElsewhere(world, taskId, other);
    await handle.signal('taskEvent', { webhookId: 'msg_other', type: 'task.completed', taskId });
    await eventually(async () => {
      const { events } = await handle.fetchHistory();
      const asked = events?.some(({ markerRecordedEventAttributes: marker }) =>
        Buffer.from(marker?.details?.['data']?.payloads?.[0]?.data ?? '').includes('judgeTask'),
      );
      expect(asked).toBe(true);
    });
    await world.until(handle, 'needs a decision');
    for (const run of [handle, other]) {
      await decide(run, { action: 'fail' });
      await world.failureOf(run);
    }
    await name.terminate();
  });

  it('takes one decision, and refuses another that comes while the first is done', async () => {
    const handle = await undecided('one word');
    const told = await decide(handle, { action: 'resubmit' });
    expect(told).toMatchObject({ state: expect.not.stringMatching('needs a decision') });
    await expect(decide(handle, { action: 'fail' })).rejects.toThrow(/Update failed/);
    expect((await handle.result()).status).toBe('COMPLETED');
  });

  it('refuses a decision that makes no sense, and one that nobody waits for', async () => {
    const handle = await undecided('nonsense');
    await expect(decide(handle, { action: 'guess' })).rejects.toThrow(/Update failed/);
    await expect(decide(handle, { action: 'adopt' })).rejects.toThrow(/Update failed/);
    await decide(handle, { action: 'fail' });
    await world.failureOf(handle);
    const waiting = await world.start(image('undisturbed', WEBHOOK_ONLY));
    await expect(decide(waiting, { action: 'fail' })).rejects.toThrow(/Update failed/);
    expect((await waiting.result()).status).toBe('COMPLETED');
  });
});

describe('a run that asks', () => {
  it('puts its claim in again from time to time: whoever forgot it knows of it then', async () => {
    const prompt = 'forgotten while asking';
    const handle = await undecided(prompt);
    const [taskId = ''] = world.bought(handle);
    const entity = world.client.workflow.getHandle(
      entityId('unclaimed-tasks', 'default', world.config.taskQueue),
    );
    await entity.terminate();
    await eventually(async () => expect(await world.details(entity)).toMatch(/, 1 generation/));
    await world.tellOfCreation(taskId, { prompt });
    expect((await handle.result()).attempts).toMatchObject([{ taskId, outcome: 'completed', adopted: true }]);
    expect(world.bought(handle)).toEqual([taskId]);
  });
});

describe('a decision to buy again', () => {
  const entity = () =>
    world.client.workflow.getHandle(entityId('unclaimed-tasks', 'default', world.config.taskQueue));

  it('is not needed when the task is there by then, although its claim was forgotten', async () => {
    const prompt = 'there by now';
    const handle = await undecided(prompt);
    const [taskId = ''] = world.bought(handle);
    await entity().terminate();
    await world.tellOfCreation(taskId, { prompt });
    const told = await decide(handle, { action: 'resubmit' });
    expect(told).toMatchObject({ note: `task ${taskId} was found: it is taken instead` });
    expect((await handle.result()).attempts).toMatchObject([{ taskId, outcome: 'completed', adopted: true }]);
    expect(world.bought(handle)).toEqual([taskId]);
  });

  it.each<[string, RegExp, (handle: Generation, taskId: string, prompt: string) => Promise<void>]>([
    [
      'unclaimed-tasks knows',
      /its record cannot be read/,
      (_, taskId, prompt) => world.tellOfCreation(taskId, { prompt }),
    ],
    [
      'the run alone has heard',
      /its record tells nothing/,
      (handle, taskId) => handle.signal('taskEvent', { webhookId: 'w', type: 'task.completed', taskId }),
    ],
  ])(
    'is refused while the record of a task that may be the one, of which %s, cannot be read; the run goes on asking',
    async (who, why, tell) => {
      const prompt = `cannot be read: ${who}`;
      const handle = await undecided(prompt);
      const [taskId = ''] = world.bought(handle);
      const match = { promptIncludes: prompt };
      const rule = { id: 'closed', on: 'get', match, fault: { kind: 'html', status: 503 } } as const;
      world.fault(rule);
      await tell(handle, taskId, prompt);
      // While a task is looked at that may be the one nobody is asked.
      const refusal = await eventually(async () => {
        const told = await refusalOf(decide(handle, { action: 'resubmit' }));
        expect(told).not.toMatch(/^this run does not wait for a decision/);
        return told;
      });
      expect(refusal).toMatch(/^nothing is bought again yet: task \S+ may be this one, but /);
      expect(refusal).toMatch(why);
      await world.until(handle, 'needs a decision');
      world.emulator.service().faults.remove('closed');
      expect((await handle.result()).attempts).toMatchObject([{ taskId, adopted: true }]);
      expect(world.bought(handle)).toEqual([taskId]);
    },
  );
});

describe('of what comes while no worker looks', () => {
  it('the task whose end is told goes before a decision to buy again', async () => {
    const handle = await undecided('told and decided');
    const [taskId = ''] = world.bought(handle);
    await world.stopWorker();
    await handle.signal('taskEvent', { webhookId: 'msg_told', type: 'task.completed', taskId });
    const decided = decide(handle, { action: 'resubmit' });
    await world.startWorker();
    expect(await decided).toMatchObject({ note: `task ${taskId} was found: it is taken instead` });
    expect((await handle.result()).attempts).toMatchObject([{ taskId, outcome: 'completed', adopted: true }]);
    expect(world.bought(handle)).toEqual([taskId]);
  });

  it('one decision is taken, and another is told that it was second', async () => {
    const handle = await undecided('two words at once', 'lost-before');
    await world.stopWorker();
    const decided = [decide(handle, { action: 'fail' }), decide(handle, { action: 'resubmit' })];
    await world.startWorker();
    const told = await Promise.all(decided.map(refusalOf));
    expect(told.filter((one) => one === 'another decision came first')).toHaveLength(1);
    const isBought = told[0] === 'another decision came first';
    await handle.result().catch(() => undefined);
    expect(world.bought(handle)).toHaveLength(isBought ? 1 : 0);
  });
});

describe.concurrent('a decision to adopt', () => {
  it('is refused for a task that another generation holds, and the run goes on asking', async () => {
    const other = await world.start(image('held by another'));
    const { taskId } = await other.result();
    const held = `DarkroomTaskId = '${taskId}'`;
    await eventually(async () => expect((await world.client.workflow.count(held)).count).toBe(1));
    const handle = await undecided('adopts what is held');
    expect(await refusalOf(decide(handle, { action: 'adopt', taskId }))).toBe(
      `taskId must name a task that nobody else has: "${taskId}" is the one of ${other.workflowId}, where it counts`,
    );
    const [own] = world.bought(handle);
    await decide(handle, { action: 'adopt', taskId: own });
    expect((await handle.result()).charged).toEqual(world.charges(handle.workflowId)[0]?.usage);
  });

  it('is refused for a task that is kept for another run, in the words for that, until that run is over', async () => {
    const [handle, other] = [await undecided('kept for another'), await undecided('lost an answer as well')];
    const [taskId = ''] = world.bought(handle);
    const name = await nameElsewhere(world, taskId, other);
    const adopt = { action: 'adopt', taskId };
    expect(await refusalOf(decide(handle, adopt))).toBe(
      `task "${taskId}" cannot be adopted now: it is kept for ${other.workflowId} (by task queue elsewhere)`,
    );
    await world.until(handle, 'needs a decision');
    await decide(other, { action: 'fail' });
    await world.failureOf(other);
    await decide(handle, adopt);
    expect((await handle.result()).attempts).toMatchObject([{ taskId, adopted: true }]);
    await name.terminate();
  });

  it('takes the name of the task, also where an earlier run on another task queue has had it', async () => {
    const [handle, moved] = [await undecided('takes its name'), await undecided('has had its name')];
    const [[taskId = ''], [own = '']] = [world.bought(handle), world.bought(moved)];
    const name = await nameElsewhere(world, own, moved, 'earlier');
    await decide(handle, { action: 'adopt', taskId });
    await decide(moved, { action: 'adopt', taskId: own });
    for (const run of [handle, moved])
      expect((await run.result()).attempts).toMatchObject([{ adopted: true }]);
    const { memo, taskQueue } = await world.client.workflow.getHandle(takenTaskId(taskId)).describe();
    expect([memo, taskQueue]).toEqual([{ [TAKEN_FOR]: await receiverOf(handle) }, world.config.taskQueue]);
    await name.terminate();
  });

  it('a task that the API does not know is refused at once, and the run goes on waiting', async () => {
    const handle = await undecided('mistyped', 'lost-before');
    expect(await refusalOf(decide(handle, { action: 'adopt', taskId: 'no-such-task' }))).toBe(
      'taskId must name a task that the API knows in workspace default: it knows no "no-such-task"',
    );
    expect(await handle.query('progress')).toMatchObject({
      state: 'needs a decision',
      taskId: null,
      attempts: [],
    });
    const taskId = await buyByHand('mistyped');
    await decide(handle, { action: 'adopt', taskId });
    expect((await handle.result()).attempts).toMatchObject([{ taskId, adopted: true }]);
    expect(world.charges(handle.workflowId)).toEqual([]);
  });

  it('is refused for a task of another input or model, unless it says so: then it is taken, and not charged', async () => {
    const handle = await undecided('of this very input', 'lost-before');
    const taskId = await buyByHand('of another input');
    expect(await refusalOf(decide(handle, { action: 'adopt', taskId }))).toBe(
      `taskId must name a task of this run's model and input: "${taskId}" is of another model or input than this run's image-l (different: "prompt"). To take it all the same, uncharged, add "otherInput": true (--other-input on the command line)`,
    );
    const caller = new ApiCaller(world.emulator);
    const upscaled = await caller.accepted('upscale-q', { image_url: 'https://example.com/a.png' });
    expect(await refusalOf(decide(handle, { action: 'adopt', taskId: upscaled }))).toContain('"prompt"');
    await world.until(handle, 'needs a decision');
    const told = await decide(handle, { action: 'adopt', taskId, otherInput: true });
    expect(told).toMatchObject({ note: expect.stringContaining('is not charged to this run') });
    const { usage, charged, attempts } = await handle.result();
    expect(attempts).toMatchObject([{ outcome: 'unknown' }, { taskId, adopted: true }]);
    expect(usage.total).toBeGreaterThan(0);
    expect(charged.total).toBe(0);
  });

  it('a task is of another input by its record alone, whatever the decision says besides', async () => {
    const handle = await undecided('its own, and called foreign');
    const [taskId] = world.bought(handle);
    await decide(handle, { action: 'adopt', taskId, foreign: true });
    const { charged } = await handle.result();
    expect(world.charges(handle.workflowId).map(({ credits }) => credits)).toEqual([charged.total]);
  });

  it('a task of another input leaves in doubt what the submit has bought: that is charged once it shows', async () => {
    const prompt = 'bought and left for another';
    const handle = await undecided(prompt);
    const [own = ''] = world.bought(handle);
    const release = world.hold('taken in the place of');
    const taskId = await buyByHand('taken in the place of');
    await decide(handle, { action: 'adopt', taskId, otherInput: true });
    await world.tellOfCreation(own, { prompt });
    await eventually(async () =>
      expect((await handle.query<Progress>('progress')).attempts).toMatchObject([{ taskId: own }]),
    );
    release();
    const { charged } = await handle.result();
    expect(world.charges(handle.workflowId).map(({ credits }) => credits)).toEqual([charged.total]);
  });

  /** A run that asks about its task, which the API says not to know. It does not look by itself whether it is there again. */
  async function vanished(prompt: string): Promise<{ handle: Generation; taskId: string | undefined }> {
    const fault = { kind: 'error', code: 'PREDICTION_NOT_FOUND' } as const;
    world.fault({ on: 'get', id: prompt, match: { promptIncludes: prompt }, fault });
    world.loseWebhooks(prompt);
    const policy = { ...ASK, polling: { first: '50ms', factor: 1.5, max: '1h' } };
    const handle = await world.start(image(prompt, policy));
    await world.until(handle, 'needs a decision');
    world.emulator.service().faults.remove(prompt);
    return { handle, taskId: world.bought(handle)[0] };
  }

  it('a task of its own that it had taken for vanished counts it once', async () => {
    const { handle, taskId } = await vanished('vanished, and adopted again');
    await decide(handle, { action: 'adopt', taskId });
    const { attempts, usage, charged } = await handle.result();
    expect(attempts).toMatchObject([{ taskId, outcome: 'completed' }]);
    expect(world.charges(handle.workflowId).map(({ credits }) => credits)).toEqual([charged.total]);
    expect(usage).toEqual(charged);
  });

  it('a task that is there again by then, where a person wants another one: nothing is bought again', async () => {
    const prompt = 'vanished, and there again';
    const { handle, taskId } = await vanished(prompt);
    world.fault({ on: 'get', match: { promptIncludes: prompt }, times: 1, fault: { kind: 'html' } });
    expect(await refusalOf(decide(handle, { action: 'resubmit' }))).toContain(
      `nothing is bought again yet: task ${taskId} cannot be looked at: `,
    );
    await decide(handle, { action: 'resubmit' });
    expect((await handle.result()).attempts).toMatchObject([{ taskId, outcome: 'completed' }]);
    expect(world.charges(handle.workflowId)).toHaveLength(1);
  });

  it('a task whose record cannot be read now is taken', async () => {
    const taskId = await buyByHand('out of sight');
    const handle = await undecided('cannot look', 'lost-before');
    const match = { promptIncludes: 'out of sight' };
    world.fault({ on: 'get', match, times: 1, fault: { kind: 'html' } });
    await decide(handle, { action: 'adopt', taskId });
    expect((await handle.result()).attempts).toMatchObject([{ taskId, outcome: 'completed' }]);
  });
});

it('of two decisions that come while the run puts its claim in again one is taken', async () => {
  const puttingIn = Promise.withResolvers<void>();
  const decided = Promise.withResolvers<void>();
  let isAsking = false;
  const own = await openWorld({
    activities: (activities) => ({
      ...activities,
      requestClaim: async (claim) => {
        if (isAsking) {
          puttingIn.resolve();
          await decided.promise;
        }
        return await activities.requestClaim(claim);
      },
    }),
  });
  try {
    const prompt = 'decided twice at once';
    own.fault({ on: 'submit', match: { promptIncludes: prompt }, times: 1, fault: { kind: 'lost-after' } });
    own.loseWebhooks(prompt);
    const handle = await own.start(image(prompt, ASK));
    await own.until(handle, 'needs a decision');
    isAsking = true;
    await puttingIn.promise;
    let isRefused = false;
    const both = [{ action: 'fail' }, { action: 'resubmit' }].map(async (one) => {
      const refusal = await refusalOf(decide(handle, one));
      isRefused ||= refusal === 'another decision came first';
      return refusal;
    });
    await eventually(async () => {
      const { events } = await handle.fetchHistory();
      const accepted = (events ?? []).filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes);
      // Where putting in takes so long that it is an ordinary activity, the second one is refused at once.
      expect(isRefused ? 2 : accepted.length).toBe(2);
    });
    isAsking = false;
    decided.resolve();
    const refusals = await Promise.all(both);
    expect(refusals.filter((said) => said === 'another decision came first')).toHaveLength(1);
  } finally {
    decided.resolve();
    await own.close();
  }
});

it('of two decisions, of which the first needs a look at its task, the second is taken', async () => {
  const looking = Promise.withResolvers<void>();
  const decided = Promise.withResolvers<void>();
  const own = await openWorld({
    activities: (activities) => ({
      ...activities,
      judgeTask: async (task) => {
        if (task.takeFor !== undefined) return await activities.judgeTask(task);
        if (activityInfo().isLocal) throw new Error('it is an ordinary one: others are told meanwhile');
        looking.resolve();
        await decided.promise;
        return await activities.judgeTask(task);
      },
    }),
  });
  try {
    const prompt = 'decided while a task is looked at';
    own.loseAnswer(prompt);
    own.loseWebhooks(prompt);
    const handle = await own.start(image(prompt, ASK));
    await own.until(handle, 'needs a decision');
    const [taskId = ''] = own.bought(handle);
    const adopted = refusalOf(decide(handle, { action: 'adopt', taskId }));
    await looking.promise;
    const failed = refusalOf(decide(handle, { action: 'fail' }));
    await eventually(async () => {
      const { events } = await handle.fetchHistory();
      const accepted = (events ?? []).filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes);
      expect(accepted).toHaveLength(2);
    });
    decided.resolve();
    expect(await adopted).toMatch(/^another decision came first$|^this run does not wait for a decision/);
    expect(await failed).toMatch(/^it was taken/);
    expect((await own.failureOf(handle)).type).toBe('SUBMISSION_UNKNOWN');
  } finally {
    decided.resolve();
    await own.close();
  }
});

describe.concurrent('a run that may buy nothing, whose task has vanished', () => {
  const why = { type: 'OUTPUT_UNAVAILABLE', message: 'its input is gone' } as const;

  /** It has taken the task of an earlier run over, which is gone then. */
  async function takenOverInVain(prompt: string, otherwise: 'ask' | 'fail'): Promise<Generation> {
    world.fault({ on: 'task', match: { promptIncludes: prompt }, fault: { kind: 'hang' } });
    const policy = { ...ASK, reconcile: { ...ASK.reconcile, otherwise } };
    const first = await world.start(image(prompt, policy));
    const { taskId } = await world.until(first, 'waiting');
    const { runId: earlierRun } = await first.describe();
    await first.terminate();
    const only = { ...image(prompt, policy), earlierRun, adoptOnly: why };
    const handle = await world.start(only, first.workflowId);
    await world.until(handle, 'waiting');
    await fetch(`${world.emulator.controlUrl}/tasks/${taskId}/vanish`, { method: 'POST' });
    return handle;
  }

  it('offers a person what it accepts, and refuses to buy', async () => {
    const handle = await takenOverInVain('asked in vain', 'ask');
    const { decisions } = await world.until(handle, 'needs a decision');
    expect(decisions).toEqual(['adopt', 'fail']);
    const details = await world.details(handle);
    expect(details).not.toContain('resubmit');
    expect(details).toContain(why.message);
    expect(await refusalOf(decide(handle, { action: 'resubmit' }))).toContain(why.message);
    await decide(handle, { action: 'fail' });
    expect((await world.failureOf(handle)).type).toBe(why.type);
  });

  it('fails with the reason why nothing is bought', async () => {
    const failure = await world.failureOf(await takenOverInVain('gone in vain', 'fail'));
    expect(failure).toMatchObject({
      type: why.type,
      message: expect.stringMatching(/is no longer known to the API; another one: its input is gone$/),
      details: { attempts: [{ outcome: 'vanished', adopted: true }] },
    });
  });
});

it('one that comes while the run takes its task back by itself is refused, and says what the run does', async () => {
  const looking = Promise.withResolvers<void>();
  const decided = Promise.withResolvers<void>();
  let isThere = false;
  const own = await openWorld({
    activities: (activities) => ({
      ...activities,
      lookAtTask: async (about) => {
        if (isThere && !activityInfo().isLocal) {
          looking.resolve();
          await decided.promise;
        }
        return await activities.lookAtTask(about);
      },
    }),
  });
  try {
    const prompt = 'there again, and decided about';
    const fault = { kind: 'error', code: 'PREDICTION_NOT_FOUND' } as const;
    own.fault({ on: 'get', id: prompt, match: { promptIncludes: prompt }, fault });
    own.loseWebhooks(prompt);
    const handle = await own.start(image(prompt, ASK));
    await own.until(handle, 'needs a decision');
    isThere = true;
    own.emulator.service().faults.remove(prompt);
    await looking.promise;
    const refusal = refusalOf(decide(handle, { action: 'fail' }));
    await own.until(handle, 'waiting'); // it was heard, and nobody is asked any more
    decided.resolve();
    expect(await refusal).toMatch(/^the run went on by itself meanwhile: its state is "/);
    expect((await handle.result()).attempts).toMatchObject([{ outcome: 'completed' }]);
  } finally {
    decided.resolve();
    await own.close();
  }
});
