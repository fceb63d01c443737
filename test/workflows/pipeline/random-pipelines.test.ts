import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ClientFiles } from '../../../src/client/files/client-files.ts';
import { planPipeline } from '../../../src/client/plan/plan-pipeline.ts';
import { PriceBook } from '../../../src/client/plan/price-book.ts';
import { checkPipelineRequest } from '../../../src/contract/checks/check-pipeline.ts';
import { approveUpdate, pipelineProgressQuery, rejectUpdate } from '../../../src/contract/messages.ts';
import type { PipelineRequest, PipelineResult, PipelineStep } from '../../../src/contract/pipeline.ts';
import { findReferences, stepsOf } from '../../../src/contract/steps/references.ts';
import { patience } from '../../patience.ts';
import { FAST, openWorld, type World } from '../world.ts';
import { creditsBelow, large, latest, still } from './steps.ts';

/** More of them: `RANDOM_PIPELINES=100 npx vitest run test/workflows/pipeline/random-pipelines.test.ts`. */
const RUNS = Number(process.env['RANDOM_PIPELINES'] ?? 8);
/** Once more what failed: the seed and the path that fast-check has told, as `RANDOM_PIPELINES_AT=<seed>:<path>`. */
const [SEED, PATH] = process.env['RANDOM_PIPELINES_AT']?.split(/:(.*)/) ?? [];
/** Killing workers takes long where a submit is under way: its outcome is looked for. */
const KILLS =
  process.env['RANDOM_PIPELINES'] === undefined ? (['pipeline'] as const) : (['pipeline', 'worker'] as const);

/**
 * Patient: a busy machine is no lost worker, and a killed one takes a while to come back. What it had been handed and
 * had not sent is bought for the first time then: what it had sent is found by its events.
 */
const POLICY = {
  ...FAST,
  deadline: '5m',
  submit: { timeout: '60s', heartbeat: '30s' },
  reconcile: { wait: '20s', otherwise: 'resubmit' },
} as const;

let world: World;
beforeAll(async () => {
  world = await openWorld();
  // One of each kind, so that prices are known.
  await (
    await world.pipeline({ policy: FAST, steps: { a: still('first'), b: large({ $from: 'a' }) } })
  ).result();
}, 90_000);
afterAll(() => world.close());

/** What is to become of a step when its turn comes. */
type Fate = 'completes' | 'fails' | 'is approved' | 'is rejected';

interface Plot {
  steps: { kind: 'still' | 'large' | 'each' | 'collage'; of: number; outputs: number; fate: Fate }[];
  /** What happens meanwhile. */
  kill: 'nothing' | 'worker' | 'pipeline';
}

const plots: fc.Arbitrary<Plot> = fc.record({
  steps: fc.array(
    fc.record({
      kind: fc.constantFrom('still', 'large', 'each', 'collage'),
      of: fc.nat(100),
      outputs: fc.integer({ min: 1, max: 2 }),
      fate: fc.constantFrom<Fate>(
        'completes',
        'completes',
        'completes',
        'fails',
        'is approved',
        'is rejected',
      ),
    }),
    { minLength: 2, maxLength: 5 },
  ),
  kill: fc.constantFrom('nothing', ...KILLS),
});

/** The plot as a request; each step refers to one before it, if there is one. */
function requestOf({ steps }: Plot, id: string): PipelineRequest {
  const named: Record<string, PipelineStep> = {};
  for (const [index, { kind, of, outputs, fate }] of steps.entries()) {
    const source = `s${of % Math.max(index, 1)}`;
    const step: PipelineStep =
      index === 0 || kind === 'still'
        ? still(`${id} ${index}`, outputs)
        : kind === 'collage'
          ? {
              model: 'image-l',
              input: { prompt: `${id} ${index}`, image_urls: { $all: source }, n: outputs },
            }
          : large(kind === 'each' ? { $each: source } : { $from: source });
    const asks = fate === 'is approved' || fate === 'is rejected';
    named[`s${index}`] = { ...step, ...(asks ? { approve: true } : {}) };
  }
  return { policy: POLICY, steps: named, allowPartial: true };
}

function withoutQuestions(steps: PipelineRequest['steps']): PipelineRequest['steps'] {
  return Object.fromEntries(
    Object.entries(steps).map(([name, { model, input }]) => [name, { model, input }]),
  );
}

/** How each step has to end. */
function expected(plot: Plot, { steps }: PipelineRequest): Record<string, string> {
  const ends: Record<string, string> = {};
  for (const [index, [name, step]] of Object.entries(steps).entries()) {
    const fate = plot.steps[index]?.fate;
    const isStuck = stepsOf(findReferences(step.input, '').references).some(
      (need) => ends[need] !== 'COMPLETED',
    );
    ends[name] = isStuck || fate === 'is rejected' ? 'SKIPPED' : fate === 'fails' ? 'FAILED' : 'COMPLETED';
  }
  return ends;
}

/** How each step has ended; with why, where it should not have failed. */
function endsOf({ steps }: PipelineResult, wanted: Record<string, string>): Record<string, string> {
  const ends = Object.entries(steps).map(([name, step]) => {
    const items = 'items' in step ? step.items : [step];
    const failed = items.find(({ status }) => status === 'FAILED');
    if (failed?.status !== 'FAILED' || wanted[name] === 'FAILED') return [name, step.status];
    return [name, `${step.status}: ${failed.failure.type}: ${failed.failure.message}`];
  });
  return Object.fromEntries(ends) as Record<string, string>; // of texts
}

/** By generation, how often it was bought. */
function boughtBelow(pipelineId: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { workflow } of world.emulator.service().ledger.charges())
    if (workflow?.startsWith(`${pipelineId}/`) === true) counts[workflow] = (counts[workflow] ?? 0) + 1;
  return counts;
}

/** Answers every question as the plot says, until the pipeline is done. */
async function answerAll(plot: Plot, id: string, isDone: () => boolean): Promise<void> {
  while (!isDone()) {
    const { steps } = await latest(world, id).query(pipelineProgressQuery);
    for (const [name, { status }] of Object.entries(steps)) {
      if (status !== 'approval') continue;
      const rejects = plot.steps[Number(name.slice(1))]?.fate === 'is rejected';
      const update = rejects ? rejectUpdate : approveUpdate;
      await latest(world, id)
        .executeUpdate(update, { args: [{ step: name }] })
        .catch(() => undefined); // it was killed meanwhile: the next run asks again
    }
    await until(async () => {
      const { steps: now } = await latest(world, id).query(pipelineProgressQuery);
      return isDone() || JSON.stringify(now) !== JSON.stringify(steps);
    });
  }
}

/** Waits as long as the policy may: a submit whose worker is lost is given up after its heartbeat's time, and looked for. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const check = async (): Promise<void> => {
    if (!(await holds())) throw new Error('not yet');
  };
  await vi.waitFor(check, { timeout: patience(240_000), interval: 50 });
}

async function runToEnd(plot: Plot, request: PipelineRequest, id: string): Promise<PipelineResult> {
  await world.pipeline(request, id);
  const bought = (): number => Object.keys(boughtBelow(id)).length;
  const asksFirst = request.steps['s0']?.approve === true;
  if (plot.kill !== 'nothing' && !asksFirst) await until(() => bought() > 0);
  if (plot.kill === 'worker') {
    await world.stopWorker();
    await world.startWorker();
  }
  if (plot.kill === 'pipeline') {
    await latest(world, id)
      .terminate('a test')
      .catch(() => undefined); // it may have ended
    await world.pipeline(request, id);
  }
  let isDone = false;
  const result = latest(world, id)
    .result()
    .finally(() => {
      isDone = true;
    });
  await Promise.all([answerAll(plot, id, () => isDone), result]);
  return await result;
}

it('whatever the graph, failures, decisions and kills: what can run runs once, and a rerun buys what it said', {
  timeout: RUNS * 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(plots, async (drawn) => {
      // A pipeline that is started again buys again what had failed: that is another property.
      const fails = drawn.steps.some(({ fate }) => fate === 'fails');
      const plot: Plot = fails && drawn.kill === 'pipeline' ? { ...drawn, kill: 'nothing' } : drawn;
      const id = `pipeline/${randomUUID()}`;
      const request = requestOf(plot, id);
      const check = checkPipelineRequest(request, { models: {}, workspaces: new Map([['default', {}]]) });
      fc.pre(check.ok); // a collage takes four pictures at most
      for (const [index, { fate }] of plot.steps.entries()) {
        const match = { workflowIncludes: `${id}/s${index}` };
        if (fate === 'fails')
          world.fault({
            id: `${id}/s${index}`,
            on: 'task',
            match,
            fault: { kind: 'fail', code: 'INVALID_INPUT' },
          });
      }

      const result = await runToEnd(plot, request, id);
      const wanted = expected(plot, request);
      expect(endsOf(result, wanted)).toEqual(wanted);
      expect(Object.values(boughtBelow(id)).filter((count) => count !== 1)).toEqual([]);

      // Once more: nobody is asked, nothing fails.
      for (const index of plot.steps.keys()) world.emulator.service().faults.remove(`${id}/s${index}`);
      const again: PipelineRequest = { ...request, steps: withoutQuestions(request.steps), reuse: id };
      const files = new ClientFiles({ outputs: world.config.outputs });
      const plan = await planPipeline(world.client, again, new PriceBook(world.client, files));
      const rerun = await (await world.pipeline(again, `${id}-again`)).result();
      expect(rerun.status).toBe('COMPLETED');
      const bought = boughtBelow(`${id}-again`);
      expect(Object.keys(bought).sort()).toEqual(
        plan.generations
          .filter(({ action }) => action === 'buy')
          .map(({ path }) => `${id}-again/${path}`)
          .sort(),
      );
      expect(plan.unknownPrices).toBe(0);
      expect(rerun.charged.total).toBe(plan.credits);
      expect(creditsBelow(world, `${id}-again`)).toBe(plan.credits);
      const isKept = (name: string): boolean => expected(plot, request)[name] === 'COMPLETED';
      expect(Object.keys(bought).filter((path) => isKept(path.split('/')[2] ?? ''))).toEqual([]);
    }),
    {
      numRuns: RUNS,
      endOnFailure: true,
      ...(SEED === undefined ? {} : { seed: Number(SEED) }),
      ...(PATH === undefined || PATH === '' ? {} : { path: PATH }),
    },
  );
});
