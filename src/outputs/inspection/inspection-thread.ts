/**
 * The thread that looks into files of strangers. It may hang, run out of memory or crash over one: inspection-main.ts
 * and inspector.ts see to that. It opens nothing itself and has only the bytes that it is given.
 */
import { parentPort } from 'node:worker_threads';
import type { FromInspection, InspectionJob, ToInspection } from './inspection-messages.ts';
import type { MediaSource } from './media-facts.ts';
import { sniffFormat } from './media-format.ts';
import { readMedia } from './read-media.ts';

const asked = new Map<number, PromiseWithResolvers<Uint8Array>>();
let reads = 0;

parentPort?.on('message', (message: ToInspection) => {
  if (message.kind === 'bytes') settle(message.id, message.bytes);
  else void work(message);
});
say({ kind: 'ready' });

async function work(job: InspectionJob): Promise<void> {
  const answer =
    job.kind === 'sniff'
      ? sniffFormat(job.head)
      : readMedia(sourceOf(job), (facts) => say({ kind: 'so far', answer: facts }));
  say({ kind: 'done', answer: await answer.catch(() => null) });
}

/** What has come with the job is not asked for. */
function sourceOf({ head, size }: InspectionJob): MediaSource {
  return {
    size,
    read: async (start, end) =>
      Math.min(end, size) <= head.byteLength ? head.slice(start, end) : await read(start, end),
  };
}

function read(start: number, end: number): Promise<Uint8Array> {
  const id = ++reads;
  const bytes = Promise.withResolvers<Uint8Array>();
  asked.set(id, bytes);
  say({ kind: 'read', id, start, end });
  return bytes.promise;
}

function settle(id: number, bytes: Uint8Array | null): void {
  if (bytes === null) asked.get(id)?.reject(new Error('these bytes are not to be had'));
  else asked.get(id)?.resolve(bytes);
  asked.delete(id);
}

function say(message: FromInspection): void {
  parentPort?.postMessage(message, []);
}
