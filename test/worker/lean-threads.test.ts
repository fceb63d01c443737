import { once } from 'node:events';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { withLeanThreads } from '../../src/worker/lean-threads.ts';

const frames = (): unknown => runInNewContext('Error.stackTraceLimit');

/** Keeps the latest of many objects, and tells how many megabytes V8 took at most for new ones. */
const BUSY = `
  const { getHeapSpaceStatistics } = require('node:v8');
  const latest = [];
  let most = 0;
  for (let count = 0; count < 1_500_000; count += 1) {
    latest.push({ count });
    if (latest.length > 200_000) latest.splice(0, 100_000);
    if (count % 50_000 > 0) continue;
    const space = getHeapSpaceStatistics().find((one) => one.space_name === 'new_space');
    most = Math.max(most, space.space_size / 1024 ** 2);
  }
  require('node:worker_threads').parentPort.postMessage(most);
`;

async function roomForNew(): Promise<number> {
  const thread = new Worker(BUSY, { eval: true, execArgv: [] });
  const [most] = await once(thread, 'message');
  return Number(most);
}

it('what is made meanwhile keeps few frames of a stack; what is made later as many as before, also after a failure', async () => {
  const usual = frames();
  expect(await withLeanThreads(() => Promise.resolve(frames()))).toBe(4);
  await expect(withLeanThreads(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(frames()).toBe(usual);
});

it('threads that are made meanwhile have little room for new objects; those that are made later as much as ever', async () => {
  expect(await withLeanThreads(roomForNew)).toBeLessThanOrEqual(16);
  expect(await roomForNew()).toBeGreaterThan(16);
});
