import { areOfOneTemplate, containsFields, type FieldDigests, ofInput } from './field-digests.ts';
import type { WireFields } from './wire.ts';

/**
 * Whether a normalized input can be what the API made of a body: every field that was sent stands in it unchanged,
 * no field that the model lacks, and it is of the same template, or of none. What was not sent are defaults, or the
 * template's.
 *
 * @param takes the model's fields; undefined where the model is not known: then any may stand there
 */
export function canComeFrom(
  normalized: FieldDigests,
  sent: FieldDigests,
  takes: WireFields | undefined,
): boolean {
  if (!areOfOneTemplate(normalized, sent) || !containsFields(normalized, ofInput(sent))) return false;
  return takes === undefined || takes.open || unexplained(normalized, sent, takes) === 0;
}

/** How many fields of a normalized input its model does not explain: neither sent nor its own. */
export function unexplained(normalized: FieldDigests, sent: FieldDigests, { names }: WireFields): number {
  return Object.keys(normalized).filter((name) => !Object.hasOwn(sent, name) && !names.includes(name)).length;
}
