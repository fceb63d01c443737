import { ERROR_PREFIX, FAMILIES, type Family } from '../family.ts';
import { isRecord } from '../json/is-record.ts';

/**
 * What `data` holds for each family of models: its `type`, and a list (API specification, `data`). A video's object
 * may have pictures beside it, so videos are looked for first.
 */
const OUTPUTS: readonly { family: Family; type: string; list: string }[] = [
  { family: 'video', type: 'video', list: 'videos' },
  { family: 'image', type: 'image', list: 'images' },
  { family: 'speech', type: 'audio', list: 'audios' },
];

/**
 * The family of the model that made a task, as far as its record tells: by its `data` once it has completed, by the
 * prefix of its code once it has failed.
 */
export function recordFamily({ data, code }: { data?: unknown; code?: unknown }): Family | undefined {
  if (isRecord(data)) {
    const output =
      OUTPUTS.find(({ type }) => data['type'] === type) ??
      OUTPUTS.find(({ list }) => Array.isArray(data[list]) && data[list].length > 0);
    return output?.family;
  }
  if (typeof code !== 'string') return undefined;
  return FAMILIES.find((family) => code.startsWith(`${ERROR_PREFIX[family]}_`));
}
