import { contentAt } from '../../api/models/json-schema.ts';
import { outputCount } from '../../api/models/output-count.ts';
import { findModel } from '../../api/models/registry.ts';
import type { PriceFacts } from './price-table.ts';

/** What is described at greater length than this has no price that could be remembered (characters). */
const LONGEST_KIND = 500;
/** Fields that no price hangs on, or that are in the volume. */
const APART: ReadonlySet<string> = new Set(['seed', 'n', 'num_images', 'duration']);

/**
 * @param ordered a request, or what of one is known
 * @returns undefined for an unknown model, or one that is asked for in too many words
 */
export function priceFacts({
  model: id,
  input,
  templateId,
}: {
  model: string;
  input: Readonly<Record<string, unknown>>;
  templateId?: string | undefined;
}): PriceFacts | undefined {
  const model = findModel(id);
  if (model === undefined) return undefined;
  const isPriced = (field: string): boolean => {
    const content = contentAt(model, [field]);
    return !APART.has(field) && content !== 'text' && typeof content !== 'object';
  };
  const priced = Object.entries(input).filter(([field, value]) => value !== undefined && isPriced(field));
  // What a template says of it is the template's to know: its id stands for it.
  const kind = JSON.stringify([id, ...priced.sort(([a], [b]) => (a < b ? -1 : 1)), templateId ?? null]);
  if (kind.length > LONGEST_KIND) return undefined;
  const { duration, text } = input;
  const seconds = typeof duration === 'number' && duration > 0 ? duration : 1;
  const characters = model.family === 'speech' && typeof text === 'string' ? Math.max(1, text.length) : 1;
  const volume = outputCount(input) * seconds * characters;
  return { kind, volume, ...(model.cost === undefined ? {} : { isByVolume: true }) };
}
