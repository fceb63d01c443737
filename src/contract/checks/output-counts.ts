import { mostOutputs, outputCount } from '../../api/models/output-count.ts';
import { fanOf, type Reference, readReference } from '../steps/references.ts';
import type { StepNode } from './step-graph.ts';

/** How much a step can make, as far as the inputs tell. */
export interface StepCount {
  generations: number;
  /** At most, where a template may say how many. */
  outputs: number;
  /** What is surely asked for. */
  outputsAsked: number;
}

/** Of each step; looks at each once, because every step comes after what it needs. */
export function countOutputs(
  ordered: readonly StepNode[],
  params: Readonly<Record<string, unknown>>,
): Map<string, StepCount> {
  const counts = new Map<string, StepCount>();
  for (const { name, step, references } of ordered) {
    const fan = fanOf(references);
    const numbers = knownNumbers(step.input, params);
    const asked = outputCount(numbers);
    const each = step.templateId === undefined ? asked : mostOutputs(step.model, numbers);
    const items = (of: 'outputs' | 'outputsAsked'): number =>
      fan === undefined ? 1 : itemsOf(fan, counts, params, of);
    const generations = items('outputs');
    const outputs = generations * each;
    counts.set(name, { generations, outputs, outputsAsked: items('outputsAsked') * asked });
  }
  return counts;
}

/** Over how many items a fan-out goes. */
function itemsOf(
  fan: Extract<Reference, { kind: 'each' | 'each param' }>,
  counts: ReadonlyMap<string, StepCount>,
  params: Readonly<Record<string, unknown>>,
  of: 'outputs' | 'outputsAsked',
): number {
  if (fan.kind === 'each') return counts.get(fan.step)?.[of] ?? 1;
  const list = paramOf(params, fan.param);
  return Array.isArray(list) ? list.length : 1;
}

/** The fields with plain values; of a parameter that is a list for a fan-out, the largest. */
function knownNumbers(
  input: Readonly<Record<string, unknown>>,
  params: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(input).map(([field, value]) => {
      const reference = readReference(value);
      if (reference === undefined || 'error' in reference) return [field, value];
      if (reference.kind === 'param') return [field, paramOf(params, reference.param)];
      const list = reference.kind === 'each param' ? paramOf(params, reference.param) : undefined;
      const numbers = [list].flat().filter((one) => typeof one === 'number');
      return [field, numbers.reduce((most, one) => Math.max(most, one), 1)];
    }),
  );
}

export function paramOf(params: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(params, name) ? params[name] : undefined;
}
