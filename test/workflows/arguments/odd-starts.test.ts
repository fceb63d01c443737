import { randomUUID } from 'node:crypto';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entityId } from '../../../src/contract/workflow-ids.ts';
import { eventually, FAST, image, openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const HUGE = 'x'.repeat(900_000);
/** A template literal throws over it. */
const NO_TEXT = { toString: 2 };
/** None of them is what a field of a workflow's argument takes. */
const ODD = [null, -1.5, HUGE, NO_TEXT, [NO_TEXT], [[]]];
/** Which field is odd, and how. */
const inWords = (value: unknown): string =>
  (JSON.stringify(value) ?? 'nothing').replace(HUGE, 'huge').slice(-200);

interface Start {
  id: string;
  args: unknown[];
}

/** Fields that take values by any names. */
const TABLES = new Set(['params', 'values', 'limits']);

/** The argument with each of its fields odd, and odd ones in its place. */
function oddOnes(right: object, fields: readonly string[]): unknown[] {
  return [...ODD, {}, ...fields.flatMap((field) => oddFields(right, field))];
}

function oddFields(right: object, field: string): unknown[] {
  return ODD.filter((odd) => odd !== NO_TEXT || !TABLES.has(field)).map((odd) => ({
    ...right,
    [field]: odd,
  }));
}

const seconds = (right: unknown): unknown[][] =>
  [-1.5, 'x', {}, [], { toString: 2 }].map((odd) => [right, odd]);

/** A start under an id of its own for each list of arguments. */
function numbered(kind: string, each: unknown[][]): Start[] {
  return each.map((args) => ({ id: `${kind}/${randomUUID()}`, args }));
}

/** An entity's id is its workspace's. */
function ofEntity(kind: Parameters<typeof entityId>[0], fields: readonly string[], name: string): Start[] {
  const { taskQueue } = world.config;
  const starts: Start[] = [...ODD, {}].map((odd) => ({ id: `${kind}/${randomUUID()}`, args: [odd] }));
  for (const field of fields)
    for (const odd of [...ODD, {}, []]) {
      const workspace = `w-${randomUUID()}`;
      starts.push({ id: entityId(kind, workspace, taskQueue), args: [{ workspace, [field]: odd }] });
    }
  // For another workspace than that of its id.
  starts.push({ id: entityId(kind, name, taskQueue), args: [{ workspace: 'default' }] });
  return starts;
}

/** Those of the starts that end in another way. */
async function ends(type: string, starts: readonly Start[]): Promise<string[]> {
  const limit = pLimit(20);
  const others: string[] = [];
  await Promise.all(
    starts.map(({ id, args }) =>
      limit(async () => {
        const { taskQueue } = world.config;
        const handle = await world.client.workflow.start(type, {
          taskQueue,
          workflowId: id,
          args,
          workflowExecutionTimeout: '1 minute',
        });
        const end = await handle.result().catch((error: unknown) => error);
        const cause = end instanceof WorkflowFailedError ? end.cause : end;
        const told = cause instanceof ApplicationFailure ? (cause.type ?? '') : String(cause);
        if (told !== 'INVALID_REQUEST') others.push(`${args.map(inWords).join(', ')}: ${told}`);
      }),
    ),
  );
  return others;
}

const steps = { only: { model: 'image-l', input: { prompt: 'x' } } };

describe('a workflow that is started with anything ends with INVALID_REQUEST', () => {
  it('generation', async () => {
    const fields = ['model', 'input', 'workspace', 'policy', 'templateId', 'earlierRun', 'adoptOnly', 'tags'];
    const right = image('odd');
    const firsts = oddOnes(right, fields).map((one) => [one]);
    expect(await ends('generation', numbered('generation', [[], ...firsts, ...seconds(right)]))).toEqual([]);
  });

  it('pipeline', async () => {
    const fields = ['steps', 'params', 'workspace', 'policy', 'tags', 'budget', 'reuse', 'allowPartial'];
    const right = { steps, policy: FAST };
    const firsts = oddOnes(right, fields).map((one) => [one]);
    const inSteps = oddOnes(steps.only, ['model', 'input']).map((only) => [{ steps: { only } }]);
    const all = [[], ...firsts, ...inSteps, ...seconds(right)];
    expect(await ends('pipeline', numbered('pipeline', all))).toEqual([]);
  });

  it('batch', async () => {
    const fields = ['pipeline', 'pages', 'concurrency', 'budget', 'retryFailed', 'again'];
    const right = { pipeline: { steps }, pages: [] };
    const firsts = oddOnes(right, fields).map((one) => [one]);
    const inPipeline = ['params', 'workspace', 'budget'].flatMap((field) =>
      oddFields({ steps }, field).map((pipeline) => [{ ...right, pipeline }]),
    );
    const tooLarge = { ...right, pipeline: { steps, params: { all: 'x'.repeat(1_000_001) } } };
    const all = [[], [tooLarge], ...firsts, ...inPipeline, ...seconds(right)];
    expect(await ends('batch', numbered('batch', all))).toEqual([]);
  });

  it('batchRows', async () => {
    const row = { id: 'a', values: {}, digest: 'x' };
    const inRows = oddOnes(row, ['id', 'values', 'digest']).map((one) => ({ workspace: 'x', rows: [one] }));
    const pages = [...oddOnes({ workspace: 'x', rows: [] }, ['workspace', 'rows']), ...inRows];
    const all = [[], ...pages.map((page) => [page])];
    expect(await ends('batchRows', numbered('batchRows', all))).toEqual([]);
  });

  it('submitPace', async () => {
    expect(await ends('submitPace', ofEntity('submit-pace', ['workspace', 'pace'], 'pace'))).toEqual([]);
  });

  it('creditGate', async () => {
    const fields = ['workspace', 'entries', 'pace'];
    expect(await ends('creditGate', ofEntity('credit-gate', fields, 'gate'))).toEqual([]);
  });

  it('unclaimedTasks', async () => {
    const fields = ['workspace', 'granted', 'models', 'clock', 'counts'];
    const starts = ofEntity('unclaimed-tasks', fields, 'tasks');
    for (const odd of ODD) {
      const [one, other] = [`w-${randomUUID()}`, `w-${randomUUID()}`];
      const idOf = (workspace: string) => entityId('unclaimed-tasks', workspace, world.config.taskQueue);
      starts.push({ id: idOf(one), args: [{ workspace: one, limits: { maxHistory: odd } }] });
      if (odd !== null) starts.push({ id: idOf(other), args: [{ workspace: other }, odd] });
    }
    expect(await ends('unclaimedTasks', starts)).toEqual([]);
  });
});

describe('what a run would hand to its next one', () => {
  const usage = { total: 0, subscription: 0, permanent: 0 };
  const task = { taskId: 'a-task', usage, adopted: false };
  const handedOn = {
    stage: { kind: 'store', task, storing: {} },
    check: { ok: true, family: 'image', takesSeed: true, policy: {} },
    input: {},
    attempts: [],
    resolvedUnknowns: [],
    ended: [],
    grants: [],
  };

  it('counts for no run that Temporal starts again, by a schedule or a retry policy', async () => {
    const { taskQueue } = world.config;
    const workflowId = `generation/${randomUUID()}`;
    await world.client.workflow.start('generation', {
      taskQueue,
      workflowId,
      args: [image('by a schedule'), handedOn],
      cronSchedule: '@every 1s',
    });
    const handle = world.client.workflow.getHandle(workflowId);
    const { runId: first } = await handle.describe();
    /** The run's events, once it has ended or cannot. */
    const settled = async (runId: string) =>
      await eventually(async () => {
        const { events = [] } = await world.client.workflow.getHandle(workflowId, runId).fetchHistory();
        const last = events?.find(
          (event) => event.workflowExecutionFailedEventAttributes ?? event.workflowTaskFailedEventAttributes,
        );
        expect(last).toBeDefined();
        return last;
      });
    const ended = (await settled(first))?.workflowExecutionFailedEventAttributes;
    expect(ended?.failure?.applicationFailureInfo?.type).toBe('INVALID_REQUEST');
    const next = (await settled(ended?.newExecutionRunId ?? ''))?.workflowExecutionFailedEventAttributes;
    await handle.terminate('a test');
    expect(next?.failure?.applicationFailureInfo?.type).toBe('INVALID_REQUEST');
  });
});
