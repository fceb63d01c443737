import { describe, expect, it } from 'vitest';
import { jsonBytes, utf8Bytes } from '../../../src/contract/json-bytes.ts';
import type { StepProgress } from '../../../src/contract/pipeline.ts';
import {
  type AboutPipeline,
  boundProgress,
  describePipeline,
} from '../../../src/workflows/pipeline/details.ts';

const MOST = 20_000;
const ABOUT: AboutPipeline = {
  workflowId: 'pipeline/some-key',
  namespace: 'default',
  workspace: 'default',
  budget: undefined,
  ended: undefined,
};
const usage = { total: 8, subscription: 8, permanent: 0 };

function stepsOf(count: number, ids: number, status: (index: number) => StepProgress['status']) {
  return new Map(
    Array.from({ length: count }, (_, index): [string, StepProgress] => [
      `step-${index}`,
      {
        status: status(index),
        model: 'image-l',
        workflowIds: Array.from({ length: ids }, (_, item) => `pipeline/some-key/step-${index}/${item}`),
      },
    ]),
  );
}

describe('what a pipeline shows', () => {
  it('is everything where there is room', () => {
    const steps = stepsOf(3, 4, () => 'running');
    const progress = boundProgress(steps, usage);
    expect(progress).toEqual({ steps: Object.fromEntries(steps), usage });
    expect(describePipeline(progress, ABOUT).split('\n')).toHaveLength(9);
  });

  it.each([
    ['a fan-out of a thousand', 1, 1_000],
    ['many steps', 1_000, 1],
    ['many fan-outs', 30, 33],
  ])('is bounded for %s', (_, count, ids) => {
    const progress = boundProgress(
      stepsOf(count, ids, () => 'running'),
      usage,
    );
    expect(jsonBytes(progress)).toBeLessThanOrEqual(MOST);
    expect(utf8Bytes(describePipeline(progress, ABOUT))).toBeLessThanOrEqual(MOST);
  });

  it('tells how much it leaves out', () => {
    const fan = boundProgress(
      stepsOf(1, 1_000, () => 'running'),
      usage,
    );
    expect(fan.steps['step-0']).toMatchObject({ workflowIds: { length: 20 }, more: 980 });
    expect(describePipeline(fan, ABOUT)).toContain(
      '[4](/namespaces/default/workflows/pipeline%2Fsome-key%2Fstep-0%2F4) +995',
    );
    const many = boundProgress(
      stepsOf(1_000, 1, () => 'running'),
      usage,
    );
    expect(Object.keys(many.steps).length + (many.omitted ?? 0)).toBe(1_000);
    expect(describePipeline(many, ABOUT)).toMatch(/and \d{3} more steps/);
  });

  it('is first of all what waits for a person, then what runs', () => {
    const kinds = ['done', 'pending', 'running', 'held', 'approval'] as const;
    const { steps } = boundProgress(
      stepsOf(1_000, 0, (index) => (index < 995 ? 'done' : (kinds[index - 995] ?? 'done'))),
      usage,
    );
    for (const index of [996, 997, 998, 999]) expect(steps).toHaveProperty(`step-${index}`);
  });
});
