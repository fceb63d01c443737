import Replicate from 'replicate';
import type { Note, Order } from '../../service/caller.ts';

const replicate = new Replicate(); // REPLICATE_API_TOKEN

/**
 * As the README has it for a model in the background: `predictions.create`, then `wait`. (`run` is shorter, but
 * cannot go on with an id after a kill.) It retries by itself.
 *
 * Left to its user: a prediction whose answer was lost, which is created again (`predictions.list`, or a `webhook` URL
 * of its own, would lead to it); where the notes are kept, and going on with them after an error of `wait`; a canceled
 * prediction, which `wait` returns like a good one.
 */
export async function generate({ prompt }: Order, note: Note): Promise<string> {
  const id = note.read();
  let prediction =
    id === undefined
      ? await replicate.predictions.create({ model: 'black-forest-labs/flux-schnell', input: { prompt } })
      : await replicate.predictions.get(id);
  note.write(prediction.id);
  prediction = await replicate.wait(prediction, {});
  const [output] = prediction.output as string[]; // this model's output
  return output ?? '';
}
