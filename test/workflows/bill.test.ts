import { randomUUID } from 'node:crypto';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import pLimit from 'p-limit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Usage, usageOf } from '../../src/api/records/usage.ts';
import type { Progress } from '../../src/contract/generation.ts';
import { readBill } from '../../src/temporal/bill/read-bill.ts';
import { billOfRun } from '../../src/temporal/bill/run-bill.ts';
import { readHistory } from '../../src/temporal/history.ts';
import { resetRun } from '../reset-run.ts';
import { eventually, FAST, image, openWorld, type World } from './world.ts';

/** Workflow ids, each with several runs: `BILLED_RUNS=200 npx vitest run test/workflows/bill.test.ts` takes more. */
const COUNT = Number(process.env['BILLED_RUNS'] ?? 16);
const AT_ONCE = 8;

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

type Handle = Pick<WorkflowHandle, 'workflowId'>;

/** What the latest run of an id says that it was charged; one that was terminated cannot say it. */
async function chargedBy({ workflowId }: Handle): Promise<number> {
  const { runId } = await world.client.workflow.getHandle(workflowId).describe();
  const handle = world.client.workflow.getHandle(workflowId, runId, { followRuns: false });
  try {
    return ((await handle.result()) as { charged: Usage }).charged.total; // of either workflow
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { cause } = error;
    if (cause instanceof ApplicationFailure) {
      const [details] = (cause.details ?? []) as { charged: Usage }[]; // the contract's first detail
      return details?.charged.total ?? 0;
    }
    const { memo } = await handle.describe();
    const left = memo?.['cancelled'] as { charged: Usage } | undefined; // of a cancelled generation
    return left?.charged.total ?? 0;
  }
}

/** Resets an id's latest run, waits for the end, and adds what that says. */
async function resetAndAdd(handle: Handle, point: number): Promise<number> {
  await resetRun(world.client, handle.workflowId, point);
  return await chargedBy(handle);
}

function failOnce(prompt: string, code: 'FAILED' | 'INVALID_INPUT'): void {
  world.fault({ on: 'task', match: { promptIncludes: prompt }, times: 1, fault: { kind: 'fail', code } });
}

const hang = (prompt: string): void =>
  world.fault({ on: 'task', match: { promptIncludes: prompt }, times: 1, fault: { kind: 'hang' } });

async function finish(handle: Handle): Promise<void> {
  const [taskId] = world.bought(handle);
  await fetch(`${world.emulator.controlUrl}/tasks/${taskId}/finish`, { method: 'POST' });
}

/** Lives of a workflow id: each adds up what its runs say that they were charged. */
const LIVES: Readonly<Record<string, (prompt: string, point: number) => Promise<number>>> = {
  'reset after it was done': async (prompt, point) => {
    const handle = await world.start(image(prompt), `generation/${prompt}`);
    return (await chargedBy(handle)) + (await resetAndAdd(handle, point));
  },
  'bought again after a failure, and reset twice': async (prompt, point) => {
    failOnce(prompt, 'FAILED');
    const handle = await world.start(image(prompt), `generation/${prompt}`);
    return (
      (await chargedBy(handle)) + (await resetAndAdd(handle, point)) + (await resetAndAdd(handle, 1 - point))
    );
  },
  'failed, and bought again by a Reset': async (prompt) => {
    failOnce(prompt, 'INVALID_INPUT');
    const handle = await world.start(image(prompt), `generation/${prompt}`);
    return (await chargedBy(handle)) + (await resetAndAdd(handle, 0));
  },
  'lost its answer, claimed its task, and reset': async (prompt, point) => {
    world.loseAnswer(prompt);
    const handle = await world.start(image(prompt), `generation/${prompt}`);
    return (await chargedBy(handle)) + (await resetAndAdd(handle, point));
  },
  'reset while it waited': async (prompt) => {
    hang(prompt);
    const handle = await world.start(image(prompt), `generation/${prompt}`);
    await world.until(handle, 'waiting');
    await resetRun(world.client, handle.workflowId);
    await finish(handle);
    return await chargedBy(handle);
  },
  'cancelled, and taken up by a Reset': async (prompt) => {
    hang(prompt);
    const handle = await world.start(image(prompt), `generation/${prompt}`);
    await world.until(handle, 'waiting');
    await handle.cancel();
    await handle.result().catch(() => undefined);
    const first = await chargedBy(handle);
    await finish(handle);
    return first + (await resetAndAdd(handle, 0));
  },
  'terminated, and started again with its earlier run': async (prompt) => {
    hang(prompt);
    const handle = await world.start(image(prompt), `generation/${prompt}`);
    await world.until(handle, 'waiting');
    const { runId: earlierRun } = await handle.describe();
    await handle.terminate();
    await finish(handle);
    return await chargedBy(await world.start({ ...image(prompt), earlierRun }, handle.workflowId));
  },
  'a pipeline with a failed step, and reset': async (prompt, point) => {
    failOnce(`${prompt} b`, 'INVALID_INPUT');
    const step = (name: string) => ({ model: 'image-l', input: { prompt: `${prompt} ${name}` } });
    const steps = { a: step('a'), b: step('b') };
    const handle = await world.pipeline({ policy: FAST, steps }, `pipeline/${prompt}`);
    return (await chargedBy(handle)) + (await resetAndAdd(handle, 0)) + (await resetAndAdd(handle, point));
  },
};

/** Credits that the API has charged for what has that key in its workflow id. */
function billOf(key: string): number {
  const charges = world.emulator.service().ledger.charges();
  return charges
    .filter(({ workflow }) => workflow?.includes(key) === true)
    .reduce((sum, { credits }) => sum + credits, 0);
}

it(
  'what the runs of an id say that they were charged is, added up, what the API has charged, and what `cost` tells',
  async () => {
    const since = Date.now();
    const lives = Object.entries(LIVES);
    const limit = pLimit(AT_ONCE);
    const lived = Array.from({ length: COUNT }, (_, index) =>
      limit(async () => {
        const [name = '', live] = lives[index % lives.length] ?? [];
        const key = randomUUID();
        const said = (await live?.(key, (index % 7) / 7)) ?? 0;
        return { name, key, said, billed: billOf(key) };
      }),
    );
    const accounts = await Promise.all(lived);
    expect(accounts.filter(({ said, billed }) => said !== billed)).toEqual([]);
    await eventually(async () => {
      const { tasks } = await readBill(world.client, world.config.taskQueue, since);
      const costOf = (key: string): number =>
        usageOf(tasks.filter(({ workflowId }) => workflowId.includes(key))).total;
      expect(accounts.filter(({ key, billed }) => costOf(key) !== billed)).toEqual([]);
    });
    const said = accounts.reduce((sum, account) => sum + account.said, 0);
    const charges = world.emulator.service().ledger.charges();
    const credits = charges.reduce((sum, charge) => sum + charge.credits, 0);
    process.stderr.write(
      `${COUNT} ids: ${charges.length} charges of ${credits} credits; their runs say ${said}\n`,
    );
    expect(said).toBe(credits);
  },
  COUNT * 10_000,
);

it('what a run tells of itself is what its history tells, also of a lost task that was proven while it ran', async () => {
  const prompt = randomUUID();
  world.loseAnswer(prompt);
  world.loseWebhooks(prompt);
  const release = world.hold(prompt);
  const policy = { ...FAST, reconcile: { wait: '100ms', otherwise: 'resubmit' } };
  const handle = await world.start(image(prompt, policy));
  const { workflowId } = handle;
  const { runId } = await handle.describe();
  const [first = ''] = await eventually(() => {
    expect(world.bought(handle)).toHaveLength(2);
    return world.bought(handle);
  });
  await world.until(handle, 'waiting');
  await world.tellOfCreation(first, { prompt });
  const inHistory = async (): Promise<number> => {
    const events = (await readHistory(world.client, workflowId, runId)) ?? [];
    return usageOf(billOfRun({ workflowId, runId }, events)).total;
  };
  await eventually(async () => {
    const { usage } = await handle.query<Progress>('progress');
    expect([usage.total, await inHistory()]).toEqual([16, 16]);
  });
  release();
  const { usage, charged } = await handle.result();
  expect([usage.total, charged.total, await inHistory(), billOf(workflowId)]).toEqual([16, 16, 16, 16]);
});
