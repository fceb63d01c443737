import { type FoundReference, fanOf } from '../../contract/steps/references.ts';
import type { Source, Taken } from '../../contract/steps/resolve-input.ts';
import type { EarlierRuns } from './earlier-runs.ts';

interface FanOptions {
  params: Readonly<Record<string, unknown>> | undefined;
  /** By step: which output (by position) each item (by index) takes; what is found is noted there. */
  assigned: Map<string, Map<number, number>>;
  earlier: EarlierRuns;
}

/** What each item of a fan-out takes, by its index; undefined where the step is not fanned out. */
export async function itemsOf(
  name: string,
  references: readonly FoundReference[],
  sources: ReadonlyMap<string, Source>,
  { params, assigned, earlier }: FanOptions,
): Promise<Map<number, Taken> | undefined> {
  const fan = fanOf(references);
  if (fan === undefined) return undefined;
  if (fan.kind === 'each param') {
    const list: unknown = params?.[fan.param]; // checkPipeline has seen that it is there, and a list
    return new Map((Array.isArray(list) ? list : []).map((value: unknown, index) => [index, { value }]));
  }
  const { outputs = [] } = sources.get(fan.step) ?? {};
  const positions =
    assigned.get(name) ??
    assignOutputs(
      outputs.map((output) => output.name),
      await earlier.itemsOf(name),
    );
  assigned.set(name, positions);
  return new Map(
    [...positions].flatMap(([index, position]) => {
      const output = outputs[position];
      return output === undefined ? [] : [[index, { output }] as const];
    }),
  );
}

/**
 * Which output each item of a fan-out takes. An item that an earlier run has started keeps the output that it was
 * started for, wherever that stands now: what was bought is neither bought again nor mistaken for something else. The
 * other outputs get the other indexes, both in their order.
 *
 * @param outputs by what they are, in order
 * @param started what items of earlier runs were started for, by index
 * @returns by index, the position of the output that it takes
 */
export function assignOutputs(
  outputs: readonly string[],
  started: ReadonlyMap<number, string>,
): Map<number, number> {
  const positions = new Map(outputs.map((output, position) => [output, position]));
  const assigned = new Map<number, number>();
  for (const [index, output] of started) {
    const position = positions.get(output);
    if (position === undefined) continue;
    assigned.set(index, position);
    positions.delete(output);
  }
  let index = 0;
  for (const position of positions.values()) {
    while (assigned.has(index)) index += 1;
    assigned.set(index, position);
  }
  return new Map([...assigned].sort(([a], [b]) => a - b));
}
