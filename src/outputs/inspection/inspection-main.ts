/**
 * The process around the thread that looks into files of strangers. A thread alone is not apart enough: where an array
 * or a map in it grows past `resourceLimits` in one step, V8 ends the whole process (measured on Node 24.21). So that
 * process is one of its own, which ends by SIGKILL, as a thread in a loop would keep it from ending otherwise: when the
 * worker that started it is gone, however that ended, or when it takes too much memory.
 */
import { Worker } from 'node:worker_threads';
import { CODE } from '../../package/built.ts';
import type { FromInspection, ToInspection } from './inspection-messages.ts';

/** Of the thread's heap. Reading the metadata of an hour of video takes some 30 MB. */
const HEAP_MB = 128;
/** Of all in this process, buffers too. It has 90 MB before it looks at anything. */
const MAX_BYTES = 256 * 1024 * 1024;
const LOOK_EVERY = 50;

const end = (): void => void process.kill(process.pid, 'SIGKILL');

const thread = new Worker(new URL(`inspection-thread${CODE}`, import.meta.url), {
  resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 16 },
});
let looking: NodeJS.Timeout | undefined;

thread.on('message', (message: FromInspection) => {
  if (message.kind === 'done') clearInterval(looking);
  process.send?.(message);
});
thread.on('error', end);
process.on('message', (message: ToInspection) => {
  if (message.kind !== 'bytes') {
    looking = setInterval(() => {
      if (process.memoryUsage.rss() > MAX_BYTES) end();
    }, LOOK_EVERY);
  }
  thread.postMessage(message, []);
});
process.on('disconnect', end);
