import { isRecord } from '../../../src/api/json/is-record.ts';
import type { Difference } from './difference.ts';

/**
 * Where two bodies differ in what stands in them, and of which type; null fits any.
 *
 * @param sent names of the input's fields that both were sent
 */
export function differInShape(
  theirs: unknown,
  ours: unknown,
  sent: readonly string[] = [],
): Pick<Difference, 'says' | 'assumption'>[] {
  const found: Pick<Difference, 'says' | 'assumption'>[] = [];
  const [recorded, emulated] = [shapeOf(theirs), shapeOf(ours)];
  for (const [path, type] of recorded) {
    const own = emulated.get(path);
    const assumption = assumptionOf(path);
    if (own === undefined && !isBelowNothing(path, emulated))
      found.push({ says: `${path} (${type}) is not in the emulator's answer`, ...assumption });
    else if (own !== undefined && !areAlike(own, type))
      found.push({ says: `${path} was of type ${type}, the emulator's is ${own}`, ...assumption });
  }
  for (const [path, type] of emulated)
    if (!recorded.has(path) && !sent.includes(path.replace('input.', '')) && !isBelowNothing(path, recorded))
      found.push({ says: `${path} (${type}) is in the emulator's answer alone`, ...assumptionOf(path) });
  return found;
}

function areAlike(one: string, other: string): boolean {
  if (one === other || one === 'null' || other === 'null') return true;
  return one.endsWith('list') && other.endsWith('list');
}

/** Nobody knows what would stand below what is null, or in a list that is empty. */
function isBelowNothing(path: string, shape: ReadonlyMap<string, string>): boolean {
  const above = path.slice(0, Math.max(0, path.lastIndexOf('.')));
  if (above === '') return false;
  return shape.get(above) === 'null' || shape.get(above) === 'empty list' || isBelowNothing(above, shape);
}

/** The assumption that a part of an answer goes by. */
function assumptionOf(path: string): { assumption?: string } {
  if (path.startsWith('input.')) return { assumption: 'inputDefaults' };
  if (path.startsWith('details')) return { assumption: 'insufficientCreditsDetails' };
  if (/^data\.(sound|audio)/.test(path)) return { assumption: 'audioOutput' };
  return path === 'data' ? { assumption: 'bareUriModels' } : {};
}

/** What stands where: the type of each part, by its path; of a list what its first entry has. */
function shapeOf(value: unknown, path = ''): Map<string, string> {
  const shape = new Map<string, string>();
  const inside = (name: string): string => (path === '' ? name : `${path}.${name}`);
  if (path !== '') shape.set(path, typeOf(value));
  const parts = Array.isArray(value) ? { 0: value[0] } : isRecord(value) ? value : {};
  for (const [name, inner] of Object.entries(parts))
    if (inner !== undefined) for (const [at, type] of shapeOf(inner, inside(name))) shape.set(at, type);
  return shape;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'empty list' : 'list';
  return typeof value;
}
