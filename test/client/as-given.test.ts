import { expect, it } from 'vitest';
import { inputsAfter, withChanges } from '../../src/client/starting/as-given.ts';

const [first, second, third] = [{ prompt: '1' }, { prompt: '2' }, { prompt: '3' }];
const each = { prompt: { $each: { $param: 'cities' } } };
const retry = (input: Record<string, unknown> | null) => ({ by: 'retry' as const, input });
const approve = (input: Record<string, unknown> | null) => ({ by: 'approve' as const, input });

it.each([
  ['as it was', [first], [], [first]],
  ['tried again with what it had', [first], [retry(null)], [first]],
  ['tried with others', [first], [retry(second), retry(third)], [third, second, first]],
  ['tried with the same once more', [first], [retry(second), retry(first)], [first, second]],
  [
    'approved with another one: that is for all of it',
    [first, second],
    [retry(second), approve(third)],
    [third],
  ],
  [
    'approved as it was, after others had failed',
    [first],
    [approve(null), retry(second), approve(null)],
    [first, second],
  ],
  [
    'approved so: of a fan-out the others were for some items',
    [each],
    [retry(second), approve(null)],
    [second, each],
  ],
])('a step was tried with these inputs, the latest first: %s', (_, inputs, said, all) => {
  expect(inputsAfter(inputs, said)).toEqual(all);
});

it('a step whose input is changed in a rerun is bought with that, whatever others have bought', () => {
  const step = (input: Record<string, unknown>) => ({ model: 'image-l', input });
  const request = { steps: { a: step(second), b: step(second) }, earlierInputs: { a: [first], b: [first] } };
  const changed = { ...request, steps: { ...request.steps, b: step(third) } };
  expect(withChanges(request, changed)).toEqual({ ...changed, earlierInputs: { a: [first] } });
  expect(withChanges(request, { ...changed, steps: { a: step(third), b: step(third) } })).not.toHaveProperty(
    'earlierInputs',
  );
});
