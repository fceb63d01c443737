import type { Mistake } from '../../api/input/mistakes.ts';
import { isRecord } from '../../api/json/is-record.ts';

/** A reference found in a step's input. */
export type Reference =
  /** The URL of one output. */
  | { kind: 'from'; step: string; output: number }
  /** The list of the URLs of all outputs. */
  | { kind: 'all'; step: string }
  /** Fans the step out: one generation for each output of `step`. */
  | { kind: 'each'; step: string }
  /** The value that the request's `params` has under that name. */
  | { kind: 'param'; param: string }
  /** Fans the step out: one generation for each value of a parameter that is a list. */
  | { kind: 'each param'; param: string };

export interface FoundReference {
  path: string;
  reference: Reference;
}

/** What a walk over inputs has looked at: the tests see by it that the work grows as the request does. */
export interface Tally {
  visits: number;
}

const MAX_OUTPUT = 10_000;
const FORMS = '{ "$from": step, "output": i }, { "$all": step }, { "$each": step } or { "$param": name }';

/** The reference that a value is, an error when it only tries to be one, undefined for anything else. */
export function readReference(value: unknown): Reference | { error: string } | undefined {
  if (!isRecord(value)) return undefined;
  const names = Object.keys(value);
  if (!names.some((name) => name.startsWith('$'))) return undefined;
  const { $from: from, $each: each, $all: all, $param: param, output = 0 } = value;
  if (names.length === 1) {
    if (typeof all === 'string') return { kind: 'all', step: all };
    if (typeof param === 'string') return { kind: 'param', param };
    if (typeof each === 'string') return { kind: 'each', step: each };
    const listed = readReference(each);
    if (listed !== undefined && 'kind' in listed && listed.kind === 'param')
      return { kind: 'each param', param: listed.param };
  }
  const fromOnly = names.every((name) => name === '$from' || name === 'output');
  if (fromOnly && typeof from === 'string') {
    if (typeof output === 'number' && Number.isInteger(output) && output >= 0 && output <= MAX_OUTPUT) {
      return { kind: 'from', step: from, output };
    }
    return { error: 'output must be a whole number from 0' };
  }
  return { error: `a reference is ${FORMS}` };
}

/**
 * Every reference in a step's input, in its order, with its path; malformed ones as mistakes. Looks at each value
 * once, and does not recurse.
 */
export function findReferences(
  value: unknown,
  path: string,
  tally: Tally = { visits: 0 },
): { references: FoundReference[]; errors: Mistake[] } {
  const references: FoundReference[] = [];
  const errors: Mistake[] = [];
  const ahead: { part: unknown; at: string }[] = [{ part: value, at: path }];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    tally.visits += 1;
    const { part, at } = next;
    const reference = readReference(part);
    if (reference !== undefined) {
      if ('error' in reference) errors.push({ path: at, message: reference.error });
      else references.push({ path: at, reference });
    } else if (Array.isArray(part) || isRecord(part)) {
      const inner = Object.entries(part).map(([name, value]) => ({ part: value, at: `${at}.${name}` }));
      for (const one of inner.toReversed()) ahead.push(one);
    }
  }
  return { references, errors };
}

/** The input with every reference replaced by what `resolve` makes of it. It must not be nested without bounds. */
export function resolveReferences(
  input: Record<string, unknown>,
  resolve: (reference: Reference, path: string) => unknown,
): Record<string, unknown> {
  const walk = (part: unknown, path: string): unknown => {
    const reference = readReference(part);
    if (reference !== undefined && !('error' in reference)) return resolve(reference, path);
    const inside = (name: string | number): string => (path === '' ? String(name) : `${path}.${name}`);
    if (Array.isArray(part)) return part.map((item, index) => walk(item, inside(index)));
    if (isRecord(part))
      return Object.fromEntries(
        Object.entries(part).map(([name, inner]) => [name, walk(inner, inside(name))]),
      );
    return part;
  };
  return walk(input, '') as Record<string, unknown>; // an object stays one: only references are replaced
}

/** The steps that references name, each once. */
export function stepsOf(references: readonly FoundReference[]): string[] {
  return [...new Set(references.flatMap(({ reference }) => ('step' in reference ? reference.step : [])))];
}

/** Whether a step with that input is fanned out. */
export const fansOut = (input: unknown): boolean => fanOf(findReferences(input, '').references) !== undefined;

/** The reference that fans a step out, where one does. */
export function fanOf(
  references: readonly FoundReference[],
): Extract<Reference, { kind: 'each' | 'each param' }> | undefined {
  for (const { reference } of references) {
    if (reference.kind === 'each' || reference.kind === 'each param') return reference;
  }
  return undefined;
}
