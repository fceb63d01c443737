import { type FoundReference, fanOf } from '../../contract/steps/references.ts';
import type { Source, Taken } from '../../contract/steps/resolve-input.ts';
import type { Run } from './run.ts';
import type { State } from './state.ts';

/** Which output, or value of a parameter, each item of a fan-out takes, by its index; undefined where the step is not fanned out. */
export async function positionsOf(
  { state, earlier }: Run,
  name: string,
  references: readonly FoundReference[],
  sources: ReadonlyMap<string, Source>,
): Promise<readonly (number | null)[] | undefined> {
  const fan = fanOf(references);
  if (fan === undefined) return undefined;
  const known = state.fans.get(name);
  if (known !== undefined) return known;
  if (fan.kind === 'each param') return listOf(state, fan.param).map((_, index) => index);
  const outputs = sources.get(fan.step)?.outputs ?? [];
  return assignOutputs(
    outputs.map((output) => output.name),
    await earlier.itemsOf(name),
  );
}

/** What an item of a fan-out takes. */
export function takenBy(
  state: State,
  path: string,
  references: readonly FoundReference[],
  sources: ReadonlyMap<string, Source>,
): Taken | undefined {
  const [name = '', index] = path.split('/');
  const fan = fanOf(references);
  const position = state.fans.get(name)?.[Number(index)];
  if (fan === undefined || index === undefined || typeof position !== 'number') return undefined;
  if (fan.kind === 'each param') return { value: listOf(state, fan.param)[position] };
  const output = sources.get(fan.step)?.outputs[position];
  return output === undefined ? undefined : { output };
}

function listOf({ request }: State, param: string): unknown[] {
  const list: unknown = request.params?.[param]; // checkPipeline has seen that it is there, and a list
  return Array.isArray(list) ? list : [];
}

/**
 * Which output each item of a fan-out takes. An item that an earlier run has started keeps the output that it was
 * started for, wherever that stands now: what was bought is neither bought again nor mistaken for something else. The
 * other outputs get the other indexes, both in their order.
 *
 * @param outputs by what they are, in order
 * @param started what items of earlier runs were started for, by index
 * @returns by index, the position of the output that it takes; null: no output is left for it
 */
export function assignOutputs(
  outputs: readonly string[],
  started: ReadonlyMap<number, string>,
): (number | null)[] {
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
  const length = Math.max(-1, ...assigned.keys()) + 1;
  return Array.from({ length }, (_, at) => assigned.get(at) ?? null);
}
