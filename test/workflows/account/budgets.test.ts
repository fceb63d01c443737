import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowDigest } from '../../../src/client/batch/row-digest.ts';
import { type BatchStart, startBatch } from '../../../src/client/batch/start-batch.ts';
import { rerunWith } from '../../../src/client/starting/rerun.ts';
import type { BatchProgress } from '../../../src/contract/batch.ts';
import { type AccountReport, accountOfBudget } from '../../../src/contract/entities/account.ts';
import type { Decision, GenerationRequest } from '../../../src/contract/generation.ts';
import { accountQuery, decideUpdate } from '../../../src/contract/messages.ts';
import type { PipelineProgress, PipelineRequest } from '../../../src/contract/pipeline.ts';
import { entityId } from '../../../src/contract/workflow-ids.ts';
import { ApiCaller } from '../../emulator/api-caller.ts';
import { resetHere, resetRun } from '../../reset-run.ts';
import { eventually, FAST, type Generation, openWorld, WEBHOOK_ONLY, type World } from '../world.ts';

/** What the emulator takes for a picture. */
const PRICE = 8;

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** What all workflows whose ids begin so were charged. */
function ledger(id: string): number {
  const charges = world.emulator.service().ledger.charges();
  return charges
    .filter(({ workflow }) => workflow === id || workflow?.startsWith(`${id}/`))
    .reduce((sum, { credits, refund }) => sum + credits - (refund?.credits ?? 0), 0);
}

const accountOf = (id: string, { client, config } = world): Promise<AccountReport> =>
  client.workflow
    .getHandle(entityId('account', accountOfBudget(id, String).scope, config.taskQueue))
    .query(accountQuery);

const limited = (prompt: string, credits: number, policy: object = FAST): GenerationRequest => ({
  model: 'image-l',
  input: { prompt },
  policy: { ...policy, budget: { credits } },
});

const failing = (prompt: string): void =>
  world.fault({ on: 'task', match: { promptIncludes: prompt }, fault: { kind: 'fail', code: 'FAILED' } });

/** What is said of who waits for a sign of what lost submits have bought. */
const IN_DOUBT = 'is reserved for submits of which nobody can tell yet';

/** Ends as soon as a submit is lost, and looks for no evidence. */
const GIVES_UP = { ...WEBHOOK_ONLY, reconcile: { wait: 100, otherwise: 'fail' } } as const;

describe('the budget of a generation', () => {
  it('is for its id: three restarts buy nothing more', async () => {
    const prompt = 'restarted thrice';
    failing(prompt);
    const id = `generation/${randomUUID()}`;
    for (const _ of [1, 2, 3, 4]) {
      const { type } = await world.failureOf(await world.start(limited(prompt, PRICE), id));
      expect(type).toBe('BUDGET_EXCEEDED');
      expect(ledger(id)).toBe(PRICE);
    }
  });

  it('is not passed by a Reset while it runs', async () => {
    const prompt = 'reset in flight';
    world.hold(prompt);
    const handle = await world.start(limited(prompt, PRICE, WEBHOOK_ONLY));
    await world.until(handle, 'waiting');
    await resetRun(world.client, handle.workflowId);
    const again = world.client.workflow.getHandle(handle.workflowId);
    await world.until(again, 'waiting');
    const [taskId] = world.bought(handle);
    await fetch(`${world.emulator.controlUrl}/tasks/${taskId}/fail`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: 'FAILED' }),
    });
    await again.result().catch(() => undefined);
    await resetRun(world.client, handle.workflowId);
    const { type } = await world.failureOf(world.client.workflow.getHandle(handle.workflowId));
    expect(type).toBe('BUDGET_EXCEEDED');
    expect(ledger(handle.workflowId)).toBe(PRICE);
  });

  it('is told of the end of a task whose answer was lost', async () => {
    world.loseAnswer('answered to nobody');
    const lost = await world.start(limited('answered to nobody', 3 * PRICE));
    await lost.result();
    await eventually(async () =>
      expect(await accountOf(lost.workflowId)).toMatchObject({ spent: PRICE, reserved: 0 }),
    );
  });

  it('goes by the price of a task whose answer was lost, whoever has bought it', async () => {
    const picture = (prompt: string, policy: object) => ({ model: 'image-p', input: { prompt }, policy });
    world.loseAnswer('shows its price late');
    await world.generate(picture('shows its price late', FAST));
    const match = { promptIncludes: 'answered late' };
    world.fault({ on: 'submit', match, times: 1, fault: { kind: 'slow', ms: 5_000 } });
    const handle = await world.start(picture('answered late', { ...FAST, budget: { credits: 24 } }));
    const first = await eventually(async () => {
      const { reserved } = await accountOf(handle.workflowId);
      expect(reserved).toBeGreaterThan(0);
      return reserved;
    });
    expect(first).toBe(6);
    await handle.result();
  });

  it.each([
    ['its request', {}, { budget: { credits: 3 * PRICE } }],
    ["the worker's configuration", { policy: { budget: { credits: 3 * PRICE } } }, {}],
  ])(
    'from %s is told of a task that turns out to be charged when another one was bought for it',
    async (_, config, own) => {
      const world = await openWorld({ config });
      try {
        await world.generate({ model: 'image-l', input: { prompt: 'shows the price' }, policy: FAST });
        const prompt = 'known late';
        world.loseAnswer(prompt);
        world.loseWebhooks(prompt);
        const release = world.hold(prompt, 2);
        const policy = { ...FAST, reconcile: { wait: '100ms', otherwise: 'resubmit' }, ...own };
        const handle = await world.start({ model: 'image-l', input: { prompt }, policy });
        await world.until(handle, 'waiting');
        const [first = ''] = world.bought(handle);
        await eventually(() => expect(world.emulator.service().tasks.get(first)?.status).toBe('COMPLETED'));
        await world.tellOfCreation(first, { prompt });
        await eventually(async () =>
          expect(await accountOf(handle.workflowId, world)).toMatchObject({ spent: PRICE, reserved: PRICE }),
        );
        release();
        await handle.result();
        await eventually(async () =>
          expect(await accountOf(handle.workflowId, world)).toMatchObject({ spent: 2 * PRICE, reserved: 0 }),
        );
      } finally {
        await world.close();
      }
    },
  );

  it('is not paid with what an earlier run has bought, of whose end somebody tells late', async () => {
    const prompt = 'told late';
    const fault = { kind: 'fail', code: 'CONTENT_REJECTED' } as const;
    world.fault({ on: 'task', match: { promptIncludes: prompt }, times: 1, fault });
    const policy = { ...WEBHOOK_ONLY, reconcile: { wait: 100, otherwise: 'ask' } };
    const first = await world.start({ model: 'image-l', input: { prompt }, policy });
    await world.failureOf(first);
    const [earlier = ''] = world.bought(first);
    // No process remembers it.
    await world.stopWorker();
    await world.startWorker();
    world.loseWebhooks(prompt);
    world.loseAnswer(prompt);
    const { workflowId } = first;
    const credits = PRICE + 2;
    await rerunWith(world.client, workflowId, { policy: { budget: { credits } } });
    const handle = world.client.workflow.getHandle(workflowId);
    await world.until(handle, 'needs a decision');
    await handle.signal('taskEvent', { type: 'task.failed', taskId: earlier });
    await handle.executeUpdate(decideUpdate, { args: [{ action: 'resubmit' }] });
    await eventually(async () => expect(JSON.stringify(await handle.query('progress'))).toContain(IN_DOUBT));
    expect(await accountOf(workflowId)).toMatchObject({ spent: 0, reserved: credits });
    expect(world.bought(first)).toHaveLength(2);
    await handle.terminate();
  });

  it('is not paid with a task of another input that a person has it adopt in the place of a lost one', async () => {
    const prompt = 'lost, and another one in its place';
    world.loseWebhooks(prompt);
    world.loseAnswer(prompt);
    const policy = { ...WEBHOOK_ONLY, reconcile: { wait: '100ms', otherwise: 'ask' } };
    const handle = await world.start(limited(prompt, 2 * PRICE, policy));
    await world.until(handle, 'needs a decision');
    const taskId = await new ApiCaller(world.emulator).accepted('image-o', { prompt: 'bought by hand' });
    const decision: Decision = { action: 'adopt', taskId, otherInput: true };
    await handle.executeUpdate(decideUpdate, { args: [decision] });
    await handle.result();
    expect(ledger(handle.workflowId)).toBe(PRICE);
    const { spent, reserved } = await accountOf(handle.workflowId);
    expect(spent).toBe(0);
    expect(reserved).toBeGreaterThanOrEqual(PRICE);
  });

  it.each([
    ['where it asked', true],
    ['its first task', false],
  ])('nor after a Reset to %s while that task runs', async (where, isAsked) => {
    const prompt = `lost, and another one runs in its place: ${where}`;
    world.loseWebhooks(prompt);
    world.loseAnswer(prompt);
    const release = world.hold(`by hand: ${where}`);
    const policy = { ...FAST, reconcile: { wait: '100ms', otherwise: 'ask' } };
    const { workflowId } = await world.start(limited(prompt, 2 * PRICE, policy));
    const run: Generation = world.client.workflow.getHandle(workflowId);
    await world.until(run, 'needs a decision');
    const toAsking = await resetHere(world.client, workflowId);
    const taskId = await new ApiCaller(world.emulator).accepted('image-o', { prompt: `by hand: ${where}` });
    const decision: Decision = { action: 'adopt', taskId, otherInput: true };
    await run.executeUpdate(decideUpdate, { args: [decision] });
    await world.until(run, 'waiting');
    await (isAsked ? toAsking() : resetRun(world.client, workflowId));
    expect(await world.until(run, 'waiting')).toMatchObject({ taskId });
    release();
    const { attempts, charged } = await run.result();
    expect(attempts.at(-1)).toMatchObject({ taskId, adopted: true });
    expect(charged.total).toBe(0);
    const { spent, reserved } = await accountOf(workflowId);
    expect(spent).toBe(0);
    expect(reserved).toBeGreaterThanOrEqual(PRICE);
  });

  it('goes on when somebody raises it', async () => {
    const prompt = 'raised';
    failing(prompt);
    const id = `generation/${randomUUID()}`;
    await world.failureOf(await world.start(limited(prompt, PRICE), id));
    const { type } = await world.failureOf(await world.start(limited(prompt, 2 * PRICE), id));
    expect([type, ledger(id)]).toEqual(['BUDGET_EXCEEDED', 2 * PRICE]);
  });
});

describe('the budget of a pipeline', () => {
  const pictures = (prompt: string, credits: number, policy: object): PipelineRequest => ({
    steps: Object.fromEntries(
      Array.from({ length: 10 }, (_, n) => [
        `p${n}`,
        { model: 'image-l', input: { prompt: `${prompt} ${n}` } },
      ]),
    ),
    policy,
    budget: { credits },
    allowPartial: true,
  });

  it('is not passed where answers are lost, nor by the runs that follow', async () => {
    const prompt = 'lost answers';
    world.loseWebhooks(prompt);
    world.loseAnswer(prompt, 100);
    const id = `pipeline/${randomUUID()}`;
    for (const _ of [1, 2]) {
      const handle = await world.pipeline(pictures(prompt, 24, GIVES_UP), id);
      await eventually(async () => {
        const { steps } = await handle.query<PipelineProgress>('progress');
        const note = Object.values(steps).find((step) => step.note?.includes(IN_DOUBT))?.note;
        expect(note).toMatch(
          /Reserved are [\d.]+ for pipeline\/\S+ \(outcome unknown\).* Settle the unknown one first .* raise/,
        );
        expect(await world.details(handle)).toContain('(outcome unknown)');
      });
      await handle.cancel();
      await expect(handle.result()).rejects.toThrow('cancelled');
      expect(ledger(id)).toBeGreaterThan(0);
      expect(ledger(id)).toBeLessThanOrEqual(24);
    }
  });

  it('is not passed by a Reset, and admits all that it has room for', async () => {
    const id = `pipeline/${randomUUID()}`;
    const first = await (await world.pipeline(pictures('admitted', 24, FAST), id)).result();
    expect([first.status, ledger(id)]).toEqual(['PARTIAL', 24]);
    await resetRun(world.client, id);
    await world.client.workflow.getHandle(id).result();
    expect(ledger(id)).toBe(24);
  });
});

describe('the budget of a batch', () => {
  function batchOf(prompt: string, policy: object): BatchStart {
    const pipeline: PipelineRequest = {
      steps: { still: { model: 'image-l', input: { prompt: { $param: 'prompt' } } } },
      policy,
    };
    const rows = Array.from({ length: 8 }, (_, index) => {
      const values = { prompt: `${prompt} ${index}` };
      return { id: `row-${index}`, values, digest: rowDigest(pipeline, values) };
    });
    const { taskQueue } = world.config;
    const workflowId = `batch/${randomUUID()}`;
    return { workflowId, taskQueue, pipeline, rows, concurrency: 4, budget: 3 * PRICE };
  }

  it('is not passed where answers are lost, nor by the runs that follow, nor by a Reset', async () => {
    const prompt = 'rows without answers';
    world.loseWebhooks(prompt);
    world.loseAnswer(prompt, 100);
    const batch = batchOf(prompt, GIVES_UP);
    const handle = world.client.workflow.getHandle(batch.workflowId);
    const waitsForWhatWasLost = async (): Promise<void> => {
      await eventually(async () => {
        const { waiting } = await handle.query<BatchProgress>('progress');
        expect(waiting?.note).toContain(IN_DOUBT);
        expect(waiting?.note).toContain('(outcome unknown)');
      });
      expect(ledger(batch.workflowId)).toBeGreaterThan(0);
      expect(ledger(batch.workflowId)).toBeLessThanOrEqual(3 * PRICE);
    };
    for (const retryFailed of [false, true]) {
      await startBatch(world.client, { ...batch, retryFailed });
      await waitsForWhatWasLost();
      if (retryFailed) {
        await resetRun(world.client, batch.workflowId);
        await waitsForWhatWasLost();
      }
      await handle.cancel();
      await expect(handle.result()).rejects.toThrow('cancelled');
    }
    expect(ledger(batch.workflowId)).toBeLessThanOrEqual(3 * PRICE);
  });

  it('lets rows run beside the first one, once that has told its price', async () => {
    const prompt = 'side by side from the start';
    const finish = world.hold(prompt);
    const batch = batchOf(prompt, WEBHOOK_ONLY);
    await startBatch(world.client, batch);
    await eventually(() => expect(ledger(batch.workflowId)).toBe(3 * PRICE));
    finish();
    const result: unknown = await world.client.workflow.getHandle(batch.workflowId).result();
    expect(result).toMatchObject({ completed: 3, failed: 0, refused: 5 });
    expect(ledger(batch.workflowId)).toBe(3 * PRICE);
  });

  it.each([
    ['that was bought', [4, 1, 1, 1], 7, { completed: 4, refused: 0 }],
    ['that is refused', [1, 4, 1, 1], 3, { completed: 3, refused: 1 }],
  ])('keeps no row out that fits for a dear one %s', async (how, row, pictures, counts) => {
    const { pipeline, rows: _, ...batch } = batchOf('', FAST);
    const input = { prompt: { $param: 'prompt' }, n: { $param: 'n' } };
    const each: PipelineRequest = { ...pipeline, steps: { still: { model: 'image-l', input } } };
    const rows = row.map((n, index) => {
      const values = { n, prompt: `beside a dear one ${how}` };
      return { id: `row-${index}`, values, digest: rowDigest(each, values) };
    });
    await startBatch(world.client, { ...batch, pipeline: each, rows, budget: pictures * PRICE });
    const result: unknown = await world.client.workflow.getHandle(batch.workflowId).result();
    expect(result).toMatchObject({ failed: 0, ...counts });
    expect(ledger(batch.workflowId)).toBe(pictures * PRICE);
  });

  it('leaves no row half bought: what a row buys later is held for it from the start', async () => {
    const { pipeline, rows, ...batch } = batchOf('bought whole', FAST);
    const large = { model: 'upscale-q', input: { image_url: { $from: 'still' } } };
    const each: PipelineRequest = { ...pipeline, steps: { ...pipeline.steps, large } };
    const own = rows.map((row) => ({ ...row, digest: rowDigest(each, row.values) }));
    await startBatch(world.client, { ...batch, pipeline: each, rows: own, budget: 30 });
    const result: unknown = await world.client.workflow.getHandle(batch.workflowId).result();
    expect(result).toMatchObject({ completed: 2, failed: 0, refused: 6 });
    expect(result).toHaveProperty('refusal', expect.stringContaining('24 are spent, 0 reserved'));
    expect(ledger(batch.workflowId)).toBe(24);
  });

  it('goes on while rows wait for an approval, whatever that buys, and is not passed once all are approved', async () => {
    const { workflowId, pipeline, rows: all, ...batch } = batchOf('to be approved', FAST);
    const unknown = { model: 'image-o', input: { prompt: { $param: 'prompt' } } };
    const large = {
      model: 'image-o',
      input: { prompt: { $param: 'prompt' }, image_url: { $from: 'asked' } },
    };
    const steps = { ...pipeline.steps, asked: { ...unknown, approve: true }, large };
    const each: PipelineRequest = { ...pipeline, steps };
    const rows = all.slice(0, 4).map((row) => ({ ...row, digest: rowDigest(each, row.values) }));
    const budget = 4 * PRICE + 7;
    await startBatch(world.client, { ...batch, workflowId, pipeline: each, rows, budget });
    const handle = world.client.workflow.getHandle(workflowId);
    await eventually(async () => {
      const { attention } = await handle.query<BatchProgress>('progress');
      expect(attention.filter(({ asks }) => asks === 'approval')).toHaveLength(4);
      expect(ledger(workflowId)).toBe(4 * PRICE);
    });
    const ids = rows.map(({ id }) => `${workflowId}/${id}`);
    await Promise.all(
      ids.map((id) =>
        world.client.workflow.getHandle(id).executeUpdate('approve', { args: [{ step: 'asked' }] }),
      ),
    );
    // One of them is bought, and nothing that needs it.
    expect(await handle.result()).toMatchObject({ completed: 0, failed: 4, refused: 0 });
    expect(ledger(workflowId)).toBe(4 * PRICE + 5);
    const why = await Promise.all(ids.map((id) => world.failureOf(world.client.workflow.getHandle(id))));
    for (const { message } of why)
      expect(message).toContain(`BUDGET_EXCEEDED: the budget of ${workflowId}, ${budget} credits,`);
  });

  it('goes on with other rows where those of a cancelled run had credits held', async () => {
    const prompt = 'a row of a cancelled batch';
    const finish = world.hold(prompt);
    const { workflowId, pipeline, rows: all, ...batch } = batchOf(prompt, WEBHOOK_ONLY);
    // All that is left is held for what nobody knows the price of.
    const unknown = { model: 'image-m', input: { prompt: 'never bought', image_urls: [{ $from: 'still' }] } };
    const each: PipelineRequest = { ...pipeline, steps: { ...pipeline.steps, unknown } };
    const own = all.slice(0, 2).map((row) => ({ ...row, digest: rowDigest(each, row.values) }));
    await startBatch(world.client, { workflowId, ...batch, pipeline: each, rows: own });
    await eventually(async () => {
      expect(ledger(workflowId)).toBe(PRICE);
      expect(await accountOf(workflowId)).toMatchObject({ spent: 0, reserved: 3 * PRICE, purchases: 1 });
    });
    const handle = world.client.workflow.getHandle(workflowId);
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow('cancelled');
    const corrected = batchOf('a corrected row', FAST);
    const rows = corrected.rows.map((row) => ({ ...row, id: `corrected-${row.id}` }));
    await startBatch(world.client, { ...corrected, workflowId, rows });
    await eventually(() => expect(ledger(workflowId)).toBe(3 * PRICE));
    finish();
    const result: unknown = await world.client.workflow.getHandle(workflowId).result();
    expect(result).toMatchObject({ completed: 2, refused: 6 });
    expect(ledger(workflowId)).toBe(3 * PRICE);
  });

  it('waits for no row that was ended by hand: what that has bought tells the price', async () => {
    const prompt = 'a row without its end';
    const finish = world.hold(prompt);
    const batch = batchOf(prompt, WEBHOOK_ONLY);
    const { workflowId } = batch;
    await startBatch(world.client, batch);
    await eventually(() => expect(world.charges(`${workflowId}/row-0/still`)).toHaveLength(1));
    await world.client.workflow.getHandle(`${workflowId}/row-0`).terminate();
    // No task ends before that.
    await eventually(() => expect(ledger(workflowId)).toBe(3 * PRICE));
    finish();
    const result: unknown = await world.client.workflow.getHandle(workflowId).result();
    expect(result).toMatchObject({ completed: 2, failed: 1, refused: 5, usage: { total: 3 * PRICE } });
    expect(ledger(workflowId)).toBe(3 * PRICE);
  });
});
