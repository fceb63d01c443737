import type { WireFields } from '../wire.ts';
import { areOfOneTemplate, containsFields, type FieldDigests, ofInput } from './field-digests.ts';

/**
 * Whether a normalized input can be what the API made of a body: every field that was sent stands in it unchanged, it is
 * of the same template, or of none, and no field tells of another model, where it is known what the model's own carry. What
 * was not sent are defaults, or the template's.
 *
 * @param takes the model's fields; undefined where the model is not known: then any may stand there
 */
export function canComeFrom(
  normalized: FieldDigests,
  sent: FieldDigests,
  takes: WireFields | undefined,
): boolean {
  if (!areOfOneTemplate(normalized, sent) || !containsFields(normalized, ofInput(sent))) return false;
  return takes === undefined || takes.unseen === true || !tellsOfAnother(normalized, sent, takes);
}

/** Whether a normalized input has a field by which the tasks of another model are told from this one's. */
export function tellsOfAnother(normalized: FieldDigests, sent: FieldDigests, takes: WireFields): boolean {
  if (takes.open) return false;
  const { foreign } = takes;
  return notExplained(normalized, sent, takes).some((name) => foreign?.includes(name) ?? true);
}

/** The fields that keep a normalized input from being what the API made of a body, by their names on the wire. */
export function differingFields(
  normalized: FieldDigests,
  sent: FieldDigests,
  takes: WireFields | undefined,
): string[] {
  const altered = Object.entries(ofInput(sent)).flatMap(([name, digest]) =>
    containsFields(normalized, { [name]: digest }) ? [] : name,
  );
  if (takes === undefined || takes.open) return altered;
  const { foreign } = takes;
  const others = notExplained(normalized, sent, takes).filter((name) => foreign?.includes(name) ?? true);
  return [...altered, ...others];
}

/** How many fields of a normalized input its model does not explain: neither sent nor its own. */
export function unexplained(normalized: FieldDigests, sent: FieldDigests, takes: WireFields): number {
  return notExplained(normalized, sent, takes).length;
}

function notExplained(normalized: FieldDigests, sent: FieldDigests, { names }: WireFields): string[] {
  return Object.keys(normalized).filter((name) => !Object.hasOwn(sent, name) && !names.includes(name));
}
