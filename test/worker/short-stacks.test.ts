import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { withShortStacks } from '../../src/worker/short-stacks.ts';

const frames = (): unknown => runInNewContext('Error.stackTraceLimit');

it('what is made meanwhile keeps few frames of a stack; what is made later as many as before, also after a failure', async () => {
  const usual = frames();
  expect(await withShortStacks(() => Promise.resolve(frames()))).toBe(4);
  await expect(withShortStacks(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(frames()).toBe(usual);
});
