import { randomUUID } from 'node:crypto';
import proto from '@temporalio/proto';
import * as fc from 'fast-check';
import pLimit from 'p-limit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EntityKind, entityId } from '../../../src/contract/workflow-ids.ts';
import type { HistoryEvent } from '../../../src/temporal/history.ts';
import { FAST, image, openWorld, type World } from '../world.ts';

const TIME_IS_UP =
  proto.temporal.api.enums.v1.WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_FORCE_CLOSE_COMMAND;

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** Starts of each workflow type: `STARTS=150` for a thousand in all. */
const STARTS = Number(process.env['STARTS'] ?? 12);

const usage = { total: 1, subscription: 1, permanent: 0 };
const steps = {
  one: { model: 'image-l', input: { prompt: 'x' } },
  two: { model: 'upscale-q', input: { image_url: { $from: 'one' } }, onFailure: 'hold' },
};
const rate = {
  known: 1,
  isFirst: true,
  growsSince: 1,
  loweredAt: 1,
  floor: 1,
  recent: [{ at: 1, accepted: 1, refused: 1 }],
};
const pace = {
  pacedBy: 'queue',
  settlingSince: 1,
  pausedUntil: 1,
  rate,
  reporters: { a: 1 },
  accepted: 1,
  refused: 1,
};
const look = { initial: 1_000, factor: 2, max: 60_000 };
const entry = ['generation/a', 'park', null, 1, 8, null, 0];

/** What each workflow might be started with, by whoever knows it well. */
const RIGHT: Readonly<Record<string, readonly unknown[]>> = {
  generation: [
    { ...image('random'), policy: FAST, tags: { a: 'b' }, templateId: 'tpl_a', workspace: 'default' },
    { stage: { kind: 'buy' }, input: {}, attempts: [], check: {}, usage },
  ],
  pipeline: [
    { steps, params: { city: 'Oslo' }, policy: FAST, budget: { credits: 5 }, allowPartial: true },
    { settled: [], done: {}, spent: 1 },
  ],
  batch: [
    { pipeline: { steps }, pages: [], concurrency: 2, budget: { credits: 1 }, again: true },
    { page: 0 },
  ],
  batchRows: [{ workspace: 'default', rows: [{ id: 'a', values: { city: 'Oslo' }, digest: 'x' }] }],
  submitPace: [{ workspace: '', pace }],
  creditGate: [{ workspace: '', entries: [entry], pace: look }],
  unclaimedTasks: [
    { workspace: '', granted: [['a', 'b']], models: {}, clock: {}, limits: { maxHistory: 5 } },
    {},
  ],
};
const ENTITIES: Readonly<Record<string, EntityKind>> = {
  submitPace: 'submit-pace',
  creditGate: 'credit-gate',
  unclaimedTasks: 'unclaimed-tasks',
};

const STRANGE: readonly unknown[] = [
  null,
  { toString: 2 },
  [],
  {},
  [[[]]],
  -0.5,
  1e308,
  '',
  '\ud800',
  true,
  { length: 5 },
  { constructor: null },
  { hasOwnProperty: 1 },
  ['a', null, { toJSON: 3 }],
];

const odd = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  fc.constantFrom<unknown>(...STRANGE),
  fc.integer({ min: 1, max: 3 }).map((times) => 'x'.repeat(300_000 * times)),
  fc.integer({ min: 10, max: 3_000 }).map((depth) => {
    let nested: unknown = 'deep';
    for (let level = 0; level < depth; level += 1) nested = level % 2 === 0 ? [nested] : { a: nested };
    return nested;
  }),
);

/** The value with something odd at one place. */
function withOdd(value: unknown, at: readonly number[], instead: unknown): unknown {
  const [first = 0, ...rest] = at;
  if (typeof value !== 'object' || value === null || at.length === 0) return instead;
  const fields = Object.entries(value);
  const place = first % (fields.length + 1);
  const changed = fields.map(([name, one], index) => [
    name,
    index === place ? withOdd(one, rest, instead) : one,
  ]);
  if (place === fields.length) changed.push([Array.isArray(value) ? String(place) : 'odd', instead]);
  return Array.isArray(value) ? changed.map(([, one]) => one) : Object.fromEntries(changed);
}

/** A workflow task that failed, not by the server: that fails the one that is open when a run's time is up. */
const isOurs = ({ workflowTaskFailedEventAttributes: failed }: HistoryEvent): boolean =>
  failed != null && failed.cause !== TIME_IS_UP;

const places = fc.array(fc.nat(20), { minLength: 1, maxLength: 5 });

it.each(Object.keys(RIGHT))('no %s spins, whatever it is started with', async (type) => {
  const right = RIGHT[type] ?? [];
  const starts = fc.sample(fc.tuple(fc.boolean(), places, odd), { numRuns: STARTS, seed: 26 });
  const limit = pLimit(20);
  const spin: string[] = [];
  const start = async ([alone, at, instead]: (typeof starts)[number]): Promise<void> => {
    const kind = ENTITIES[type];
    const workspace = `w-${randomUUID()}`;
    const { taskQueue } = world.config;
    const [first, ...others] = right;
    const own = kind === undefined ? first : { ...(first as object), workspace };
    const args = withOdd(alone ? [own] : [own, ...others], at, instead);
    const handle = await world.client.workflow.start(type, {
      taskQueue,
      workflowId: kind === undefined ? `${type}/${randomUUID()}` : entityId(kind, workspace, taskQueue),
      args: args as unknown[], // a list stays one
      workflowExecutionTimeout: '5 seconds',
    });
    await handle.result().catch(() => undefined);
    const { events = [] } = await handle.fetchHistory();
    const failed = events?.find(isOurs);
    const why = failed?.workflowTaskFailedEventAttributes?.failure?.message;
    if (failed !== undefined) spin.push(`${why}: ${JSON.stringify(args).slice(0, 300)}`);
  };
  await Promise.all(starts.map((one) => limit(() => start(one))));
  expect(spin).toEqual([]);
});
