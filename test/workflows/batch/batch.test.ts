import { randomUUID } from 'node:crypto';
import type { temporal } from '@temporalio/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowDigest } from '../../../src/client/batch/row-digest.ts';
import { type RowResult, rowResults } from '../../../src/client/batch/row-result.ts';
import { type BatchStart, startBatch } from '../../../src/client/batch/start-batch.ts';
import { KeyInUseError } from '../../../src/client/failures/key-in-use-error.ts';
import type { BatchProgress, BatchRequest, BatchResult } from '../../../src/contract/batch.ts';
import { accountOfBudget, type Booking } from '../../../src/contract/entities/account.ts';
import { entityId } from '../../../src/contract/workflow-ids.ts';
import { decode, predecessorOf } from '../../../src/temporal/history.ts';
import { readLatestRun } from '../../../src/temporal/latest-run.ts';
import { deleteRuns } from '../../delete-run.ts';
import { resetRun } from '../../reset-run.ts';
import { failTask, failTasks } from '../pipeline/steps.ts';
import { openShortWorld } from '../short-histories.ts';
import { eventually, FAST, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openShortWorld(60);
});
afterAll(() => world?.close());

const pipeline = {
  steps: { still: { model: 'image-l', input: { prompt: { $param: 'prompt' } } } },
  policy: FAST,
};

function batchOf(prompts: readonly string[], more: Partial<BatchStart> = {}): BatchStart {
  const { pipeline: each = pipeline } = more;
  const rows = prompts.map((prompt, index) => {
    const values = { prompt };
    return { id: `row-${index}`, values, digest: rowDigest(each, values) };
  });
  const { taskQueue } = world.config;
  return { workflowId: `batch/${randomUUID()}`, taskQueue, pipeline, rows, concurrency: 5, ...more };
}

function latest({ workflowId }: BatchStart) {
  return world.client.workflow.getHandle(workflowId);
}

async function resultOf(batch: BatchStart): Promise<BatchResult> {
  return (await latest(batch).result()) as BatchResult; // the workflow's own result type
}

/** By row, how many tasks were charged. */
function bought({ workflowId }: BatchStart): number[] {
  const counts = new Map<string, number>();
  for (const { workflow = '' } of world.emulator.service().ledger.charges({}))
    if (workflow?.startsWith(`${workflowId}/`) === true)
      counts.set(workflow, (counts.get(workflow) ?? 0) + 1);
  return [...counts.values()];
}

/** What was booked on its budget's account, over all runs of that. */
async function bookingsOf({ workflowId }: BatchStart): Promise<Booking[]> {
  const id = entityId('account', accountOfBudget(workflowId, String).scope, world.config.taskQueue);
  const booked: Booking[] = [];
  let runId: string | undefined = (await world.client.workflow.getHandle(id).describe()).runId;
  while (runId !== undefined) {
    const history: temporal.api.history.v1.IHistory = await world.client.workflow
      .getHandle(id, runId)
      .fetchHistory();
    const events = history.events ?? [];
    for (const { workflowExecutionUpdateAcceptedEventAttributes: accepted } of events)
      booked.push(...(decode<[Booking[]]>(accepted?.acceptedRequest?.input?.args)[0] ?? []));
    runId = predecessorOf(events[0]?.workflowExecutionStartedEventAttributes)?.runId;
  }
  return booked;
}

const NUMBERED = Array.from({ length: 12 }, (_, index) => `view ${index}`);

it('slides its window over all rows in many short runs, and buys each row once', async () => {
  const batch = batchOf(Array.from({ length: 25 }, (_, index) => `view ${index}`));
  expect(await startBatch(world.client, batch)).toEqual({ kind: 'running', attached: false });
  const { runId: first } = await latest(batch).describe();
  const result = await resultOf(batch);
  expect(result).toMatchObject({
    status: 'COMPLETED',
    rows: 25,
    completed: 25,
    usage: { total: 200 },
    charged: { total: 200 },
  });
  const { runId: last } = await latest(batch).describe();
  expect(last).not.toBe(first);
  expect(bought(batch)).toEqual(Array.from({ length: 25 }, () => 1));
});

it('never runs more rows than its window takes, and tells which ones run', async () => {
  const batch = batchOf(NUMBERED.slice(0, 6), { concurrency: 3 });
  await startBatch(world.client, batch);
  const seen: BatchProgress[] = [];
  const handle = latest(batch);
  await eventually(async () => {
    const progress = await handle.query<BatchProgress>('progress');
    seen.push(progress);
    expect(progress.completed).toBe(6);
  });
  for (const { running, next, completed } of seen) {
    expect(running.length).toBeLessThanOrEqual(3);
    expect(running.length + completed).toBe(next);
  }
  expect(seen.some(({ running }) => running.length === 3)).toBe(true);
});

it('started again after it was terminated, takes over what is completed and what runs', async () => {
  const letGo = world.hold('a view that runs on');
  const running = [3, 4, 5].map((index) => `a view that runs on ${index}`);
  const batch = batchOf([...NUMBERED.slice(0, 3), ...running, ...NUMBERED.slice(3, 5)], { concurrency: 3 });
  await startBatch(world.client, batch);
  await eventually(() => expect(bought(batch)).toHaveLength(6));
  await eventually(async () => {
    const { completed } = await latest(batch).query<BatchProgress>('progress');
    expect(completed).toBe(3);
  });
  await latest(batch).terminate('a test');
  expect(await startBatch(world.client, batch)).toEqual({ kind: 'running', attached: false });
  letGo();
  const result = await resultOf(batch);
  expect(result).toMatchObject({ status: 'COMPLETED', completed: 8, usage: { total: 64 } });
  expect(result.charged.total).toBe(64); // the run that was terminated has told nobody
  expect(bought(batch)).toEqual(Array.from({ length: 8 }, () => 1));
});

it('started again, says once what its budget is, however many runs it goes on in', async () => {
  const batch = batchOf(NUMBERED.slice(0, 8), { budget: 64, concurrency: 2 });
  await startBatch(world.client, { ...batch, rows: batch.rows.slice(0, 1) });
  await resultOf(batch);
  await startBatch(world.client, { ...batch, budget: 80 });
  const { runId: second } = await latest(batch).describe();
  expect(await resultOf(batch)).toMatchObject({ completed: 8 });
  expect((await latest(batch).describe()).runId).not.toBe(second);
  const limits = (await bookingsOf(batch)).flatMap((one) => (one.kind === 'limit' ? one.limit : []));
  expect(limits).toEqual([80]);
});

it('whose budget names that of another workflow is refused', async () => {
  const handle = await world.client.workflow.start('batch', {
    taskQueue: world.config.taskQueue,
    workflowId: `batch/${randomUUID()}`,
    args: [{ pipeline, pages: [], budget: { credits: 8, of: 'batch/of-somebody' } }],
  });
  const { type, message } = await world.failureOf(handle);
  expect(type).toBe('INVALID_REQUEST');
  expect(message).toContain('budget must be { credits }');
});

it('whose argument names a page by half a surrogate pair fails, and stops no worker', async () => {
  const half = '\ud800';
  const handle = await world.client.workflow.start('batch', {
    taskQueue: world.config.taskQueue,
    workflowId: `batch/${randomUUID()}`,
    args: [{ pipeline, pages: [{ workflowId: half, rows: 1 }] }],
  });
  await expect(handle.result()).rejects.toThrow('Workflow execution failed');
  const batch = batchOf(['after it']);
  await startBatch(world.client, batch);
  expect(await resultOf(batch)).toMatchObject({ completed: 1 });
});

it('does not run a row whose values would make more than a request may hold, and runs the others', async () => {
  const prompts = Array.from({ length: 40 }, () => '{{text}}').join(' ');
  const each = { ...pipeline, steps: { still: { model: 'image-l', input: { prompt: prompts } } } };
  const batch = batchOf([], { pipeline: each });
  const rows = ['x'.repeat(400_000), 'a fox'].map((text, index) => {
    const values = { text };
    return { id: `row-${index}`, values, digest: rowDigest(each, values) };
  });
  await startBatch(world.client, { ...batch, rows });
  expect(await resultOf(batch)).toMatchObject({ status: 'PARTIAL', completed: 1, failed: 1 });
  expect(bought(batch)).toEqual([1]);
});

it('starts rows of a large document in as many steps as the server takes', async () => {
  const each = { ...pipeline, params: { unused: 'x'.repeat(800_000) } };
  const batch = batchOf(NUMBERED.slice(0, 6), { pipeline: each, concurrency: 50 });
  await startBatch(world.client, batch);
  expect(await resultOf(batch)).toMatchObject({ status: 'COMPLETED', completed: 6 });
});

describe('rows whose runs the server has deleted', () => {
  const forget = async ({ workflowId }: BatchStart, ...rows: number[]): Promise<void> => {
    for (const row of rows) {
      await deleteRuns(world.client, `${workflowId}/row-${row}/still`);
      await deleteRuns(world.client, `${workflowId}/row-${row}`);
    }
  };

  it('are not bought again by a larger budget, nor once more where they had failed, and are told of', async () => {
    const wrong = 'a view that is refused';
    failTasks(world, wrong, 1);
    const batch = batchOf(['a view', wrong, ...NUMBERED.slice(0, 3)], { budget: 8 * 3 });
    await startBatch(world.client, batch);
    expect(await resultOf(batch)).toMatchObject({ completed: 2, failed: 1, refused: 2 });
    await forget(batch, 0, 1);
    await startBatch(world.client, { ...batch, budget: 8 * 5, retryFailed: true });
    expect(await resultOf(batch)).toMatchObject({ completed: 4, failed: 1, refused: 0 });
    // Other rows in other places, and so another page.
    const [added] = batchOf(['one more view']).rows;
    const rows = added === undefined ? batch.rows : [{ ...added, id: 'added' }, ...batch.rows];
    await startBatch(world.client, { ...batch, rows, budget: 8 * 6 });
    expect(await resultOf(batch)).toMatchObject({ completed: 5, failed: 1, refused: 0 });
    expect(bought(batch)).toEqual(rows.map(() => 1));
    const told: RowResult[] = [];
    for await (const some of rowResults(world.client, batch.workflowId, { rows, first: 0 }))
      told.push(...some);
    expect(told.map(({ status }) => status)).toEqual([
      'COMPLETED',
      'NO_LONGER_KNOWN',
      'NO_LONGER_KNOWN',
      ...batch.rows.slice(2).map(() => 'COMPLETED'),
    ]);
    expect(told.slice(1, 3).map(({ failure }) => failure?.message)).toEqual([
      expect.stringContaining('row-0 was completed'),
      expect.stringContaining('row-1 was started'),
    ]);
    // Nobody can tell any more which rows have begun: other ones want another key.
    const { request } = (await readLatestRun<BatchRequest>(world.client, batch.workflowId)) ?? {};
    for (const page of request?.pages ?? []) await deleteRuns(world.client, page.workflowId);
    const other = startBatch(world.client, { ...batch, retryFailed: true });
    await expect(other).rejects.toThrow(KeyInUseError);
  });

  it('are not bought again by a batch that was ended by hand', async () => {
    const letGo = world.hold('a view that is waited for');
    const batch = batchOf(['a quick view', 'a view that is waited for'], { concurrency: 1 });
    await startBatch(world.client, batch);
    await eventually(() => expect(bought(batch)).toEqual([1, 1]));
    await latest(batch).terminate();
    letGo();
    await forget(batch, 0);
    await startBatch(world.client, batch);
    expect(await resultOf(batch)).toMatchObject({ completed: 2, failed: 0 });
    expect(bought(batch)).toEqual([1, 1]);
  });
});

it('buys nothing again after a Reset', async () => {
  const batch = batchOf(NUMBERED.slice(0, 6));
  await startBatch(world.client, batch);
  await resultOf(batch);
  await resetRun(world.client, batch.workflowId);
  const result = await resultOf(batch);
  expect(result).toMatchObject({
    status: 'COMPLETED',
    completed: 6,
    usage: { total: 48 },
    charged: { total: 0 },
  });
  expect(bought(batch)).toEqual(Array.from({ length: 6 }, () => 1));
});

it('charges what rows have bought that were ended by hand, and not once more when they are run again', async () => {
  const takenOver = 'a mole that is taken over';
  const boughtAgain = 'a mole that is bought again';
  const finish = world.hold(takenOver);
  world.hold(boughtAgain, 1);
  const batch = batchOf([takenOver, boughtAgain, 'a mole']);
  await startBatch(world.client, batch);
  for (const row of ['row-0', 'row-1']) {
    const still = world.client.workflow.getHandle(`${batch.workflowId}/${row}/still`);
    await world.until(still, 'waiting');
    await world.client.workflow.getHandle(`${batch.workflowId}/${row}`).terminate('a test');
    await still.terminate('a test');
  }
  const first = await resultOf(batch);
  expect(first).toMatchObject({ completed: 1, failed: 2, usage: { total: 24 }, charged: { total: 24 } });
  finish();
  const { scheduler, tasks } = world.emulator.service();
  const due = { start: Date.now(), finish: Date.now() };
  for (const task of tasks.values())
    if (task.fate.kind === 'hang' && JSON.stringify(task.input).includes(boughtAgain))
      scheduler.force(task, { kind: 'fail', code: 'FAILED', message: 'a test' }, due);
  const again = { ...batch, retryFailed: true };
  await startBatch(world.client, again);
  expect(await resultOf(batch)).toMatchObject({ status: 'COMPLETED', charged: { total: 8 } });
  expect(bought(batch).toSorted()).toEqual([1, 1, 2]);
});

describe('what rows were charged, over all runs of a batch, is their bill', () => {
  it('where a row failed for several runs that were ended before they could tell', async () => {
    const [fails, runs] = ['a lynx that fails twice', 'a lynx that holds up the batch'];
    failTasks(world, fails, 2);
    const finish = world.hold(runs);
    const batch = { ...batchOf([fails, runs]), retryFailed: true };
    for (const count of [1, 2]) {
      await startBatch(world.client, batch);
      await eventually(async () => {
        const { failed, running } = await latest(batch).query<BatchProgress>('progress');
        expect({ failed, running }).toEqual({ failed: 1, running: [1] });
      });
      expect(bought(batch).toSorted()).toEqual([1, count]);
      await latest(batch).terminate('a test');
    }
    await startBatch(world.client, batch);
    finish();
    expect(await resultOf(batch)).toMatchObject({ status: 'COMPLETED', charged: { total: 32 } });
    expect(bought(batch).toSorted()).toEqual([1, 3]);
    for (const point of [1, 0]) {
      await resetRun(world.client, batch.workflowId, point);
      expect(await resultOf(batch)).toMatchObject({ status: 'COMPLETED', charged: { total: 0 } });
    }
  });

  it('where the budget does not admit once more a row that has failed: what that has cost stays told', async () => {
    const prompt = 'a lynx that uses the budget up';
    failTasks(world, prompt, 1);
    const batch = batchOf([prompt], { budget: 8 });
    await startBatch(world.client, batch);
    expect(await resultOf(batch)).toMatchObject({ failed: 1, usage: { total: 8 }, charged: { total: 8 } });
    await startBatch(world.client, { ...batch, retryFailed: true });
    const again = { failed: 0, refused: 1, usage: { total: 8 }, charged: { total: 0 } };
    expect(await resultOf(batch)).toMatchObject(again);
  });

  it('where the budget is used up by rows that a Reset does not know of', async () => {
    const batch = batchOf(NUMBERED.slice(0, 4), { budget: 24 });
    await startBatch(world.client, batch);
    const told = { completed: 3, refused: 1, usage: { total: 24 } };
    expect(await resultOf(batch)).toMatchObject({ ...told, charged: { total: 24 } });
    await resetRun(world.client, batch.workflowId);
    expect(await resultOf(batch)).toMatchObject({ ...told, charged: { total: 0 } });
    expect(bought(batch)).toEqual([1, 1, 1]);
  });

  it.each([0, 1])(
    'where a row that waits is Reset, to its first or last point (%i): it tells the batch anew',
    async (point) => {
      const prompt = `a lynx that waits, ${point}`;
      const finish = world.hold(prompt);
      const batch = batchOf([prompt]);
      await startBatch(world.client, batch);
      const row = world.client.workflow.getHandle(`${batch.workflowId}/row-0`);
      await world.until(world.client.workflow.getHandle(`${row.workflowId}/still`), 'waiting');
      await resetRun(world.client, row.workflowId, point);
      await eventually(async () => {
        const { events } = await world.client.workflow.getHandle(row.workflowId).fetchHistory();
        const told = (events ?? []).some(
          (event) => event.signalExternalWorkflowExecutionInitiatedEventAttributes?.signalName === 'rowState',
        );
        expect(told).toBe(true);
      });
      finish();
      expect(await resultOf(batch)).toMatchObject({ status: 'COMPLETED', completed: 1 });
      expect(bought(batch)).toEqual([1]);
    },
  );

  it('where a row that was ended by hand is Reset once the batch has told it', async () => {
    const prompt = 'a lynx that is Reset';
    const finish = world.hold(prompt);
    const batch = batchOf([prompt]);
    await startBatch(world.client, batch);
    const row = world.client.workflow.getHandle(`${batch.workflowId}/row-0`);
    const still = world.client.workflow.getHandle(`${row.workflowId}/still`);
    await world.until(still, 'waiting');
    await row.terminate('a test');
    await still.terminate('a test');
    const first = await resultOf(batch);
    finish();
    await resetRun(world.client, row.workflowId);
    await row.result();
    await resetRun(world.client, batch.workflowId);
    const second = await resultOf(batch);
    expect([first.charged.total, second.charged.total]).toEqual([8, 0]);
    expect(bought(batch)).toEqual([1]);
  });
});

describe('a row that was ended by hand while its generation runs on', () => {
  /** @param prompt its first task does not end by itself */
  async function startWithOneRow(prompt: string) {
    world.hold(prompt, 1);
    const batch = batchOf([prompt]);
    await startBatch(world.client, batch);
    const row = world.client.workflow.getHandle(`${batch.workflowId}/row-0`);
    const still = world.client.workflow.getHandle(`${row.workflowId}/still`);
    await world.until(still, 'waiting');
    const untilLookedAt = () =>
      eventually(async () => {
        const { pendingActivities } = (await latest(batch).describe()).raw;
        const why = pendingActivities?.map(({ lastFailure }) => lastFailure?.message ?? '');
        expect(why).toEqual([expect.stringContaining(`${still.workflowId} still runs`)]);
      });
    /** Its generation buys another task. */
    const failFirst = () => failTask(world, world.bought(still)[0], 'FAILED');
    return { batch, row, still, untilLookedAt, failFirst };
  }
  const ALL = { failed: 1, usage: { total: 16 }, charged: { total: 16 } };

  it('is charged for what that buys yet', async () => {
    const { batch, row, untilLookedAt, failFirst } = await startWithOneRow('a heron that is bought again');
    await row.terminate('a test');
    await untilLookedAt();
    await failFirst();
    expect(await resultOf(batch)).toMatchObject(ALL);
    expect(bought(batch)).toEqual([2]);
  });

  it('is charged for it, too, by another run of the batch that finds it so', async () => {
    const { batch, row, untilLookedAt, failFirst } = await startWithOneRow('a stork that is bought again');
    await latest(batch).terminate('a test');
    await row.terminate('a test');
    await startBatch(world.client, batch);
    await untilLookedAt();
    await failFirst();
    expect(await resultOf(batch)).toMatchObject(ALL);
    expect(bought(batch)).toEqual([2]);
  });

  it('holds up no cancellation of the batch', async () => {
    const { batch, row, still, untilLookedAt } = await startWithOneRow('a crane that runs on');
    await row.terminate('a test');
    await untilLookedAt();
    await latest(batch).cancel();
    await expect(resultOf(batch)).rejects.toThrow('Workflow execution cancelled');
    await still.terminate('a test');
  });
});

describe('rows that wait for a person', () => {
  const asking = {
    steps: {
      still: { ...pipeline.steps.still, approve: true },
      large: { model: 'upscale-q', input: { image_url: { $from: 'still' } }, onFailure: 'hold' as const },
    },
    policy: FAST,
  };

  async function progressOf(batch: BatchStart): Promise<BatchProgress> {
    return await latest(batch).query<BatchProgress>('progress');
  }

  async function stateOf(batch: BatchStart): Promise<unknown> {
    const { searchAttributes } = await latest(batch).describe();
    return searchAttributes['DarkroomState']?.[0] ?? undefined;
  }

  async function say(batch: BatchStart, row: string, update: string, said: object): Promise<void> {
    await world.client.workflow
      .getHandle(`${batch.workflowId}/${row}`)
      .executeUpdate(update, { args: [said] });
  }

  it('are told by the batch, which is found by them, until they are answered', async () => {
    const batch = batchOf(['a quay', 'a lock'], { pipeline: asking });
    await startBatch(world.client, batch);
    const need = (row: string) => ({
      workflowId: `${batch.workflowId}/${row}`,
      state: 'waiting for approval',
      step: 'still',
      asks: 'approval',
    });
    const byRow = ({ attention }: BatchProgress) =>
      attention.toSorted((a, b) => a.workflowId.localeCompare(b.workflowId));
    await eventually(async () =>
      expect(byRow(await progressOf(batch))).toMatchObject([need('row-0'), need('row-1')]),
    );
    await eventually(async () => expect(await stateOf(batch)).toBe('waiting for approval'));
    const details = await world.details(latest(batch));
    expect(details).toContain('[row-0](');
    expect(details).toContain('**waiting for approval**: step still');
    await say(batch, 'row-0', 'reject', { step: 'still' });
    await eventually(async () => expect(byRow(await progressOf(batch))).toMatchObject([need('row-1')]));
    await say(batch, 'row-1', 'approve', { step: 'still' });
    expect(await resultOf(batch)).toMatchObject({ completed: 1, failed: 1 });
    expect(await stateOf(batch)).toBeUndefined();
  });

  it('are told of by the step that needs it most, and in another run of the batch as well', async () => {
    const batch = batchOf(['a weir'], { pipeline: asking });
    const match = { workflowIncludes: `${batch.workflowId}/row-0/large` };
    const fault = { kind: 'fail', code: 'INVALID_INPUT' } as const;
    world.fault({ on: 'task', match, times: 1, fault });
    await startBatch(world.client, batch);
    await eventually(async () => expect((await progressOf(batch)).attention).toHaveLength(1));
    await latest(batch).terminate('a test');
    await startBatch(world.client, batch);
    // It has not heard the row say so: it sees it.
    await eventually(async () =>
      expect((await progressOf(batch)).attention).toMatchObject([{ state: 'waiting for approval' }]),
    );
    await say(batch, 'row-0', 'approve', { step: 'still' });
    await eventually(async () =>
      expect((await progressOf(batch)).attention).toMatchObject([
        { state: 'needs a decision', step: 'large', asks: 'held' },
      ]),
    );
    await eventually(async () => expect(await stateOf(batch)).toBe('needs a decision'));
    await say(batch, 'row-0', 'resolve', { step: 'large', action: 'retry' });
    expect(await resultOf(batch)).toMatchObject({ status: 'COMPLETED', completed: 1 });
  });

  it('are told of where one has said so before its turn came in another run of the batch', async () => {
    const batch = batchOf(['a ford', 'a weir at night'], { pipeline: asking });
    world.fault({
      on: 'task',
      match: { workflowIncludes: `${batch.workflowId}/row-1/large` },
      times: 1,
      fault: { kind: 'fail', code: 'INVALID_INPUT' },
    });
    await startBatch(world.client, batch);
    await eventually(async () => expect((await progressOf(batch)).attention).toHaveLength(2));
    await latest(batch).terminate('a test');
    const again = { ...batch, concurrency: 1 };
    await startBatch(world.client, again);
    await eventually(async () => expect((await progressOf(batch)).running).toEqual([0]));
    await say(batch, 'row-1', 'approve', { step: 'still' });
    const row = world.client.workflow.getHandle(`${batch.workflowId}/row-1`);
    await eventually(async () => {
      const { searchAttributes } = await row.describe();
      expect(searchAttributes['DarkroomState']).toEqual(['needs a decision']);
    });
    await say(batch, 'row-0', 'reject', { step: 'still' });
    await eventually(async () =>
      expect((await progressOf(batch)).attention).toMatchObject([
        { workflowId: `${batch.workflowId}/row-1`, state: 'needs a decision' },
      ]),
    );
    await say(batch, 'row-1', 'resolve', { step: 'large', action: 'retry' });
    expect(await resultOf(batch)).toMatchObject({ completed: 1, failed: 1 });
  });

  it('are those that run: nobody else can say that one needs a look', async () => {
    const batch = batchOf(['a dam'], { pipeline: asking });
    await startBatch(world.client, batch);
    await eventually(async () => expect((await progressOf(batch)).attention).toHaveLength(1));
    const [before] = (await progressOf(batch)).attention;
    for (const said of [null, {}, { workflowId: 'batch/of/others', state: 'needs a decision' }])
      await latest(batch).signal('rowState', said);
    await latest(batch).signal('rowState', {
      workflowId: `${batch.workflowId}/row-0`,
      state: 'x'.repeat(500),
    });
    await eventually(async () =>
      expect((await progressOf(batch)).attention).toEqual([
        { workflowId: before?.workflowId, state: 'x'.repeat(40) },
      ]),
    );
    await say(batch, 'row-0', 'approve', { step: 'still' });
    await resultOf(batch);
  });
});

describe('rows that wait for their budget', () => {
  const lasting = { ...pipeline, policy: { ...FAST, deadline: '5m' } };

  /** What is said of a batch's rows that wait; and nobody is called for it. */
  async function saidOf(batch: BatchStart): Promise<BatchProgress['waiting']> {
    return await eventually(async () => {
      const { waiting, attention } = await latest(batch).query<BatchProgress>('progress');
      expect({ rows: waiting?.rows, attention }).toEqual({ rows: 1, attention: [] });
      expect(await world.details(latest(batch))).toContain('1 row waits for its budget');
      const { searchAttributes } = await latest(batch).describe();
      expect(searchAttributes['DarkroomState']?.[0] ?? undefined).toBeUndefined();
      return waiting;
    });
  }

  it('are told by the batch: the next one, for which nothing is left', async () => {
    const letGo = world.hold('holds all');
    const batch = batchOf(['holds all', 'comes after it'], { pipeline: lasting, budget: 8 });
    await startBatch(world.client, batch);
    const { note } = (await saidOf(batch)) ?? {};
    expect(note).toContain(`what is left of the budget of ${batch.workflowId}, 8 credits, is reserved for `);
    letGo();
    expect(await resultOf(batch)).toMatchObject({ status: 'PARTIAL', completed: 1, refused: 1 });
    expect((await latest(batch).query<BatchProgress>('progress')).waiting).toBeUndefined();
  });

  it('are told by the batch: the next one, whose account does not answer', async () => {
    const batch = batchOf(['waits for an account'], { pipeline: lasting, budget: 16 });
    const { taskQueue } = world.config;
    const { scope } = accountOfBudget(batch.workflowId, String);
    const account = await world.client.workflow.start('account', {
      workflowId: entityId('account', scope, taskQueue),
      taskQueue: 'without workers',
    });
    await startBatch(world.client, batch);
    const { note } = (await saidOf(batch)) ?? {};
    expect(note).toBe(`the account of the budget of ${batch.workflowId}, 16 credits, does not answer`);
    await account.terminate();
    expect(await resultOf(batch)).toMatchObject({ status: 'COMPLETED' });
  });

  it('are started where one that was ended by hand leaves something over, although what it has left runs on', async () => {
    const letGo = world.hold('runs on, and leaves half of it');
    const picture = { model: 'image-l', input: { prompt: { $param: 'prompt' } } };
    const another = { ...picture, input: { ...picture.input, image_urls: [{ $from: 'still' }] } };
    const batch = batchOf(['runs on, and leaves half of it', 'takes that half'], {
      pipeline: { ...lasting, steps: { still: picture, another } },
      budget: 24,
    });
    await startBatch(world.client, batch);
    await saidOf(batch);
    const [row, next] = [0, 1].map((n) => world.client.workflow.getHandle(`${batch.workflowId}/row-${n}`));
    const still = world.client.workflow.getHandle(`${row?.workflowId}/still`);
    await world.until(still, 'waiting');
    await row?.terminate('a test');
    await eventually(async () => expect((await next?.describe())?.status.name).toBe('COMPLETED'));
    expect((await still.describe()).status.name).toBe('RUNNING');
    letGo();
    expect(await resultOf(batch)).toMatchObject({ completed: 1, failed: 1, usage: { total: 24 } });
  });

  it('are told by the batch: one that runs, and whose step waits', async () => {
    const letGo = world.hold('keeps its neighbour waiting');
    const steps = {
      one: { model: 'image-l', input: { prompt: { $param: 'prompt' } } },
      two: { model: 'image-l', input: { prompt: { $param: 'prompt' } } },
    };
    const each = { ...lasting, steps, budget: { credits: 8 } };
    const batch = batchOf(['keeps its neighbour waiting'], { pipeline: each });
    await startBatch(world.client, batch);
    const { note } = (await saidOf(batch)) ?? {};
    expect(note).toContain(
      `what is left of the budget of ${batch.workflowId}/row-0, 8 credits, is reserved for `,
    );
    letGo();
    expect(await resultOf(batch)).toMatchObject({ failed: 1, usage: { total: 8 } });
  });
});

describe('the pages of a batch', () => {
  const rows = [{ id: 'row-0', values: { prompt: 'a wall' }, digest: 'x' }];

  /** A page of that workspace, put in by hand. */
  async function page(workflowId: string, value: unknown): Promise<string> {
    const { taskQueue } = world.config;
    await world.client.workflow.start('batchRows', { workflowId, taskQueue, args: [value] });
    return workflowId;
  }

  /** How a batch ends that names a page by hand. */
  async function endOf(workflowId: string, name: string): Promise<string> {
    const { taskQueue } = world.config;
    const handle = await world.client.workflow.start('batch', {
      workflowId,
      taskQueue,
      args: [{ pipeline, pages: [{ workflowId: name, rows: 1 }] }],
      workflowExecutionTimeout: '1 minute',
    });
    const end: unknown = await handle.result().catch((error: unknown) => error);
    const { cause } = end as { cause?: Error }; // of a WorkflowFailedError, where it has failed
    return cause?.cause?.toString() ?? cause?.toString() ?? 'completed';
  }

  it('are its own: it reads no page of another batch', async () => {
    const foreign = await page(`batch/${randomUUID()}/rows/0a`, { workspace: 'default', rows });
    expect(await endOf(`batch/${randomUUID()}`, foreign)).toContain("pages must be this batch's own");
    await world.client.workflow.getHandle(foreign).terminate('a test');
  });

  it('are of its workspace: a batch of the same id gets none of the rows of another one', async () => {
    const batch = `batch/${randomUUID()}`;
    const foreign = await page(`${batch}/rows/0b`, { workspace: 'other', rows });
    expect(await endOf(batch, foreign)).toContain('the server has no rows');
    expect(bought(batchOf([], { workflowId: batch }))).toEqual([]);
    await world.client.workflow.getHandle(foreign).terminate('a test');
  });

  it('hold rows: what is none ends the batch', async () => {
    const batch = `batch/${randomUUID()}`;
    const wrong = { workspace: 'default', rows: [...rows, ...rows] };
    expect(await endOf(batch, await page(`${batch}/rows/0c`, wrong))).toContain('does not hold 1 rows');
  });
});
