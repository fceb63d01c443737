import { afterAll, beforeAll, expect, it } from 'vitest';
import { image, openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

it.each([
  ['a generation', () => world.start(image('[[reject]]'))],
  ['a refused request', () => world.start({ model: 'image-l', input: {} })],
  [
    'a pipeline',
    () => world.pipeline({ steps: { only: { model: 'image-l', input: { prompt: '[[reject]]' } } } }),
  ],
])('the failure of %s holds what has failed, and no stack or path of a machine', async (_, start) => {
  const handle = await start();
  const { message } = await world.failureOf(handle);
  const { events = [] } = await handle.fetchHistory();
  const failure = events?.at(-1)?.workflowExecutionFailedEventAttributes?.failure;
  expect(failure?.message).toBe(message);
  expect(failure?.applicationFailureInfo?.type).toMatch(/^[A-Z_]+$/);
  expect(failure?.stackTrace ?? '').toBe('');
  expect(JSON.stringify(failure)).not.toMatch(/\.ts:\d+|node_modules|file:\/\//);
});
