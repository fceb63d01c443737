import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Darkroom, startDarkroom } from '../../src/worker/start-darkroom.ts';
import { patience } from '../patience.ts';
import { FAST, image, openWorld, WEBHOOK_ONLY, type World } from '../workflows/world.ts';

const SILENT = { debug() {}, info() {}, warn() {} };

let world: World;
let darkroom: Darkroom;
beforeAll(async () => {
  world = await openWorld();
  await world.stopWorker();
  const config = { ...world.config, metrics: { host: '127.0.0.1', port: 0 } };
  darkroom = await startDarkroom(config, { worker: true, receiver: true, preflight: true, log: SILENT });
  const [endpoint] = world.emulator.service().endpoints.all();
  if (endpoint === undefined) throw new Error('the world has an endpoint');
  endpoint.url = darkroom.webhookUrl ?? '';
  world.emulator.service().endpoints.save(endpoint);
});
afterAll(async () => {
  await darkroom.stop();
  await world.close();
});

/** The samples by their names with labels. */
async function samples(): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(darkroom.metricsUrl ?? '')).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

/** How much each sample has grown by what `act` does. */
async function grown(names: readonly string[], act: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await samples();
  await act();
  const after = await samples();
  return Object.fromEntries(names.map((name) => [name, (after.get(name) ?? 0) - (before.get(name) ?? 0)]));
}

const CREDITS = 'darkroom_credits_total{workspace="default",model="image-l"}';
const attempts = (outcome: string, code = '') =>
  `darkroom_attempts_total{model="image-l",outcome="${outcome}",code="${code}"}`;
const submits = (outcome: string, code = '') => `darkroom_submits_total{outcome="${outcome}",code="${code}"}`;
const settled = (by: string) => `darkroom_settled_total{by="${by}"}`;

describe('the metrics count', () => {
  it('a generation: its submit, its attempt, its credits, who had told of its end, and how long it took', async () => {
    const result = 'darkroom_result_seconds_count{model="image-l"}';
    const wait = 'darkroom_submit_wait_seconds_count';
    const by = settled('webhook');
    const names = [submits('accepted'), attempts('completed'), CREDITS, by, result, wait];
    const counts = await grown(names, () => world.generate(image('one', WEBHOOK_ONLY)));
    expect(counts).toEqual({
      [submits('accepted')]: 1,
      [attempts('completed')]: 1,
      [CREDITS]: 8,
      [by]: 1,
      [result]: 1,
      [wait]: 1,
    });
    const ended = async () => (await samples()).get('darkroom_task_seconds_count');
    await expect.poll(ended, { timeout: patience(60_000) }).toBe(1);
  });

  it('what was found by polling, and when the last webhook came', async () => {
    world.loseWebhooks('unheard');
    const names = [settled('poll'), settled('webhook')];
    const counts = await grown(names, () => world.generate(image('unheard')));
    expect(counts).toEqual({ [settled('poll')]: 1, [settled('webhook')]: 0 });
    const at =
      (await samples()).get('darkroom_webhook_last_event_timestamp_seconds{workspace="default"}') ?? 0;
    expect(Math.abs(at * 1_000 - Date.now())).toBeLessThan(patience(600_000));
  });

  it('failed tasks by their codes, each with its credits', async () => {
    world.fault({
      on: 'task',
      match: { promptIncludes: 'forbidden' },
      fault: { kind: 'fail', code: 'CONTENT_REJECTED' },
    });
    const failed = attempts('failed', 'CONTENT_REJECTED');
    const handle = await world.start(image('forbidden'));
    const counts = await grown([failed, CREDITS], () => world.failureOf(handle));
    expect(world.bought(handle)).toHaveLength(1);
    expect(counts).toEqual({ [failed]: 1, [CREDITS]: 8 });
  });

  it('a submit that was rejected', async () => {
    const fault = { kind: 'error', code: 'INVALID_INPUT' } as const;
    world.fault({ on: 'submit', match: { promptIncludes: 'odd' }, times: 1, fault });
    const rejected = attempts('rejected', 'INVALID_INPUT');
    const refused = submits('rejected', 'INVALID_INPUT');
    const counts = await grown([refused, rejected], () => world.fail(image('odd')));
    expect(counts).toEqual({ [refused]: 1, [rejected]: 1 });
  });

  it('a lost answer: an unknown submit, its adopted task, and what that has cost', async () => {
    // Another test file's lost submit of the same words could be told of it.
    world.loseAnswer('lost and counted');
    const adoptions = 'darkroom_adoptions_total{model="image-l"}';
    const names = [submits('unknown'), adoptions, attempts('completed'), CREDITS];
    const counts = await grown(names, () => world.generate(image('lost and counted')));
    expect(counts).toEqual({
      [submits('unknown')]: 1,
      [adoptions]: 1,
      [attempts('completed')]: 1,
      [CREDITS]: 8,
    });
  });

  it('a Reset that takes its task over: no credits again', async () => {
    const handle = await world.start(image('once'));
    await handle.result();
    const counts = await grown([CREDITS, submits('accepted')], async () => {
      await world.client.workflowService.resetWorkflowExecution({
        namespace: world.client.options.namespace,
        workflowExecution: { workflowId: handle.workflowId },
        workflowTaskFinishEventId: 4 as never, // a number does as well as a Long
        requestId: randomUUID(),
        reason: 'a test',
      });
      await world.client.workflow.getHandle(handle.workflowId).result();
    });
    expect(counts).toEqual({ [CREDITS]: 0, [submits('accepted')]: 0 });
  });

  it('a question to a person, and the runs that wait for one', async () => {
    const fault = { kind: 'lost-before' } as const;
    world.fault({ on: 'submit', match: { promptIncludes: 'whose' }, times: 1, fault });
    const asked = 'darkroom_decisions_asked_total{model="image-l"}';
    const policy = { ...FAST, reconcile: { wait: '100ms', otherwise: 'ask' } };
    const handle = await world.start(image('whose', policy));
    const counts = await grown([asked], () => world.until(handle, 'needs a decision'));
    expect(counts[asked]).toBeLessThanOrEqual(1); // it may have come before
    expect((await samples()).get(asked)).toBe(1);
    await expect
      .poll(async () => (await samples()).get('darkroom_runs{state="needs a decision"}'), {
        timeout: patience(60_000),
        interval: 1_000,
      })
      .toBe(1);
    await handle.terminate();
  });

  it('nothing that a request names otherwise than by configured and known names', async () => {
    await world.fail({ model: 'image-l', input: { prompt: 'x' }, workspace: 'no such', policy: FAST });
    await world.fail({ model: 'made up', input: {}, policy: FAST });
    const text = [...(await samples()).keys()].join('\n');
    expect(text).not.toMatch(/no such|made up/);
  });
});
