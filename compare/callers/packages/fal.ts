import { fal } from '@fal-ai/client';
import type { Note, Order } from '../../service/caller.ts';

const MODEL = 'fal-ai/flux/dev';

/**
 * As the README has it: `fal.subscribe`, with FAL_KEY from the environment. It retries by itself. `onEnqueue` notes
 * the request, so that a service which was killed goes on with it, by the queue's `status` and `result`.
 *
 * Left to its user: a request whose answer was lost, which `subscribe` submits again (a `webhookUrl` of its own would
 * tell which order it was for); where the notes are kept, and going on with them after an error.
 */
export async function generate({ prompt }: Order, note: Note): Promise<string> {
  const requestId = note.read();
  const { data } =
    requestId === undefined
      ? await fal.subscribe(MODEL, { input: { prompt }, onEnqueue: (id) => note.write(id) })
      : await resume(requestId);
  return data.images[0]?.url ?? '';
}

async function resume(requestId: string) {
  await fal.queue.subscribeToStatus(MODEL, { requestId });
  return await fal.queue.result(MODEL, { requestId });
}
