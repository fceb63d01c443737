import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NO_USAGE } from '../../../src/api/records/usage.ts';
import type { Attempt, GenerationResult, Progress } from '../../../src/contract/generation.ts';
import type { PipelineResult, StepProgress, StepResult } from '../../../src/contract/pipeline.ts';
import { modelsOf, WatchLines } from '../../../src/starter/follow/watch-lines.ts';
import type { StepLine } from '../../../src/terminal/step-line.ts';

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 0, 1), toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const starter = (words: string): string => `npm run starter -- ${words}`;
const line = (more: Partial<StepLine>): StepLine => ({
  name: 'a',
  model: 'image-l',
  state: 'running',
  note: '',
  ...more,
});

describe('the line of a step', () => {
  const of = (step: Partial<StepProgress>): StepLine[] =>
    new WatchLines().ofPipeline(
      {
        steps: { a: { status: 'running', model: 'image-l', workflowIds: ['p/a'], ...step } },
        usage: NO_USAGE,
      },
      'p',
    );

  it.each<[what: string, step: Partial<StepProgress>, line: Partial<StepLine>]>([
    ['pending', { status: 'pending' }, { state: 'pending', note: 'waiting for its inputs' }],
    [
      'pending, and why',
      { status: 'pending', note: 'waits for room' },
      { state: 'pending', note: 'waits for room' },
    ],
    [
      'for approval',
      { status: 'approval', note: 'costs 40' },
      {
        state: 'attention',
        note: 'costs 40',
        commands: [starter('decide p approve --step a'), starter('decide p reject --step a')],
      },
    ],
    [
      'held',
      { status: 'held' },
      {
        state: 'attention',
        note: 'held',
        commands: ['retry', 'skip', 'fail'].map((action) => starter(`decide p ${action} --step a`)),
      },
    ],
    ['done', { status: 'done' }, { state: 'done', note: 'done', elapsed: undefined }],
    [
      'completed',
      { status: 'done', outcome: 'COMPLETED' },
      { state: 'done', note: 'completed', elapsed: undefined },
    ],
    [
      'in part',
      { status: 'done', outcome: 'PARTIAL' },
      { state: 'attention', note: 'partial', elapsed: undefined },
    ],
    [
      'failed',
      { status: 'done', outcome: 'FAILED' },
      { state: 'failed', note: 'failed', elapsed: undefined },
    ],
    [
      'skipped',
      { status: 'done', outcome: 'SKIPPED' },
      { state: 'skipped', note: 'skipped', elapsed: undefined },
    ],
    ['running', {}, { note: 'running', elapsed: 0 }],
    ['fanned out', { workflowIds: ['p/a/0'], more: 1 }, { note: '2 generations', elapsed: 0 }],
    [
      'that needs a look',
      { needs: 'needs a decision', workflowIds: ['p/a/0', 'p/a/1'] },
      { state: 'attention', note: 'needs a decision', elapsed: 0, commands: [starter('show p/a/0')] },
    ],
    [
      'that needs a look, and why',
      { needs: 'parked', note: 'no credits' },
      { state: 'attention', note: 'parked: no credits', elapsed: 0, commands: [starter('show p/a')] },
    ],
    [
      'that waits for its budget',
      { needs: 'waiting for its budget', note: '9 credits' },
      { note: 'waiting for its budget: 9 credits', elapsed: 0 },
    ],
  ])('%s', (_, step, expected) => {
    expect(of(step)).toEqual([line(expected)]);
  });

  it('has the time since it was seen first, and at its end the time that it took', () => {
    const lines = new WatchLines();
    const seen = (status: StepProgress['status']): number | undefined => {
      const step = { status, model: 'image-l', workflowIds: [] };
      const [shown] = lines.ofPipeline({ steps: { a: step }, usage: NO_USAGE }, 'p');
      vi.setSystemTime(Date.now() + 1_000);
      return shown?.elapsed;
    };
    expect([seen('pending'), seen('running'), seen('running'), seen('done'), seen('done')]).toEqual([
      undefined,
      0,
      1_000,
      2_000,
      2_000,
    ]);
  });
});

it('at its end a pipeline has a line for each step, with what became of it', () => {
  const made: GenerationResult = {
    taskId: 't',
    model: 'image-l',
    status: 'COMPLETED',
    data: null,
    outputs: [],
    usage: NO_USAGE,
    charged: NO_USAGE,
    attempts: [],
  };
  const done: StepResult = { status: 'COMPLETED', workflowId: 'p/a', result: made };
  const failure = { type: 'FAILED', message: 'no', details: null };
  const steps: PipelineResult['steps'] = {
    a: done,
    r: { ...done, reused: true },
    f: { status: 'FAILED', workflowId: 'p/f', failure },
    o: {
      status: 'PARTIAL',
      workflowId: null,
      items: [done, { status: 'SKIPPED', workflowId: null, failure }],
    },
  };
  const models = modelsOf({
    steps: { a: { status: 'done', model: 'image-l', workflowIds: [] } },
    usage: NO_USAGE,
  });
  expect(models).toEqual({ a: 'image-l' });
  expect(new WatchLines().endOfPipeline(steps, models)).toEqual([
    line({ state: 'done', note: 'completed', elapsed: undefined }),
    line({
      name: 'r',
      model: '',
      state: 'done',
      note: 'taken from the earlier pipeline',
      elapsed: undefined,
    }),
    line({ name: 'f', model: '', state: 'failed', note: 'failed: no', elapsed: undefined }),
    line({ name: 'o', model: '', state: 'attention', note: '1 of 2 completed', elapsed: undefined }),
  ]);
});

describe('the line of a generation', () => {
  const attempt: Attempt = {
    taskId: null,
    outcome: 'rejected',
    code: null,
    usage: NO_USAGE,
    settledBy: null,
    adopted: false,
  };
  const progress: Progress = {
    state: 'submitting',
    taskId: 'task-1',
    attempts: [],
    usage: NO_USAGE,
    nextPollAt: null,
    trouble: null,
  };
  const check = starter('check generation/1');

  it.each<[Partial<Progress>, Partial<StepLine>]>([
    [{}, { note: 'submitting' }],
    [{ trouble: 'the API is away' }, { note: 'the API is away' }],
    [{ trouble: 'away', attempts: [attempt] }, { note: 'submitting again, attempt 2' }],
    [{ state: 'waiting' }, { note: 'waiting for task task-1' }],
    [
      { state: 'waiting', trouble: 'away' },
      { note: 'waiting for task task-1; away', commands: [check] },
    ],
    [{ state: 'reconciling' }, { note: 'the answer to the submit got lost: looking for its task' }],
    [
      { state: 'parked' },
      {
        state: 'attention',
        note: 'waiting for credits; top up, and it goes on by itself',
        commands: [check],
      },
    ],
    [
      { state: 'needs a decision', decisions: ['adopt', 'fail'] },
      {
        state: 'attention',
        note: 'needs a decision',
        commands: [
          starter('decide generation/1 adopt --task <task id>'),
          starter('decide generation/1 fail'),
        ],
      },
    ],
    [{ state: 'storing' }, { note: 'storing the files' }],
    [
      { state: 'storing', trouble: '404' },
      {
        state: 'attention',
        note: 'the files are not stored yet; it goes on trying',
        commands: [starter('show generation/1'), check],
      },
    ],
    [{ state: 'done' }, { note: 'done' }],
  ])('%j', (more, expected) => {
    const shown = new WatchLines().ofGeneration({ ...progress, ...more }, 'generation/1', 'a');
    expect(shown).toEqual([line({ model: '', elapsed: 0, ...expected })]);
  });

  it('at its end has the time that it took', () => {
    const lines = new WatchLines();
    lines.ofGeneration(progress, 'generation/1', 'a');
    vi.setSystemTime(Date.now() + 1_500);
    expect(lines.endOfGeneration('a', 'done', 'completed')).toEqual([
      line({ model: '', state: 'done', note: 'completed', elapsed: 1_500 }),
    ]);
  });
});
