import RunwayML from '@runwayml/sdk';
import type { Note, Order } from '../../service/caller.ts';

const client = new RunwayML(); // RUNWAYML_API_SECRET

/**
 * As the README and the package's own `waitForTaskOutput` have it, with the task's id noted on the way. It retries by
 * itself, and asks for a task every 4.5 to 7.5 s: Runway wants no more than one look in five seconds.
 *
 * Left to its user: a task whose answer was lost, which is created again; where the notes are kept, and going on with
 * them after an error.
 */
export async function generate({ prompt }: Order, note: Note): Promise<string> {
  const id = note.read();
  const task = id === undefined ? create(prompt) : client.tasks.retrieve(id);
  note.write((await task).id);
  const { output } = await task.waitForTaskOutput();
  return output[0] ?? '';
}

function create(prompt: string) {
  return client.textToImage.create({ model: 'gemini_2.5_flash', promptText: prompt, ratio: '1024:1024' });
}
