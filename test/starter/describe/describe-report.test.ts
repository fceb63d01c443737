import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Usage } from '../../../src/api/records/usage.ts';
import type { BatchProgress } from '../../../src/contract/batch.ts';
import type { Attempt, GenerationOutput, GenerationResult } from '../../../src/contract/generation.ts';
import type { PipelineProgress, PipelineResult, StepFailure } from '../../../src/contract/pipeline.ts';
import { describeReport, type RunReport } from '../../../src/starter/describe/describe-report.ts';

const NONE: Usage = { total: 0, subscription: 0, permanent: 0 };
const usage = (total: number): Usage => ({ total, subscription: total - 1, permanent: 1 });
const attempt = (more: Partial<Attempt> = {}): Attempt => ({
  taskId: 'task-1',
  outcome: 'completed',
  code: null,
  usage: usage(8),
  settledBy: 'webhook',
  adopted: false,
  ...more,
});
const output = (more: Partial<GenerationOutput>): GenerationOutput => ({
  url: 'https://files.example/a',
  contentType: 'image/png',
  width: 16,
  height: 9,
  duration: null,
  stored: { uri: 's3://b/a.png', bytes: 1_234, sha256: '' },
  ...more,
});
const MADE: GenerationResult = {
  taskId: 'task-1',
  model: 'image-l',
  status: 'COMPLETED',
  data: null,
  outputs: [output({}), output({ contentType: null, width: null, duration: 5.126 })],
  usage: usage(8),
  charged: usage(8),
  attempts: [attempt()],
};
const failure = (type: string, message: string, details: unknown): StepFailure => ({
  type,
  message,
  details,
});

const PIPELINE: PipelineResult = {
  status: 'PARTIAL',
  usage: usage(8),
  charged: usage(8),
  steps: {
    a: { status: 'COMPLETED', workflowId: 'p/a', result: MADE },
    r: { status: 'COMPLETED', workflowId: 'p/r', result: { ...MADE, outputs: [] }, reused: true },
    b: {
      status: 'FAILED',
      workflowId: null,
      items: [
        {
          status: 'FAILED',
          workflowId: 'p/b/0',
          failure: failure('FAILED', 'no', {
            attempts: [attempt({ outcome: 'failed' }), attempt({ taskId: null, outcome: 'unknown' })],
            usage: usage(8),
          }),
        },
        { status: 'SKIPPED', workflowId: null, failure: failure('SKIPPED', 'because', null) },
      ],
    },
    c: { status: 'FAILED', workflowId: 'p/c', failure: failure('FAILED', 'odd', null) },
  },
};
const STEPS: PipelineProgress = {
  omitted: 2,
  usage: NONE,
  steps: {
    a: { status: 'done', model: 'image-l', workflowIds: ['p/a'], outcome: 'COMPLETED', credits: 8 },
    b: { status: 'pending', model: 'image-l', workflowIds: [] },
    r: { status: 'pending', model: 'image-l', workflowIds: [], note: 'waits for room' },
    c: { status: 'approval', model: 'video-f', workflowIds: [], note: 'costs 40' },
    d: { status: 'held', model: 'video-f', workflowIds: ['p/d'], note: 'FAILED: no' },
    e: { status: 'running', model: 'video-f', workflowIds: ['p/e/0', 'p/e/1'], needs: 'parked', note: 'why' },
    f: { status: 'running', model: 'video-f', workflowIds: ['p/f'], needs: 'parked' },
    g: { status: 'running', model: 'video-f', workflowIds: ['p/g'] },
  },
};
const BATCH: BatchProgress = {
  rows: 9,
  completed: 1,
  failed: 2,
  running: [3, 4],
  next: 5,
  startedAt: '2026-01-01T12:00:00Z',
  refused: 1,
  usage: usage(8),
  moreAttention: 2,
  attention: [
    { workflowId: 'batch/a/1', state: 'approval', step: 'clip', asks: 'approval', note: 'costs 40' },
    { workflowId: 'batch/a/2', state: 'needs a decision' },
  ],
};

const REPORT: RunReport = {
  workflowId: 'generation/a',
  runId: 'run-1',
  type: 'generation',
  status: 'RUNNING',
  summary: null,
  startedAt: '2026-01-01T12:00:00Z',
  closedAt: null,
  timeline: [],
  webUi: null,
  progress: null,
  details: null,
  result: null,
  failure: null,
};

beforeEach(() => void vi.stubGlobal('process', { ...process, stdout: {}, stderr: {} }));
afterEach(() => void vi.unstubAllGlobals());

/** What is said of it below its first three lines; of tables the cells alone. */
function saidOf(more: Partial<RunReport>, silence?: string): string {
  const lines = describeReport({ ...REPORT, ...more }, silence)
    .split('\n')
    .slice(3);
  const texts = lines.filter((line) => !/^[┌├└]/.test(line));
  return texts.map((line) => line.replace(/ *│ */g, '|')).join('\n');
}

it('a report begins with the run, and has what has happened', () => {
  const timeline = [
    { at: '2026-01-01T12:00:00Z', what: 'started' },
    { at: '2026-01-01T12:01:01Z', what: 'submitted\nonce' },
  ];
  const closedAt = '2026-01-01T12:02:00Z';
  const more = { status: 'TIMED_OUT', summary: 'a\nfox', webUi: 'http://ui', closedAt, timeline };
  expect(
    describeReport({ ...REPORT, ...more }, 'no worker answers'),
  ).toBe(`generation/a (generation): timed out
  a fox
  started 2026-01-01T12:00:00Z, closed 2026-01-01T12:02:00Z
  run run-1
  http://ui

       +0.0 s  started
  +1 min 01 s  submitted once

no worker answers`);
  expect(describeReport(REPORT, undefined)).toBe(`generation/a (generation): running
  started 2026-01-01T12:00:00Z
  run run-1`);
});

it('of many moments a report has the first ten and the last thirty', () => {
  const timeline = (length: number) =>
    Array.from({ length }, (_, index) => ({ at: '2026-01-01T12:00:00Z', what: `m${index}` }));
  const lines = saidOf({ timeline: timeline(41) }).split('\n');
  expect(lines.slice(10, 13).map((line) => line.trim())).toEqual([
    '+0.0 s  m9',
    '… 1 more; --json has all of them',
    '+0.0 s  m11',
  ]);
  expect(lines).toHaveLength(43);
  expect(saidOf({ timeline: timeline(40) })).not.toContain('more');
});

it.each<[what: string, more: Partial<RunReport>, said: string]>([
  [
    'files and their cost',
    { result: MADE },
    `image-l: task task-1 completed, 8 credits (subscription 7, permanent 1), 1 attempt
|file|type|size|bytes|
|s3://b/a.png|image/png|16 × 9|1.2 kB|
|s3://b/a.png||5.13 s|1.2 kB|`,
  ],
  [
    'what was tried',
    {
      result: {
        ...MADE,
        outputs: [],
        usage: usage(16),
        attempts: [
          attempt({ outcome: 'failed', code: 'IMAGE_FAILED', settledBy: 'poll' }),
          attempt({ taskId: null, outcome: 'unknown', usage: NONE, settledBy: null, adopted: true }),
        ],
      },
    },
    `image-l: task task-1 completed, 16 credits (subscription 15, permanent 1), 8 of them charged by this run, 2 attempts
No files.
|attempt|task|outcome|code|credits|settled by|
|1|task-1|failed|IMAGE_FAILED|8|poll|
|2|– (adopted)|unknown||0||`,
  ],
  [
    'which fields were wrong',
    {
      failure: failure('INVALID_REQUEST', 'x', {
        attempts: [],
        usage: NONE,
        errors: [{ path: 'input.prompt', message: 'must be\ntext' }],
      }),
    },
    `INVALID_REQUEST: the request is invalid
  input.prompt must be text
Spent: no credits
Next: Correct the named fields, and start it again, under any id.`,
  ],
  [
    'what a cancelled run has left',
    {
      failure: failure('CANCELLED', 'by\nhand', {
        attempts: [attempt()],
        taskId: 'task-2',
        usage: usage(8),
        charged: NONE,
      }),
    },
    `CANCELLED: by hand
|attempt|task|outcome|code|credits|settled by|
|1|task-1|completed||8|webhook|
Left at the API: task task-2
Spent: 8 credits (subscription 7, permanent 1), none of them charged by this run
Next: Try again to take its task over: nothing is bought twice.
  npm run starter -- retry generation/a`,
  ],
  [
    'a failure that tells nothing more',
    { failure: failure('X', 'y', null) },
    `X: y
Spent: unknown
Next: Try again: a new task is bought.
  npm run starter -- retry generation/a`,
  ],
  [
    'the steps of a pipeline',
    { type: 'pipeline', failure: failure('STEP_FAILED', 'step b failed', PIPELINE) },
    `STEP_FAILED: step b failed
|step|status|task|attempts|credits|size|
|a (image-l)|completed|task-1|1|8|16 × 9|
||||||5.13 s|
|r (image-l)|reused|task-1|0|0||
|b/0|failed|task-1|2|8||
|||(unknown)||||
|b/1|skipped|||||
|c|failed|||||
b/0 failed: FAILED: no
b/1 skipped: because
c failed: FAILED: odd
s3://b/a.png
s3://b/a.png
Pipeline partial, 8 credits (subscription 7, permanent 1), 3 attempts
Next: Try again: completed steps are taken over, and tasks that may still come to a result; what has failed is bought again.
  npm run starter -- retry generation/a`,
  ],
  [
    'how the steps of a pipeline stand, and what they wait for',
    { type: 'pipeline', progress: STEPS },
    `|step|model|state|credits|workflow|
|a|image-l|completed|8|p/a|
|b|image-l|waiting for its inputs|||
|r|image-l|waits for room|||
|c|video-f|approval|||
|d|video-f|held||p/d|
|e|video-f|parked||p/e/0|
|||||p/e/1|
|f|video-f|parked||p/f|
|g|video-f|running||p/g|
and 2 more steps
c: costs 40
  npm run starter -- decide generation/a approve --step c
  npm run starter -- decide generation/a reject --step c
d: FAILED: no
  npm run starter -- decide generation/a retry --step d
  npm run starter -- decide generation/a skip --step d
  npm run starter -- decide generation/a fail --step d
e: parked: why
  npm run starter -- show p/e/0
f: parked
  npm run starter -- show p/f
So far no credits`,
  ],
  [
    'what a generation waits for',
    {
      progress: {
        state: 'waiting',
        taskId: 'task-1',
        attempts: [],
        usage: NONE,
        nextPollAt: '2026-01-01T12:00:05Z',
        trouble: 'the API\nis away',
      },
    },
    `generation/a: waiting for task task-1; next poll at 2026-01-01T12:00:05Z
  the API is away
  npm run starter -- check generation/a
So far no credits, 0 attempts ended`,
  ],
  [
    'what a person may decide',
    {
      progress: {
        state: 'needs a decision',
        taskId: null,
        attempts: [attempt()],
        usage: usage(8),
        nextPollAt: null,
        trouble: null,
      },
    },
    `generation/a: needs a decision
  npm run starter -- decide generation/a resubmit
  npm run starter -- decide generation/a adopt --task <task id>
  npm run starter -- decide generation/a fail
|attempt|task|outcome|code|credits|settled by|
|1|task-1|completed||8|webhook|
So far 8 credits (subscription 7, permanent 1), 1 attempt ended`,
  ],
  [
    'how the rows of a batch stand',
    { type: 'batch', progress: BATCH },
    `1 of 9 rows completed, 2 failed, 2 running
1 not started: the budget does not admit them
batch/a/1: approval: costs 40
  npm run starter -- decide batch/a/1 approve --step clip
  npm run starter -- decide batch/a/1 reject --step clip
batch/a/2: needs a decision
  npm run starter -- show batch/a/2
and 2 more rows that need a look
So far 8 credits`,
  ],
  [
    'how a batch has ended',
    {
      result: {
        status: 'PARTIAL',
        rows: 9,
        completed: 5,
        failed: 3,
        refused: 1,
        usage: usage(8),
        charged: usage(4),
        known: { begun: '', completed: '' },
      },
    },
    '5 of 9 rows completed; 3 failed (the same command with --retry-failed runs once more those whose runs are still there); 1 not started: the budget does not admit them; 8 credits, 4 of them now',
  ],
  [
    'how a batch is done',
    {
      result: {
        status: 'COMPLETED',
        rows: 9,
        completed: 9,
        failed: 0,
        refused: 0,
        usage: usage(8),
        charged: usage(8),
        known: { begun: '', completed: '' },
      },
    },
    '9 of 9 rows completed; 8 credits',
  ],
])('a report tells %s', (_, more, said) => {
  expect(saidOf(more)).toBe(said);
});

it('where there is no room for a table each file and each step has its lines', () => {
  vi.stubGlobal('process', { ...process, stdout: { isTTY: true, columns: 20 } });
  expect(saidOf({ result: MADE })).toContain(`
s3://b/a.png
  image/png, 16 × 9, 1.2 kB
s3://b/a.png
  5.13 s, 1.2 kB`);
  expect(saidOf({ failure: failure('STEP_FAILED', 'step b failed', PIPELINE) })).toContain(`
a (image-l): completed, 1 attempt, 8 credits, 16 × 9; 5.13 s
  task-1
r (image-l): reused, 0 attempts, 0 credits
  task-1
b/0: failed, 2 attempts, 8 credits
  task-1
  (unknown)
b/1: skipped
c: failed
`);
});
