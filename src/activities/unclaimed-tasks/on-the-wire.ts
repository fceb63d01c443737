import { type FieldDigests, shortName } from '../../api/input/field-digests.ts';
import type { ModelOverride } from '../../api/models/override.ts';

/** Digests by our field names, by those that the API knows the fields by. */
export function onTheWire(fields: FieldDigests, { fields: names = {} }: ModelOverride = {}): FieldDigests {
  const renamed = Object.entries(fields).map(([name, digest]) => [shortName(names[name] ?? name), digest]);
  return Object.fromEntries(renamed);
}
