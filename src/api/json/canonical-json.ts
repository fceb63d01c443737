import { isRecord } from './is-record.ts';

/**
 * JSON with the fields of every object in the order of their names, so that equal values are equal texts. Fields without
 * a value do not count.
 *
 * @param counted what a value counts as: a text without the blanks around it, say
 */
export function canonicalJson(value: unknown, counted: (value: unknown) => unknown = (one) => one): string {
  const one = counted(value);
  if (Array.isArray(one)) return `[${one.map((inner) => canonicalJson(inner, counted)).join(',')}]`;
  if (!isRecord(one)) return JSON.stringify(one) ?? 'null';
  const fields = Object.entries(one).filter(([, inner]) => inner !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner, counted)}`).join(',')}}`;
}
