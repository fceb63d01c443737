import type { FieldError } from '../api/field-error.ts';
import { isRecord } from '../api/is-record.ts';
import type { PipelineStep } from './pipeline.ts';

/** A reference found in a step's input. */
export type Reference =
  | { kind: 'from'; step: string; output: number }
  /** Fans the step out: one generation for each output of `step`. */
  | { kind: 'each'; step: string };

/** Stands in for a reference while a step's input is checked before anything runs. */
export const PLACEHOLDER_URL = 'https://output.invalid/of-another-step';

const MAX_OUTPUT = 10_000;

/** The reference that a value is, an error when it only tries to be one, undefined for anything else. */
export function readReference(value: unknown): Reference | { error: string } | undefined {
  if (!isRecord(value)) return undefined;
  const names = Object.keys(value);
  if (!names.some((name) => name.startsWith('$'))) return undefined;
  const { $from: from, $each: each, output = 0 } = value;
  if (names.length === 1 && typeof each === 'string') return { kind: 'each', step: each };
  const fromOnly = names.every((name) => name === '$from' || name === 'output');
  if (fromOnly && typeof from === 'string') {
    if (typeof output === 'number' && Number.isInteger(output) && output >= 0 && output <= MAX_OUTPUT) {
      return { kind: 'from', step: from, output };
    }
    return { error: 'output must be a whole number from 0' };
  }
  return { error: 'a reference is { "$from": step, "output": i } or { "$each": step }' };
}

/** Every reference in a step's input, with its path; malformed ones as errors. */
export function findReferences(
  value: unknown,
  path: string,
): { references: { path: string; reference: Reference }[]; errors: FieldError[] } {
  const found: { path: string; reference: Reference }[] = [];
  const errors: FieldError[] = [];
  const walk = (part: unknown, at: string): void => {
    const reference = readReference(part);
    if (reference !== undefined) {
      if ('error' in reference) errors.push({ path: at, message: reference.error });
      else found.push({ path: at, reference });
    } else if (Array.isArray(part)) {
      part.forEach((item, index) => walk(item, `${at}.${index}`));
    } else if (isRecord(part)) {
      for (const [name, inner] of Object.entries(part)) walk(inner, `${at}.${name}`);
    }
  };
  walk(value, path);
  return { references: found, errors };
}

/** The input with every reference replaced by what `resolve` makes of it. */
export function resolveReferences(
  input: Record<string, unknown>,
  resolve: (reference: Reference) => unknown,
): Record<string, unknown> {
  const walk = (part: unknown): unknown => {
    const reference = readReference(part);
    if (reference !== undefined && !('error' in reference)) return resolve(reference);
    if (Array.isArray(part)) return part.map(walk);
    if (isRecord(part))
      return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, walk(inner)]));
    return part;
  };
  return walk(input) as Record<string, unknown>; // an object stays one: only references are replaced
}

/** The steps that a step refers to. */
export function dependencies(step: PipelineStep): string[] {
  const { references } = findReferences(step.input, 'input');
  return [...new Set(references.map(({ reference }) => reference.step))];
}

/**
 * Unknown steps, references to oneself, cycles, and more than one fan-out in a step.
 *
 * @param names of all steps that may be referred to, those included whose own shape is wrong
 */
export function checkGraph(
  steps: Readonly<Record<string, PipelineStep>>,
  names: readonly string[] = Object.keys(steps),
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, step] of Object.entries(steps)) {
    const found = findReferences(step.input, `steps.${name}.input`);
    errors.push(...found.errors);
    for (const { path, reference } of found.references) {
      if (!names.includes(reference.step)) {
        errors.push({ path, message: `names no step of this pipeline; steps: ${names.join(', ')}` });
      }
    }
    const fans = new Set(
      found.references.flatMap(({ reference }) => (reference.kind === 'each' ? [reference.step] : [])),
    );
    if (fans.size > 1) {
      errors.push({
        path: `steps.${name}.input`,
        message: 'fans out over more than one step; use one $each',
      });
    }
  }
  const circle = findCycle(steps);
  if (circle !== undefined) {
    errors.push({ path: `steps.${circle[0]}`, message: `is part of a cycle: ${circle.join(' → ')}` });
  }
  return errors;
}

function findCycle(steps: Readonly<Record<string, PipelineStep>>): string[] | undefined {
  const done = new Set<string>();
  const visit = (name: string, trail: string[]): string[] | undefined => {
    const start = trail.indexOf(name);
    if (start >= 0) return [...trail.slice(start), name];
    const step = Object.hasOwn(steps, name) ? steps[name] : undefined;
    if (step === undefined || done.has(name)) return undefined;
    for (const next of dependencies(step)) {
      const circle = visit(next, [...trail, name]);
      if (circle !== undefined) return circle;
    }
    done.add(name);
    return undefined;
  };
  for (const name of Object.keys(steps)) {
    const circle = visit(name, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}
