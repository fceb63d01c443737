import { expect, it } from 'vitest';
import type { MediaSource } from '../../../src/outputs/inspection/media-facts.ts';
import { TaskInspection } from '../../../src/outputs/inspection/task-inspection.ts';
import { HANGING_ADTS, sampleFiles } from './samples.ts';

const files = await sampleFiles();
const png = files['png'] ?? new Uint8Array();

function sourceOf(bytes: Uint8Array): MediaSource & { reads: number } {
  const source = {
    size: bytes.length,
    reads: 0,
    async read(start: number, end: number) {
      source.reads += 1;
      return bytes.subarray(start, end);
    },
  };
  return source;
}

it('remembers what a file told, by its SHA-256: a later try of its task does not read it again', async () => {
  const source = sourceOf(png);
  expect(await new TaskInspection().inspect('sha of a picture', source)).toMatchObject({ width: 30 });
  const { reads } = source;
  expect(reads).toBeGreaterThan(0);
  expect(await new TaskInspection().inspect('sha of a picture', source)).toMatchObject({ width: 30 });
  expect(source.reads).toBe(reads);
});

it("holds an honest task's file up for one of a task's bad files, however many it has", async () => {
  const stop = new AbortController();
  const bad = new TaskInspection(stop.signal);
  const order: string[] = [];
  const ends = Array.from({ length: 20 }, (_, index) =>
    bad.inspect(`sha ${index} of a loop`, sourceOf(HANGING_ADTS)).then(
      () => order.push('bad'),
      () => order.push('given up'),
    ),
  );
  expect(await new TaskInspection().inspect('sha of an honest file', sourceOf(png))).toMatchObject({
    width: 30,
  });
  order.push('good');
  stop.abort(new Error('the try is over'));
  await Promise.all(ends);
  expect(order[0]).toBe('good');
  expect(order).toContain('given up');
});
