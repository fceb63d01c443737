import { describe, expect, it } from 'vitest';
import { requestDigest } from '../../src/contract/purchases/request-digest.ts';
import { differences, sharesStep } from '../../src/contract/purchases/same-purchase.ts';

const GENERATION = {
  model: 'image-l',
  input: { prompt: 'fox', image_urls: ['a', 'b'], deep: { one: { two: { three: 1 } } } },
};

describe('two requests for one workflow id', () => {
  it('are the same purchase whatever else is asked about policy, tags and budget', () => {
    const request = { ...GENERATION, policy: { deadline: '1h' }, tags: { team: 'film' }, earlierRun: 'r' };
    expect(differences('generation', request, GENERATION)).toEqual([]);
    expect(differences('generation', GENERATION, request)).toEqual([]);
    expect(differences('pipeline', { steps: {}, budget: { credits: 1 } }, { steps: {} })).toEqual([]);
    const step = { model: 'image-l', input: { prompt: 'fox' } };
    const patient = { ...step, policy: { deadline: '1h' } };
    expect(differences('pipeline', { steps: { a: patient } }, { steps: { a: step } })).toEqual([]);
    expect(differences('pipeline', { steps: { policy: patient } }, { steps: {} })).toEqual(['steps.policy']);
  });

  it.each<[boolean, string, object]>([
    [true, 'one step of several is the same', { steps: { a: { model: 'm' }, b: { model: 'n' } } }],
    [true, 'only its policy differs', { steps: { a: { model: 'm', policy: { deadline: '1h' } } } }],
    [false, 'all steps differ', { steps: { a: { model: 'n' }, b: { model: 'm' } } }],
    [
      true,
      'only a parameter differs that it does not use',
      { steps: { a: { model: 'm' } }, params: { n: 1 } },
    ],
    [false, 'the workspace differs', { steps: { a: { model: 'm' } }, workspace: 'studio' }],
  ])('as pipelines share a step: %s, where %s', (shares, _where, request) => {
    expect(sharesStep(request, { steps: { a: { model: 'm' } } })).toBe(shares);
  });

  it('as pipelines share no step that uses what differs', () => {
    const b = { model: 'n', input: { image: { $from: 'a' } } };
    const of = (prompt: unknown, params: object) => ({
      steps: { a: { model: 'm', input: { prompt } }, b },
      params,
    });
    const n = { $param: 'n' };
    expect(sharesStep(of(n, { n: 'fox', m: 1 }), of(n, { n: 'fox', m: 2 }))).toBe(true);
    expect(sharesStep(of(n, { n: 'fox' }), of(n, { n: 'owl' }))).toBe(false);
    expect(sharesStep(of('fox', {}), of('owl', {}))).toBe(false);
  });

  it.each<[boolean, object]>([
    [true, { ...GENERATION, policy: { deadline: '1h' }, tags: { team: 'film' }, workspace: 'default' }],
    [true, { input: GENERATION.input, templateId: undefined, model: 'image-l' }],
    [false, { ...GENERATION, model: 'image-m' }],
    [false, { ...GENERATION, workspace: 'studio' }],
    [false, { ...GENERATION, templateId: 'tpl_a' }],
    [false, { ...GENERATION, input: { ...GENERATION.input, image_urls: ['b', 'a'] } }],
  ])('have the same digest (%s) where they are the same purchase: %j', (isSame, request) => {
    const [one, other] = [request, GENERATION].map((each) => requestDigest('generation', each));
    expect(one === other).toBe(isSame);
    expect(differences('generation', request, GENERATION).length === 0).toBe(isSame);
  });

  it('have a digest that is SHA-256 of canonical JSON', () => {
    // printf '%s' '{"input":{"prompt":"fox"},"model":"image-l","workspace":"default"}' | sha256sum
    expect(requestDigest('generation', { model: 'image-l', input: { prompt: 'fox' } })).toBe(
      'b2d101bfb5a94bfc0e9e2cc02c1650c83a34fd75cb9d79a00a4177380514a11e',
    );
  });

  it('mean the default workspace where they name none', () => {
    expect(differences('generation', { ...GENERATION, workspace: 'default' }, GENERATION)).toEqual([]);
    expect(differences('generation', GENERATION, { ...GENERATION, workspace: 'studio' })).toEqual([
      'workspace',
    ]);
    expect(differences('pipeline', { steps: {}, workspace: 'studio' }, { steps: {} })).toEqual(['workspace']);
  });

  it('are as they went through JSON: what is undefined is not there', () => {
    const request = { ...GENERATION, templateId: undefined, input: { ...GENERATION.input, seed: undefined } };
    expect(differences('generation', request, GENERATION)).toEqual([]);
  });

  it.each<[string, object, string[]]>([
    ['another model', { model: 'image-m' }, ['model']],
    ['a template', { templateId: 'posters' }, ['templateId']],
    ['a template that has the name of a workspace', { templateId: 'default' }, ['templateId']],
    ['another prompt', { input: { ...GENERATION.input, prompt: 'owl' } }, ['input.prompt']],
    ['a field more', { input: { ...GENERATION.input, n: 2 } }, ['input.n']],
    ['a field less', { input: { image_urls: ['a', 'b'], deep: GENERATION.input.deep } }, ['input.prompt']],
    [
      'a list in another order',
      { input: { ...GENERATION.input, image_urls: ['b', 'a'] } },
      ['input.image_urls'],
    ],
    ['an input that is none', { input: 'fox' }, ['input']],
    [
      'a difference as deep as is told',
      { input: { ...GENERATION.input, deep: { one: { two: { three: 2 } } } } },
      ['input.deep.one.two'],
    ],
    [
      'several differences',
      { model: 'image-m', input: { ...GENERATION.input, prompt: 'owl', n: 1 } },
      ['model', 'input.prompt', 'input.n'],
    ],
  ])('differ by %s', (_what, change, paths) => {
    expect(differences('generation', { ...GENERATION, ...change }, GENERATION)).toEqual(paths);
    const back = differences('generation', GENERATION, { ...GENERATION, ...change });
    expect(back.toSorted()).toEqual(paths.toSorted());
  });

  it('for pipelines differ by steps and parameters', () => {
    const pipeline = { steps: { still: { model: 'image-l' } }, params: { n: 2 } };
    const other = { steps: { still: { model: 'image-m' }, large: {} }, params: { n: 3 } };
    expect(differences('pipeline', pipeline, pipeline)).toEqual([]);
    expect(differences('pipeline', other, pipeline)).toEqual([
      'steps.still.model',
      'steps.large',
      'params.n',
    ]);
  });

  it('differ in all where the earlier one is none, and names from prototypes are no fields', () => {
    expect(differences('generation', GENERATION, undefined)).toEqual(['model', 'input']);
    expect(differences('generation', GENERATION, 'text')).toEqual(['model', 'input']);
    const odd: unknown = JSON.parse('{"model":"image-l","input":{"constructor":1}}');
    expect(differences('generation', { model: 'image-l', input: {} }, odd)).toEqual(['input.constructor']);
  });
});
