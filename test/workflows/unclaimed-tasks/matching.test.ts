import { describe, expect, it } from 'vitest';
import { fieldDigests } from '../../../src/api/input/field-digests.ts';
import type { ModelShape } from '../../../src/contract/entities/claims.ts';
import { choose, type Evidence, fits, type Search } from '../../../src/workflows/unclaimed-tasks/matching.ts';
import { entry, keptClaim } from './examples.ts';

const SINCE = 100_000;
const IMAGE: ModelShape = { family: 'image', takes: { names: ['prompt', 'n'], open: false } };
const VIDEO: ModelShape = { family: 'video', takes: { names: ['prompt', 'duration'], open: false } };
const OPEN: ModelShape = { family: 'image', takes: { names: ['prompt'], open: true } };

const task = (over: Partial<Evidence> = {}): Evidence => entry('t', { arrivedAt: SINCE, ...over });
const search = (over: Partial<Search> = {}): Search => ({ ...keptClaim('a', { since: SINCE }), ...over });

describe('a task and a submit', () => {
  it.each<[boolean, string, Partial<Evidence>, Partial<Search>, ModelShape | undefined]>([
    [true, 'the task has what was sent', {}, {}, IMAGE],
    [true, 'it has defaults of the model', { fields: fieldDigests({ prompt: 'fox', n: 1 }) }, {}, IMAGE],
    [false, 'it has another value', { fields: fieldDigests({ prompt: 'hare' }) }, {}, IMAGE],
    [false, 'it lacks a field', {}, { fields: fieldDigests({ prompt: 'fox', n: 1 }) }, IMAGE],
    [false, 'it has what the model lacks', { fields: fieldDigests({ prompt: 'fox', fps: 1 }) }, {}, IMAGE],
    [true, 'nobody knows the model', { fields: fieldDigests({ prompt: 'fox', fps: 1 }) }, {}, undefined],
    [true, 'it is of the model’s family', { family: 'image' }, {}, IMAGE],
    [false, 'it is of another family', { family: 'video' }, {}, IMAGE],
    [true, 'nobody knows the model’s family', { family: 'video' }, {}, undefined],
    [true, 'the workflow is its owner', { owner: 'generation/a' }, {}, IMAGE],
    [false, 'another one is its owner', { owner: 'generation/b' }, {}, IMAGE],
    [false, 'the run has had it', {}, { known: ['s', 't'] }, IMAGE],
    [true, 'the run has had others', {}, { known: ['s'] }, IMAGE],
    [
      true,
      'it arrived before the submit within the clocks’ tolerance',
      { arrivedAt: SINCE - 5_000 },
      {},
      IMAGE,
    ],
    [false, 'it arrived before that', { arrivedAt: SINCE - 5_001 }, {}, IMAGE],
    [true, 'nobody told when it was made', {}, { clockOffset: 0 }, IMAGE],
    [true, 'nobody knows the API’s clock', { createdAt: 1 }, {}, IMAGE],
    [
      false,
      'nobody knows the API’s clock, and it arrived before the submit',
      { createdAt: SINCE, arrivedAt: SINCE - 5_001 },
      {},
      IMAGE,
    ],
    [
      true,
      'it was made before the submit within the tolerance of the API’s clocks',
      { createdAt: SINCE - 23_000 },
      { clockOffset: 7_000 },
      IMAGE,
    ],
    [false, 'it was made before that', { createdAt: SINCE - 23_001 }, { clockOffset: 7_000 }, IMAGE],
    [
      true,
      'the clock of the submit’s worker is a minute ahead',
      { arrivedAt: SINCE - 60_000, createdAt: SINCE - 60_000 },
      { clockOffset: -60_000 },
      IMAGE,
    ],
    [
      true,
      'the API writes the creation by a clock ten seconds behind that of its answers',
      { createdAt: SINCE - 10_000 },
      { clockOffset: 0 },
      IMAGE,
    ],
  ])('fit: %s, where %s', (expected, _why, evidence, sent, shape) => {
    expect(fits(task(evidence), search(sent), shape)).toBe(expected);
  });
});

describe('a task goes', () => {
  const SHAPES: Record<string, ModelShape> = { image: IMAGE, video: VIDEO, open: OPEN };
  const of = (claimId: string, over: Partial<Search> = {}): Search =>
    search({ claimId, model: 'image', ...over });
  const chosen = (evidence: Evidence, ...searches: Search[]): unknown => {
    const choice = choose(evidence, searches, (model) => SHAPES[model]);
    if (choice.kind === 'one') return choice.search.claimId;
    return choice.kind === 'nobody' ? choice : choice.searches.map(({ claimId }) => claimId);
  };
  const both = fieldDigests({ prompt: 'fox', n: 1 });

  it('to nobody where it fits nobody', () => {
    expect(chosen(task())).toEqual({ kind: 'nobody' });
  });

  it('to the one whose model explains most of it', () => {
    expect(chosen(task({ fields: both }), of('a', { model: 'open' }), of('b'))).toBe('b');
    expect(chosen(task({ fields: both }), of('b'), of('a', { model: 'open' }))).toBe('b');
  });

  it('of one model to the one with most fields sent, then to the latest', () => {
    const sure = of('sure', { fields: both });
    const [old, young] = [of('old'), of('young', { since: SINCE + 1 })];
    expect(chosen(task({ fields: both }), old, sure, young)).toBe('sure');
    expect(chosen(task({ fields: both }), old, young)).toBe('young');
    expect(chosen(task({ fields: both }), young, old)).toBe('young');
  });

  it('to nobody yet where models explain it alike, of which two are told', () => {
    expect(chosen(task(), of('a'), of('b', { model: 'video' }), of('c', { model: 'open' }))).toEqual([
      'a',
      'b',
    ]);
  });

  it('to one of a model that nobody knows, as if that explained all', () => {
    expect(chosen(task(), of('a', { model: 'unknown' }))).toBe('a');
    expect(chosen(task(), of('a', { model: 'unknown' }), of('b'))).toEqual(['a', 'b']);
  });
});
