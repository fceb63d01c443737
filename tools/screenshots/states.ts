import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Emulator, FaultRuleInput } from '../../emulator/src/index.ts';
import type { PipelineProgress, PipelineRequest } from '../../src/contract/pipeline.ts';
import { readLatestRun } from '../../src/temporal/latest-run.ts';
import { resetPoints, resetRun } from '../../src/temporal/reset-run.ts';
import { untilSo } from './until-so.ts';

/** Where the states are made. */
export interface Stage {
  client: Client;
  emulator: Emulator;
  taskQueue: string;
}

/** A run in some state: makes it, waits until it is in it, and tells its workflow id. */
type Make = (stage: Stage) => Promise<string>;

/** Nothing but what is made to happen happens while the pictures are taken. */
const CALM = {
  polling: { first: '2s', factor: 2, max: '1h' },
  reconcile: { wait: '1s', otherwise: 'ask' },
  retries: {
    INSUFFICIENT_CREDITS: { initial: '10m', max: '10m', window: '1d' },
    FAILED: { initial: '1s', resubmissions: 1 },
  },
};

/** The states of generations and pipelines that are pictured, by the names of their pictures. */
export const STATES: Readonly<Record<string, Make>> = {
  'generation-completed': async (stage) => {
    const id = await generate(stage, 'order-11', 'a red fox in snow');
    await stage.client.workflow.getHandle(id).result();
    return id;
  },
  'generation-waiting': async (stage) => {
    fault(stage, 'a slow river', { on: 'task', fault: { kind: 'hang' } });
    fault(stage, 'a slow river', { on: 'get', fault: { kind: 'error', code: 'UNAUTHORIZED' } });
    const id = await generate(stage, 'order-12', 'a slow river');
    await inTrouble(stage, id, 'waiting', /cannot read/);
    return id;
  },
  'generation-needs-a-decision': async (stage) => {
    fault(stage, 'a lost answer', { on: 'submit', times: 1, fault: { kind: 'lost-before' } });
    const id = await generate(stage, 'order-13', 'a lost answer');
    await inTrouble(stage, id, 'needs a decision');
    return id;
  },
  'generation-waiting-for-credits': async (stage) => {
    fault(stage, 'a golden hall', {
      on: 'submit',
      fault: { kind: 'error', code: 'INSUFFICIENT_CREDITS' },
    });
    const id = await generate(stage, 'order-14', 'a golden hall');
    await inTrouble(stage, id, 'parked', /available/);
    return id;
  },
  'generation-storing-is-held-up': async (stage) => {
    fault(stage, 'a stuck file', { on: 'file', fault: { kind: 'expired' } });
    const id = await generate(stage, 'order-15', 'a stuck file');
    await inTrouble(stage, id, 'storing', /not stored yet/);
    return id;
  },
  'generation-failed': async (stage) => {
    fault(stage, 'a broken mirror', { on: 'task', fault: { kind: 'fail', code: 'FAILED' } });
    return await ended(stage, await generate(stage, 'order-16', 'a broken mirror'));
  },
  'generation-adopted-by-a-reset': async (stage) => {
    const id = await ended(stage, await generate(stage, 'order-17', 'a tin robot'));
    await resetToFirst(stage, id);
    return await ended(stage, id);
  },
  'generation-cancelled': async (stage) => {
    fault(stage, 'a lonely tree', { on: 'task', fault: { kind: 'hang' } });
    const id = await generate(stage, 'order-18', 'a lonely tree');
    await inTrouble(stage, id, 'waiting');
    await stage.client.workflow.getHandle(id).cancel();
    return await ended(stage, id);
  },
  'pipeline-running': async (stage) => {
    fault(stage, 'a slow clip', { on: 'task', fault: { kind: 'hang' } });
    const id = await run(stage, 'film-21', {
      stills: { model: 'image-l', input: { prompt: 'three views of a harbour', n: 3 } },
      large: { model: 'upscale-q', input: { image_url: { $each: 'stills' } } },
      clip: { model: 'video-f', input: { prompt: 'a slow clip', first_frame_url: { $from: 'large' } } },
      voice: { model: 'speech-b', input: { text: 'The harbour at dawn.' } },
    });
    await stepIs(stage, id, 'clip', ({ status }) => status === 'running');
    return id;
  },
  'pipeline-waiting-for-approval': async (stage) => {
    const id = await run(stage, 'film-22', {
      still: { model: 'image-l', input: { prompt: 'a lighthouse at dawn' } },
      clip: {
        model: 'video-f',
        input: { prompt: 'slow zoom', first_frame_url: { $from: 'still' } },
        approve: true,
      },
    });
    await stepIs(stage, id, 'clip', ({ status }) => status === 'approval');
    return id;
  },
  'pipeline-held': async (stage) => {
    fault(stage, 'a forbidden zoom', { on: 'task', fault: { kind: 'fail', code: 'CONTENT_REJECTED' } });
    const id = await run(stage, 'film-23', {
      still: { model: 'image-l', input: { prompt: 'a lighthouse at noon' } },
      clip: {
        model: 'video-f',
        input: { prompt: 'a forbidden zoom', first_frame_url: { $from: 'still' } },
        onFailure: 'hold',
      },
    });
    await stepIs(stage, id, 'clip', ({ status }) => status === 'held');
    return id;
  },
  'pipeline-whose-step-waits-for-credits': async (stage) => {
    fault(stage, 'a costly zoom', {
      on: 'submit',
      fault: { kind: 'error', code: 'INSUFFICIENT_CREDITS' },
    });
    const id = await run(stage, 'film-24', {
      still: { model: 'image-l', input: { prompt: 'a lighthouse at night' } },
      clip: { model: 'video-f', input: { prompt: 'a costly zoom', first_frame_url: { $from: 'still' } } },
    });
    await stepIs(stage, id, 'clip', ({ needs }) => needs !== undefined);
    return id;
  },
  'pipeline-failed': async (stage) => {
    fault(stage, 'a broken zoom', { on: 'task', fault: { kind: 'fail', code: 'INVALID_INPUT' } });
    const id = await run(stage, 'film-25', {
      still: { model: 'image-l', input: { prompt: 'a lighthouse in fog' } },
      clip: { model: 'video-f', input: { prompt: 'a broken zoom', first_frame_url: { $from: 'still' } } },
      voice: { model: 'speech-b', input: { text: 'A lighthouse in fog.' } },
      mouth: { model: 'lip-sync-h', input: { video_url: { $from: 'clip' }, audio_url: { $from: 'voice' } } },
    });
    return await ended(stage, id);
  },
};

async function generate(stage: Stage, key: string, prompt: string): Promise<string> {
  const workflowId = `generation/${key}`;
  await stage.client.workflow.start('generation', {
    workflowId,
    taskQueue: stage.taskQueue,
    args: [{ model: 'image-l', input: { prompt }, policy: CALM }],
    staticSummary: `image-l: ${prompt}`,
  });
  return workflowId;
}

async function run(stage: Stage, key: string, steps: PipelineRequest['steps']): Promise<string> {
  const workflowId = `pipeline/${key}`;
  await stage.client.workflow.start('pipeline', {
    workflowId,
    taskQueue: stage.taskQueue,
    args: [{ steps, policy: CALM, budget: { credits: 2_000 } }],
    staticSummary: Object.values(steps)
      .map(({ model }) => model)
      .join(' → '),
  });
  return workflowId;
}

function fault({ emulator }: Stage, promptIncludes: string, rule: FaultRuleInput): void {
  emulator.service().faults.add({ ...rule, id: randomUUID(), match: { promptIncludes } });
}

async function ended({ client }: Stage, workflowId: string): Promise<string> {
  await client.workflow
    .getHandle(workflowId)
    .result()
    .catch(() => undefined);
  return workflowId;
}

async function inTrouble(stage: Stage, workflowId: string, state: string, trouble = /.*/): Promise<void> {
  const handle = stage.client.workflow.getHandle(workflowId);
  await untilSo(`${workflowId} to be ${state}`, async () => {
    const progress = await handle.query<{ state: string; trouble: string | null }>('progress');
    return progress.state === state && trouble.test(progress.trouble ?? '');
  });
}

async function stepIs(
  stage: Stage,
  workflowId: string,
  step: string,
  is: (step: PipelineProgress['steps'][string]) => boolean,
): Promise<void> {
  const handle = stage.client.workflow.getHandle(workflowId);
  await untilSo(`${step} of ${workflowId}`, async () => {
    const shown = (await handle.query<PipelineProgress>('progress')).steps[step];
    return shown !== undefined && is(shown);
  });
}

async function resetToFirst({ client }: Stage, workflowId: string): Promise<void> {
  const latest = await readLatestRun(client, workflowId);
  if (latest === undefined) throw new Error(`no ${workflowId}`);
  const run = { workflowId, runId: latest.runId };
  const [first] = await resetPoints(client, run);
  if (first === undefined) throw new Error(`${workflowId} cannot be reset yet`);
  await resetRun(client, run, first, 'its files were deleted');
}
