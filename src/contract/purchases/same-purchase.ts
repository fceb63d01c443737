import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../api/json/is-record.ts';
import { type FoundReference, findReferences } from '../steps/references.ts';
import { purchaseOf } from './purchase-of.ts';

/** How deep a difference is named: `steps.clip.input.duration`. */
const DEEPEST = 4;

/** Where a request differs from the one that a run was started with, as paths; none: it is the same purchase. */
export function differences(kind: 'generation' | 'pipeline', request: object, earlier: unknown): string[] {
  const sent: unknown = JSON.parse(JSON.stringify(request)); // as the earlier one went through the converter
  return unlike(purchaseOf(kind, sent), purchaseOf(kind, earlier), []);
}

/**
 * Whether a pipeline has a step that would make the same as the one of that name in an earlier pipeline. A step that
 * uses others does only where those do: so the ones that use none tell.
 */
export function sharesStep(request: object, earlier: unknown): boolean {
  const changed = new Set(differences('pipeline', request, earlier).map(two));
  if (changed.has('workspace')) return false;
  const isUnchanged = ({ reference }: FoundReference): boolean =>
    'param' in reference && !changed.has('params') && !changed.has(`params.${reference.param}`);
  const { steps } = purchaseOf('pipeline', request);
  return Object.entries(isRecord(steps) ? steps : {}).some(([id, step]) => {
    const { references } = findReferences(isRecord(step) ? step['input'] : undefined, '');
    return !changed.has(`steps.${id}`) && references.every(isUnchanged);
  });
}

/** The first two names of a path. */
function two(path: string): string {
  return path.split('.').slice(0, 2).join('.');
}

function unlike(one: unknown, other: unknown, path: readonly string[]): string[] {
  if (isDeepStrictEqual(one, other)) return [];
  if (!isRecord(one) || !isRecord(other) || path.length >= DEEPEST) return [path.join('.')];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].flatMap((name) => unlike(ownValue(one, name), ownValue(other, name), [...path, name]));
}

function ownValue(record: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
