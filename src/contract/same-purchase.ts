import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../api/is-record.ts';
import { DEFAULT_WORKSPACE } from './workflow-ids.ts';

/** What makes two requests the same purchase; policy, tags and budget may differ. */
const IDENTITY: Record<'generation' | 'pipeline', readonly string[]> = {
  generation: ['model', 'input', 'workspace', 'templateId'],
  pipeline: ['steps', 'params', 'workspace'],
};

/** How deep a difference is named: `steps.clip.input.duration`. */
const DEEPEST = 4;

/** Where a request differs from the one that a run was started with, as paths; none: it is the same purchase. */
export function differences(kind: 'generation' | 'pipeline', request: object, earlier: unknown): string[] {
  const sent: unknown = JSON.parse(JSON.stringify(request)); // as the earlier one went through the converter
  return IDENTITY[kind].flatMap((field) => unlike(valueOf(sent, field), valueOf(earlier, field), [field]));
}

function unlike(one: unknown, other: unknown, path: readonly string[]): string[] {
  if (isDeepStrictEqual(one, other)) return [];
  if (!isRecord(one) || !isRecord(other) || path.length >= DEEPEST) return [path.join('.')];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].flatMap((name) => unlike(ownValue(one, name), ownValue(other, name), [...path, name]));
}

function valueOf(request: unknown, field: string): unknown {
  const value = isRecord(request) ? ownValue(request, field) : undefined;
  return field === 'workspace' ? (value ?? DEFAULT_WORKSPACE) : value;
}

function ownValue(record: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
