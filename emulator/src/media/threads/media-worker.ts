import { parentPort } from 'node:worker_threads';
import { RENDERERS } from '../renderers.ts';
import type { MediaJob, MediaReply } from './media-job.ts';

/** The inside of a worker thread: one job at a time, each answered once. */
parentPort?.on('message', (job: MediaJob) => {
  void answer(job);
});

async function answer({ renderer, request }: MediaJob): Promise<void> {
  // Which request goes with which renderer is checked where the job is made; across threads the pair is plain data.
  const render = RENDERERS[renderer] as (request: unknown) => Promise<{ bytes: Uint8Array<ArrayBuffer> }>;
  try {
    const asset = await render(request);
    post({ asset }, [asset.bytes.buffer]);
  } catch (error) {
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
    post({ failure: { name, message, stack } }, []);
  }
}

function post(reply: MediaReply, transfer: ArrayBuffer[]): void {
  parentPort?.postMessage(reply, transfer);
}
