import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { defaultPayloadConverter, TypedSearchAttributes } from '@temporalio/common';
import proto from '@temporalio/proto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { ActivityDeps } from '../../../src/activities/deps.ts';
import { NormalizedInputs } from '../../../src/activities/generation/normalized-inputs.ts';
import { DarkroomMetrics } from '../../../src/activities/metrics.ts';
import { StartedGenerations } from '../../../src/activities/unclaimed-tasks/started-generations.ts';
import { surveyTasks } from '../../../src/activities/unclaimed-tasks/survey-tasks.ts';
import type { MediaApi, RecordAnswer } from '../../../src/api/client/media-api.ts';
import { fieldDigests } from '../../../src/api/input/field-digests.ts';
import { readGenerationSchema } from '../../../src/api/records/generation-record.ts';
import type { Ownership } from '../../../src/contract/entities/task-notices.ts';
import type { GenerationRequest, GenerationState } from '../../../src/contract/generation.ts';
import { DarkroomTaskId, DarkroomWorkspace } from '../../../src/contract/search-attributes.ts';
import type { LookedBack } from '../../../src/contract/tasks/submit-task.ts';

const { PENDING_ACTIVITY_STATE_SCHEDULED, PENDING_ACTIVITY_STATE_STARTED } =
  proto.temporal.api.enums.v1.PendingActivityState;

const NOW = 1_795_000_000_000;

/** A run that visibility lists as one that holds no task. */
interface ListedRun {
  request: Partial<GenerationRequest>;
  /** The run of the same workflow id that has followed it, and is not listed. */
  later?: Omit<ListedRun, 'later'>;
  /** Undefined: the server has no such run any more. */
  is?: {
    submit?: 'scheduled' | 'started';
    /** Its submit has ended so, and nothing has followed yet. */
    ended?: 'failed' | 'timed out';
    /** What the last heartbeat of the submit has told. */
    memory?: LookedBack;
    /** It has had a task that has ended. */
    hasHad?: true;
    taskQueue?: string;
    closed?: true;
    holds?: string;
    taskId?: string;
    state?: GenerationState;
    firstRunId?: string;
  };
}

/** The events of a submit that has ended. */
function endOfSubmit(how: 'failed' | 'timed out' | undefined): object[] {
  if (how === undefined) return [];
  const end = { scheduledEventId: 5 };
  const scheduled = { activityType: { name: 'submitTask' }, activityId: '1' };
  return [
    { eventId: 5, activityTaskScheduledEventAttributes: scheduled },
    how === 'failed'
      ? { activityTaskFailedEventAttributes: end }
      : { activityTaskTimedOutEventAttributes: end },
  ];
}

/** No answer is in flight: a run has yet to look at what was bought before it. */
const YET_TO_LOOK_BACK = { t: { kind: 'in flight', untilLookedBack: true } };

const fox = { model: 'image-l', input: { prompt: 'fox' } };

/** Temporal and the media API, as far as a survey asks them. */
class Surroundings {
  runs: ListedRun[] = [];
  held: string[] = [];
  /** By generations of another workspace. */
  heldElsewhere: string[] = [];
  records: Record<string, RecordAnswer> = {};
  /** What happens before a record is told. */
  beforeRecord = (): void => undefined;
  readonly asked = { starts: 0, lists: 0, describes: 0 };

  readonly #client = {
    options: { namespace: 'default' },
    withDeadline: async (_: number, ask: () => Promise<unknown>) => await ask(),
    workflow: {
      list: ({ query }: { query: string }) => this.#list(query),
      getHandle: (workflowId: string, runId?: string) => ({
        describe: async () => this.#describe(workflowId, runId),
        query: async () => {
          const { taskId = null, state = 'submitting', hasHad } = this.#run(workflowId, runId).is ?? {};
          return { taskId, state, attempts: hasHad ? [{}] : [] };
        },
        fetchHistory: async () => ({ events: endOfSubmit(this.#run(workflowId, runId).is?.ended) }),
      }),
    },
    workflowService: {
      getWorkflowExecutionHistory: async ({
        execution,
      }: {
        execution: { workflowId: string; runId: string };
      }) => {
        this.asked.starts += 1;
        const { request, is } = this.#run(execution.workflowId, execution.runId);
        if (is === undefined) throw new WorkflowNotFoundError('not found', execution.workflowId, undefined);
        const payloads = [defaultPayloadConverter.toPayload(request)];
        return {
          history: { events: [{ workflowExecutionStartedEventAttributes: { input: { payloads } } }] },
        };
      },
    },
  } as unknown as Client; // all that is used of it

  readonly deps: Parameters<typeof surveyTasks>[0] = {
    api: {
      getGeneration: async (taskId: string) => {
        this.beforeRecord();
        return this.records[taskId] ?? record(taskId);
      },
    } as unknown as MediaApi, // the same
    workspaces: new Map([['default', { apiKey: 'k' }]]),
    temporal: this.#client,
    taskQueue: 'm',
    generations: new StartedGenerations(this.#client, {}),
    normalized: new NormalizedInputs({}, new DarkroomMetrics(new Registry(), []), { warn() {} }),
  } satisfies Partial<ActivityDeps>;

  survey(
    taskIds: string[],
    claimants: string[] = [],
    over: { forProof?: true } = {},
  ): Promise<Record<string, Ownership>> {
    const fields = fieldDigests({ prompt: 'fox', n: 1 });
    const tasks = taskIds.map((taskId) => ({ taskId, arrivedAt: NOW, fields, ...over }));
    const survey = { workspace: 'default', tasks, claimants };
    return new MockActivityEnvironment().run(() => surveyTasks(this.deps, survey));
  }

  async *#list(query: string) {
    if (query.startsWith('DarkroomTaskId IN')) {
      for (const taskId of this.held) yield { typedSearchAttributes: attributes(taskId, 'default') };
      for (const taskId of this.heldElsewhere) yield { typedSearchAttributes: attributes(taskId, 'another') };
      return;
    }
    this.asked.lists += 1;
    for (const index of this.runs.keys()) yield { workflowId: String(index), runId: `run ${index}` };
  }

  #run(workflowId: string, runId: string | undefined): ListedRun {
    const run = this.runs[Number(workflowId)] ?? { request: {} };
    return runId === `run ${workflowId}` ? run : (run.later ?? run);
  }

  #describe(workflowId: string, runId: string | undefined) {
    this.asked.describes += 1;
    const { is } = this.#run(workflowId, runId);
    if (is === undefined) throw new WorkflowNotFoundError('not found', workflowId, undefined);
    const state = is.submit === 'started' ? PENDING_ACTIVITY_STATE_STARTED : PENDING_ACTIVITY_STATE_SCHEDULED;
    const { memory, taskQueue = 'm' } = is;
    const heartbeatDetails = memory && { payloads: [defaultPayloadConverter.toPayload(memory)] };
    const started = { lastStartedTime: { seconds: NOW / 1_000 }, heartbeatDetails };
    const submit = { activityType: { name: 'submitTask' }, state, ...started };
    return {
      runId:
        runId ?? (this.runs[Number(workflowId)]?.later === undefined ? `run ${workflowId}` : 'the later one'),
      taskQueue,
      ...(is.closed ? { closeTime: new Date() } : {}),
      typedSearchAttributes: { get: () => is.holds },
      raw: {
        pendingActivities: is.submit === undefined ? [] : [submit],
        workflowExecutionInfo: { firstRunId: is.firstRunId },
      },
    };
  }
}

/** The search attributes of a workflow that holds a task. */
function attributes(taskId: string, workspace: string) {
  return new TypedSearchAttributes([
    { key: DarkroomTaskId, value: taskId },
    { key: DarkroomWorkspace, value: workspace },
  ]);
}

function record(id: string, over: object = {}): RecordAnswer {
  const usage = { total: 8, subscription: 8, permanent: 0 };
  const plain = { id, status: 'IN_PROGRESS', input: { prompt: 'fox', n: 1 }, data: null, usage, ...over };
  return { kind: 'record', record: readGenerationSchema.parse(plain) };
}

describe('a survey', () => {
  it('finds a task free that nobody holds, and tells what its record says', async () => {
    const around = new Surroundings();
    const data = { type: 'video', videos: [{ url: 'https://example.com/x.mp4' }] };
    around.records = {
      done: record('done', { status: 'COMPLETED', data }),
      failed: record('failed', { status: 'FAILED', code: 'IMAGE_GENERATION_TIMEOUT' }),
      other: record('other', { input: { prompt: 'hare', n: 1 } }),
      unknown: { kind: 'not-found' },
    };
    expect(await around.survey(['open', 'done', 'failed', 'other', 'unknown'])).toEqual({
      open: { kind: 'free', usage: expect.anything() },
      done: { kind: 'free', usage: expect.anything(), outcome: 'completed', family: 'video' },
      failed: {
        kind: 'free',
        usage: expect.anything(),
        outcome: 'failed',
        family: 'image',
        endedWithoutResult: true,
      },
      other: { kind: 'free', usage: expect.anything(), fields: fieldDigests({ prompt: 'hare', n: 1 }) },
      unknown: { kind: 'free' },
    });
  });

  it('finds a task held whose answer came while the survey looked', async () => {
    const around = new Surroundings();
    around.runs = [{ request: fox, is: { submit: 'started' } }];
    around.beforeRecord = () => {
      around.runs = []; // it has a task now: visibility no longer lists it among those that have none
      around.held = ['mine'];
    };
    expect(await around.survey(['mine', 'other'])).toEqual({
      mine: { kind: 'held' },
      other: { kind: 'free', usage: expect.anything() },
    });
  });

  it('asks for no other generation where there is no task to give away', async () => {
    const around = new Surroundings();
    around.runs = [{ request: fox, is: { submit: 'started' } }];
    around.held = ['held'];
    around.heldElsewhere = ['closed'];
    around.records = { closed: { kind: 'unavailable', code: 'HTTP_503', reason: 'the API answered 503' } };
    expect(await around.survey(['held', 'closed'])).toEqual({
      held: { kind: 'held' },
      closed: { kind: 'unreadable', reason: 'the API answered 503' },
    });
    expect(around.asked).toEqual({ starts: 0, lists: 0, describes: 0 });
  });

  it('tells no more than a payload may hold, whatever records and refusals hold', async () => {
    const around = new Surroundings();
    const names = Array.from({ length: 64 }, (_, n) => `${'a long name '.repeat(9)}${n}`);
    const input = Object.fromEntries(names.map((name) => [name, name]));
    const ids = Array.from({ length: 50 }, (_, n) => `t${n}`);
    around.records = Object.fromEntries(ids.map((id) => [id, record(id, { input })]));
    const reason = 'the API says '.repeat(100_000);
    around.records['t0'] = { kind: 'unavailable', code: 'HTTP_500', reason };
    const told = await around.survey(ids);
    expect(JSON.stringify(told).length).toBeLessThan(120_000);
    expect(Object.keys(told)).toEqual(expect.arrayContaining(ids));
    expect(Object.values(told).filter(({ kind }) => kind === 'free').length).toBeGreaterThan(10);
  });

  it('is not stopped by a row of visibility whose run is deleted, or has closed', async () => {
    const around = new Surroundings();
    around.runs = [
      { request: fox },
      { request: fox, is: { closed: true, submit: 'started' } },
      { request: fox, is: { closed: true, holds: 'its' } },
      { request: { model: 'no-such-model', input: {} }, is: { submit: 'started' } },
    ];
    expect(await around.survey(['its', 'free'])).toMatchObject({
      its: { kind: 'held' },
      free: { kind: 'free' },
    });
  });

  it('leaves a task to a generation whose submit of the same fields is in flight, or has just ended', async () => {
    const around = new Surroundings();
    around.runs = [{ request: fox, is: { submit: 'started' } }];
    expect(await around.survey(['t'])).toEqual({ t: { kind: 'in flight' } });
    expect(await around.survey(['t'], ['run 0'])).toMatchObject({ t: { kind: 'free' } });
    // Another run of the same workflow id: that one may be about to hold it.
    expect(await around.survey(['t'], ['run before'])).toEqual({ t: { kind: 'in flight' } });
    around.runs = [{ request: fox, is: { taskId: 't' } }];
    expect(await around.survey(['t', 'u'])).toMatchObject({ t: { kind: 'held' }, u: { kind: 'free' } });
  });

  it('leaves a task to a generation whose answer has just got lost: its claim is on the way', async () => {
    const around = new Surroundings();
    around.runs = [{ request: fox, is: { state: 'reconciling' } }];
    expect(await around.survey(['t'])).toEqual({ t: { kind: 'in flight' } });
    expect(await around.survey(['t'], ['run 0'])).toMatchObject({ t: { kind: 'free' } });
    around.runs = [{ request: fox, is: { state: 'needs a decision' } }];
    expect(await around.survey(['t'])).toMatchObject({ t: { kind: 'free' } });
  });

  it('leaves a task to a generation whose submit is lost with its worker, before it begins to look for it', async () => {
    const around = new Surroundings();
    around.runs = [{ request: fox, is: { ended: 'timed out' } }];
    expect(await around.survey(['t'])).toEqual({ t: { kind: 'in flight' } });
    around.runs = [{ request: fox, is: { ended: 'failed' } }];
    expect(await around.survey(['t'])).toMatchObject({ t: { kind: 'free' } });
  });

  it('does not take the run that a Reset has put in the place of a claimant for another one', async () => {
    const around = new Surroundings();
    around.runs = [{ request: fox, is: { state: 'reconciling', firstRunId: 'first' } }];
    expect(await around.survey(['t'], ['run before', 'another'])).toEqual({ t: { kind: 'in flight' } });
    expect(await around.survey(['t'], ['run before', 'first'])).toMatchObject({ t: { kind: 'free' } });
    // It has got past its claim: what it posts now may be any of them.
    around.runs = [{ request: fox, is: { submit: 'started', firstRunId: 'first' } }];
    expect(await around.survey(['t'], ['run before', 'first'])).toEqual({ t: { kind: 'in flight' } });
  });

  it.each([
    ['has ordered nothing yet', {}],
    ['has a submit that waits for its worker', { submit: 'scheduled' }],
    ['has not read yet what was bought before', { submit: 'scheduled', memory: {} }],
  ] as const)('leaves a task to a run that goes on for another one, where it %s', async (_, is) => {
    const rerun = new Surroundings();
    rerun.runs = [{ request: { ...fox, earlierRun: 'run before' }, is }];
    expect(await rerun.survey(['t'])).toEqual(YET_TO_LOOK_BACK);
    const reset = new Surroundings();
    reset.runs = [{ request: fox, is: { ...is, firstRunId: 'first' } }];
    expect(await reset.survey(['t'])).toEqual(YET_TO_LOOK_BACK);
    // The claim is the one of its purchase.
    expect(await reset.survey(['t'], ['run before', 'first'])).toMatchObject({ t: { kind: 'free' } });
    const first = new Surroundings();
    first.runs = [{ request: fox, is }];
    expect(await first.survey(['t'])).toMatchObject({ t: { kind: 'free' } });
  });

  it.each([
    ['buys again what has failed', { hasHad: true }],
    ['has read what was bought before', { submit: 'scheduled', memory: { lookedBack: true } }],
  ] as const)('gives a task away where a run that goes on for another one %s', async (_, is) => {
    const around = new Surroundings();
    around.runs = [{ request: fox, is: { ...is, firstRunId: 'first' } }];
    expect(await around.survey(['t'])).toMatchObject({ t: { kind: 'free' } });
  });

  it('leaves a task to the run that has followed one that has just closed, and that is not listed yet', async () => {
    const around = new Surroundings();
    const closed = { request: fox, is: { closed: true as const } };
    const reset = { request: fox, is: { firstRunId: 'first' } };
    around.runs = [{ ...closed, later: reset }];
    expect(await around.survey(['t'])).toEqual(YET_TO_LOOK_BACK);
    expect(await around.survey(['t'], ['the later one'])).toMatchObject({ t: { kind: 'free' } });
    const others: NonNullable<ListedRun['later']>[] = [
      closed,
      { ...reset, request: { ...fox, input: { prompt: 'hare' } } },
      { ...reset, request: { ...fox, workspace: 'another' } },
      { request: fox },
    ];
    for (const later of others) {
      const other = new Surroundings();
      other.runs = [{ ...closed, later }];
      expect(await other.survey(['t'])).toMatchObject({ t: { kind: 'free' } });
    }
  });

  it.each(['reconciling', 'needs a decision'] as const)(
    'leaves it to the name of a task who gets it, where a run of another deployment is %s',
    async (state) => {
      const around = new Surroundings();
      for (const taskQueue of ['a', 'z']) {
        around.runs = [{ request: fox, is: { state, taskQueue } }];
        expect(await around.survey(['t'])).toMatchObject({ t: { kind: 'free' } });
        // It needs it more than one that has given its own up.
        expect(await around.survey(['t'], [], { forProof: true })).toEqual({ t: { kind: 'in flight' } });
        // Its answer may still come.
        around.runs = [{ request: fox, is: { submit: 'started', taskQueue } }];
        expect(await around.survey(['t'])).toEqual({ t: { kind: 'in flight' } });
      }
    },
  );

  it('is not delayed by submits that cannot have bought it', async () => {
    const around = new Surroundings();
    around.runs = [
      { request: fox, is: { submit: 'scheduled' } },
      { request: { ...fox, workspace: 'another' }, is: { submit: 'started' } },
      { request: { ...fox, input: { prompt: 'hare' } }, is: { submit: 'started' } },
      // A model without `n`.
      {
        request: { model: 'face-swap-c', input: { input_image: 'a', swap_image: 'b' } },
        is: { submit: 'started' },
      },
    ];
    expect(await around.survey(['t'])).toMatchObject({ t: { kind: 'free' } });
  });

  it('reads what a run was started with once, however often it is asked', async () => {
    const around = new Surroundings();
    around.runs = Array.from({ length: 30 }, (_, n) => ({
      request: { ...fox, input: { prompt: `other ${n}` } },
      is: { submit: 'started' as const },
    }));
    for (let round = 0; round < 5; round += 1) await around.survey(['t']);
    expect(around.asked).toEqual({ starts: 30, lists: 5, describes: 0 });
  });

  it('looks at so many generations that submit, and then says that there are more', async () => {
    const around = new Surroundings();
    around.runs = Array.from({ length: 5_000 }, () => ({
      request: { ...fox, input: { prompt: 'hare' } },
      is: { submit: 'started' as const },
    }));
    expect(await around.survey(['t'])).toEqual({ t: { kind: 'in flight', unverified: true } });
    expect(around.asked.starts).toBe(2_000);
    around.runs = around.runs.map(() => ({ request: fox, is: { submit: 'scheduled' as const } }));
    const others = new Surroundings();
    others.runs = around.runs.slice(0, 1_000);
    expect(await others.survey(['t'])).toEqual({ t: { kind: 'in flight', unverified: true } });
    expect(others.asked.describes).toBeLessThan(300);
  });
});
