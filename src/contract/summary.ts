import { cut } from '../api/text/cut.ts';
import type { Ordered } from './generation.ts';

const MAX_BYTES = 200;

/** One line that says what a generation is, for lists in the Temporal Web UI: at most 200 bytes. */
export function summarize({ model, input, templateId }: Ordered): string {
  const words = [
    input['prompt'],
    input['text'],
    input['image_url'],
    input['video_url'],
    input['input_image'],
  ];
  const subject = words.find((value): value is string => typeof value === 'string' && value !== '');
  const what = templateId === undefined ? model : `${model} from template ${templateId}`;
  return cutSummary(subject === undefined ? what : `${what}: ${subject.replaceAll(/\s+/g, ' ')}`);
}

/**
 * The label of a timer or an activity: so short that the Web UI's timeline shows the whole of it. Where there is no room to
 * the right of its place, the UI writes it to the left, and cuts off the beginning.
 */
export function cutLabel(text: string): string {
  return cut(text, 60);
}

/** A line for the Temporal Web UI in at most 200 bytes: of much longer ones Temporal takes none. */
export function cutSummary(text: string): string {
  let bytes = 0;
  let kept = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (bytes > MAX_BYTES - 3) return `${kept}…`;
    kept += character;
  }
  return kept;
}
