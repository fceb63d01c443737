import { describe, expect, it } from 'vitest';
import type { PipelineStep, StepItem } from '../../../src/contract/pipeline.ts';
import type { StepStage } from '../../../src/contract/steps/carried-pipeline.ts';
import { advanced, isOver } from '../../../src/workflows/pipeline/advance.ts';
import { answered, heard } from '../../../src/workflows/pipeline/answers.ts';
import { carriedState, carry } from '../../../src/workflows/pipeline/carried.ts';
import {
  costsIn,
  resultOf,
  searchedBy,
  stepsIn,
  sumOf,
  toldOf,
} from '../../../src/workflows/pipeline/projections.ts';
import { settled } from '../../../src/workflows/pipeline/settle.ts';
import { begun, following, put, type State, unknown } from '../../../src/workflows/pipeline/state.ts';

const ID = 'pipeline/p';
const usage = { total: 8, subscription: 8, permanent: 0 };

const image = (more: Partial<PipelineStep> = {}): PipelineStep => ({
  model: 'image-l',
  input: { prompt: 'dawn' },
  ...more,
});
const upscale = (reference: object, more: Partial<PipelineStep> = {}): PipelineStep => ({
  model: 'upscale-q',
  input: { image_url: reference },
  ...more,
});

const failed = (path: string): StepItem => ({
  status: 'FAILED',
  workflowId: `${ID}/${path}`,
  failure: { type: 'TASK_OVERDUE', message: 'too late', details: { attempts: [], usage, charged: usage } },
});
const completed = (path: string): StepItem => ({
  status: 'COMPLETED',
  workflowId: `${ID}/${path}`,
  result: {
    taskId: `task of ${path}`,
    model: 'image-l',
    status: 'COMPLETED',
    data: null,
    outputs: [],
    usage,
    charged: usage,
    attempts: [],
  },
});

/** Two steps, `first` held where it fails and `second` made of it, at these stages. */
function pipelineOf(stages: Record<string, StepStage>, second = upscale({ $from: 'first' })): State {
  const request = { steps: { first: image({ onFailure: 'hold' }), second } };
  return put(begun(unknown(ID, request), false), ...Object.entries(stages));
}

const runs: StepStage = { at: 'following' };
const done = (path: string): StepStage => ({ at: 'done', item: completed(path), startedAt: 1 });
const held: StepStage = { at: 'held', end: { item: failed('first'), startedAt: 1 } };
const fannedOut = (stages: Record<string, StepStage>): State => ({
  ...pipelineOf({ first: done('first'), second: { at: 'fanned' }, ...stages }, upscale({ $each: 'first' })),
  fans: new Map([['second', [0, null, 1]]]),
});

describe('what a step is doing follows from its stage', () => {
  it.each<[string, State, object]>([
    [
      'waits',
      pipelineOf({}),
      { first: { status: 'pending', workflowIds: [] }, second: { status: 'pending' } },
    ],
    [
      'is looked for',
      pipelineOf({ first: { at: 'seeking', place: 'looking', turn: 1 } }),
      { first: { status: 'pending', workflowIds: [] } },
    ],
    ['runs', pipelineOf({ first: runs }), { first: { status: 'running', workflowIds: [`${ID}/first`] } }],
    [
      'runs and needs a look',
      heard(pipelineOf({ first: runs }), {
        path: 'first',
        state: 'waiting for credits',
        note: 'no credits',
      }),
      { first: { status: 'running', needs: 'waiting for credits', note: 'no credits' } },
    ],
    [
      'is approved',
      pipelineOf({ first: done('first'), second: { at: 'approval' } }),
      { second: { status: 'approval', note: expect.stringContaining('approve or reject') } },
    ],
    [
      'is held',
      pipelineOf({ first: held }),
      { first: { status: 'held', note: 'TASK_OVERDUE: too late', credits: 8 } },
    ],
    [
      'is done',
      pipelineOf({ first: done('first') }),
      { first: { status: 'done', outcome: 'COMPLETED', credits: 8 } },
    ],
    [
      'runs item by item',
      fannedOut({ 'second/0': done('second/0'), 'second/2': runs }),
      { second: { status: 'running', workflowIds: [`${ID}/second/0`, `${ID}/second/2`], credits: 8 } },
    ],
    [
      'is done in part',
      fannedOut({
        'second/0': done('second/0'),
        'second/2': { at: 'done', item: failed('second/2'), startedAt: 1 },
      }),
      { second: { status: 'done', outcome: 'PARTIAL', credits: 16 } },
    ],
  ])('%s', (_, state, expected) => {
    expect(Object.fromEntries(stepsIn(state))).toMatchObject(expected);
  });
});

describe('what a pipeline is searched by, and what its batch is told, follows from its stages', () => {
  it.each<[string, State, object, object]>([
    ['nothing', pipelineOf({ first: runs }), { state: null, model: 'image-l' }, { step: null, state: null }],
    [
      'a question',
      pipelineOf({ first: done('first'), second: { at: 'approval' } }),
      { state: 'waiting for approval', model: 'upscale-q' },
      { step: 'second', asks: 'approval', state: 'waiting for approval' },
    ],
    [
      'the more urgent of two',
      heard(pipelineOf({ first: held, second: runs }), {
        path: 'second',
        state: 'waiting for credits',
        note: '',
      }),
      { state: 'needs a decision', model: 'image-l' },
      { step: 'first', asks: 'held', note: 'step first: TASK_OVERDUE: too late' },
    ],
    [
      'what a generation with another input says',
      heard(pipelineOf({ first: runs }), {
        path: 'first@0123456789',
        state: 'needs a decision',
        note: 'why',
      }),
      { state: 'needs a decision', model: 'image-l' },
      { step: 'first', asks: null, note: 'why' },
    ],
    [
      'what a generation has said before it was known to run',
      following(
        heard(pipelineOf({ first: { at: 'starting' } }), {
          path: 'first',
          state: 'waiting for credits',
          note: '',
        }),
        'first',
      ),
      { state: 'waiting for credits' },
      { step: 'first', state: 'waiting for credits' },
    ],
    [
      'not what one says that does not run',
      heard(pipelineOf({ first: done('first') }), { path: 'second', state: 'needs a decision', note: '' }),
      { state: null, model: 'image-l' },
      { step: null },
    ],
    [
      'nothing once it has ended, and the model that has failed',
      {
        ...pipelineOf({ first: done('first'), second: { at: 'done', item: failed('second') } }),
        ended: { kind: 'failed', type: 'PIPELINE_FAILED', message: '', charged: usage },
      },
      { state: null, model: 'upscale-q' },
      { step: null },
    ],
  ])('%s', (_, state, searched, told) => {
    expect(searchedBy(state)).toMatchObject(searched);
    expect(toldOf(state)).toMatchObject(told);
  });
});

describe('what becomes of a step', () => {
  it.each<[string, State, StepStage['at'], boolean]>([
    ['is held where it fails', settled(pipelineOf({}), 'first', { item: failed('first') }), 'held', false],
    [
      'is done when a person lets it fail',
      answered(pipelineOf({ first: held }), 'first', { action: 'fail' }),
      'done',
      false,
    ],
    [
      'is done when a person skips it',
      answered(pipelineOf({ first: held }), 'first', { action: 'skip' }),
      'done',
      false,
    ],
    [
      'waits for its inputs when it is tried again',
      answered(pipelineOf({ first: held }), 'first', { action: 'retry' }),
      'blocked',
      false,
    ],
  ])('%s', (_, state, at, over) => {
    const next = advanced(state);
    expect(next.steps.get('first')?.at).toBe(at);
    expect(isOver(next)).toBe(over);
  });

  it('is tried as an earlier run went on, without a question', () => {
    const end = { item: failed('first'), next: { prompt: 'dusk' } };
    const next = advanced(settled(pipelineOf({}), 'first', end));
    expect(next.steps.get('first')).toEqual({ at: 'blocked', needs: [], isApproved: true });
    expect(next.inputs.get('first')?.input).toEqual({ prompt: 'dusk' });
  });

  it('lets at most a hundred generations run at once, the first ones first', () => {
    const state = fannedOut({});
    const many = { ...state, fans: new Map([['second', Array.from({ length: 150 }, (_, index) => index)]]) };
    const waiting = [...advanced(many).steps].filter(
      ([, stage]) => stage.at === 'seeking' && stage.place === 'queued',
    );
    expect(waiting.map(([path]) => path)).toEqual(
      Array.from({ length: 50 }, (_, index) => `second/${index + 100}`),
    );
  });
});

describe('what a pipeline hands on', () => {
  const fanned = fannedOut({
    'second/0': { at: 'seeking', place: 'looking', turn: 1 },
    'second/2': { at: 'following' },
  });
  const state: State = {
    ...heard(fanned, { path: 'second/2', state: 'waiting for credits', note: 'none' }),
    inputs: new Map([
      ['first', { input: { prompt: 'dusk' }, given: { first: 'a', last: 'b' }, before: [null] }],
    ]),
    asked: ['first'],
  };

  it('is all that it knows, as JSON; what was not started is looked for anew', () => {
    const carried = JSON.parse(JSON.stringify(carry(state))) as ReturnType<typeof carry>;
    const next = carriedState(unknown(ID, state.request), carried);
    const { 'second/0': _, ...started } = Object.fromEntries(state.steps);
    expect(Object.fromEntries(next.steps)).toEqual(started);
    expect({ ...next, steps: undefined }).toEqual({ ...state, steps: undefined });
    expect(advanced(next).steps.get('second/0')).toMatchObject({ at: 'seeking', place: 'looking' });
    expect(searchedBy(next)).toEqual(searchedBy(state));
    expect(toldOf(next)).toEqual(toldOf(state));
  });

  it('costs the same', () => {
    const next = carriedState(unknown(ID, state.request), carry(state));
    expect(resultOf(next, sumOf(costsIn(next)))).toEqual(resultOf(state, sumOf(costsIn(state))));
  });

  it.each(['queued', 'looking'] as const)('has a step that is %s wait for what it needs', (place) => {
    const { steps } = carriedState(
      unknown(ID, state.request),
      carry(pipelineOf({ first: done('first'), second: { at: 'seeking', place, turn: 3 } })),
    );
    expect(steps.get('second')).toEqual({ at: 'blocked', needs: ['first'], isApproved: true });
  });
});
