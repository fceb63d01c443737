import { describe, expect, it } from 'vitest';
import { changeGeneration, changePipeline } from '../../../src/starter/request/apply-changes.ts';

const STILL = { model: 'image-l', input: { prompt: 'a fox', n: 1 } };
const CLIP = { model: 'video-f', input: { prompt: 'slow', first_frame_url: { $from: 'still' } } };
const PIPELINE = { steps: { still: STILL, clip: CLIP }, policy: { deadline: '5m' } };

describe('the changes of rerun --set', () => {
  it.each<[string, object]>([
    [
      'still.prompt=a blue = fox',
      { steps: { still: { ...STILL, input: { prompt: 'a blue = fox', n: 1 } }, clip: CLIP } },
    ],
    ['still.n=2', { steps: { still: { ...STILL, input: { prompt: 'a fox', n: 2 } }, clip: CLIP } }],
    ['still.templateId=tpl_b', { steps: { still: { ...STILL, templateId: 'tpl_b' }, clip: CLIP } }],
    ['still.model=image-m', { steps: { still: { ...STILL, model: 'image-m' }, clip: CLIP } }],
    [
      'clip.first_frame_url={"$from":"still","output":1}',
      {
        steps: {
          still: STILL,
          clip: { ...CLIP, input: { ...CLIP.input, first_frame_url: { $from: 'still', output: 1 } } },
        },
      },
    ],
    [
      'still.policy.budget.credits=9',
      { steps: { still: { ...STILL, policy: { budget: { credits: 9 } } }, clip: CLIP } },
    ],
    ['budget.credits=500', { budget: { credits: 500 } }],
    ['policy.polling.first=2s', { policy: { deadline: '5m', polling: { first: '2s' } } }],
  ])('%s', (change, expected) => {
    expect(changePipeline(PIPELINE, [change])).toEqual({ ...PIPELINE, ...expected });
  });

  it('are made one after the other, and leave the request that was as it was', () => {
    const before = structuredClone(PIPELINE);
    expect(changePipeline(PIPELINE, ['still.n=2', 'still.n=3']).steps['still']?.input['n']).toBe(3);
    expect(PIPELINE).toEqual(before);
  });

  it('reach only the policy of a generation', () => {
    const request = { model: 'image-l', input: { prompt: 'a fox' } };
    expect(changeGeneration(request, ['policy.budget.credits=100', 'policy.deadline=1h'])).toEqual({
      request: { ...request, policy: { budget: { credits: 100 }, deadline: '1h' } },
      givesBudget: true,
    });
    expect(() => changeGeneration(request, ['input.prompt=a hare'])).toThrow('another purchase');
  });

  it.each([
    ['policy.budget.credits=8', true],
    ['policy.budget={"credits":8}', true],
    ['policy.budget={}', false],
    ['policy.deadline=1h', false],
  ])('%s gives a generation a budget of its own: %s', (change, givesBudget) => {
    const request = { model: 'image-l', input: {}, policy: { budget: { credits: 8 } } };
    expect(changeGeneration(request, [change]).givesBudget).toBe(givesBudget);
  });

  it('name no step that is not there', () => {
    const changed = (): unknown => changePipeline(PIPELINE, ['stil.prompt=x']);
    expect(changed).toThrow('--set names the step stil; the steps are: still, clip (and policy, budget)');
  });

  it.each(['still', 'still=x', '.n=2', 'still..n=2', '=x'])('%j is refused', (change) => {
    expect(() => changePipeline(PIPELINE, [change])).toThrow('is not step.field=value');
  });
});
