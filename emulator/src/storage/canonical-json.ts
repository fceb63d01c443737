import { hash } from 'node:crypto';

/** JSON with the keys of every object sorted: equal values give equal text. Bytes count by their hash. */
export function canonicalJson(value: unknown): string {
  if (value instanceof Uint8Array) return hash('sha256', value, 'hex');
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
