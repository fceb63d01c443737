import type { StepItem } from '../../contract/pipeline.ts';
import type { Job } from '../../contract/steps/job.ts';
import { type FoundReference, fanOf, findReferences, stepsOf } from '../../contract/steps/references.ts';
import {
  type Output,
  outputsOf,
  resolveInput,
  type Source,
  type Taken,
} from '../../contract/steps/resolve-input.ts';
import { skipped } from '../../contract/steps/step-result.ts';
import { lookAgain } from './looks.ts';
import { statusAt } from './projections.ts';
import type { Run } from './run.ts';
import { endAt, idOf, pathsOf, type State, stepAt } from './state.ts';

/** What is known of a run, or would be. */
type Known = Pick<Run, 'state' | 'made'>;

/** @returns how it ends where there is nothing to do: a step that it refers to lacks such an output after all */
export async function resolved(run: Known, path: string): Promise<Job | { end: StepItem }> {
  const step = stepAt(run.state, path);
  const { references } = findReferences(step.input, '');
  const sources = await sourcesOf(run, stepsOf(references));
  const taken = takenBy(run.state, path, references, sources);
  const input = resolveInput(step.input, sources, run.state.request.params ?? {}, taken);
  if ('missing' in input) return { end: skipped(input.step, input.missing) };
  return { path, workflowId: idOf(run.state, path), step, ...input, sources };
}

/** What steps that are done have made, for those that refer to them. */
export async function sourcesOf(run: Known, names: readonly string[]): Promise<Map<string, Source>> {
  return new Map(await Promise.all(names.map(async (name) => [name, await sourceOf(run, name)] as const)));
}

async function sourceOf(run: Known, name: string): Promise<Source> {
  const outputs = await Promise.all(pathsOf(run.state, name).map((path) => outputsAt(run, path)));
  return { status: statusAt(run.state, name), outputs: outputs.flat() };
}

function outputsAt(run: Known, path: string): Promise<readonly Output[]> {
  const made = run.made.get(path) ?? findOutputs(run, path);
  run.made.set(path, made);
  return made;
}

/** Of a generation whose outputs the run before this one had no room for, they are asked for. */
async function findOutputs({ state }: Known, path: string): Promise<readonly Output[]> {
  const item = endAt(state, path)?.item;
  if (item?.status !== 'COMPLETED') return [];
  if (item.omitted?.includes('outputs') !== true) return outputsOf(item);
  const found = await lookAgain(item.workflowId, item.result.model);
  const isSame = found.kind === 'completed' && found.result.taskId === item.result.taskId;
  return isSame ? outputsOf({ ...item, result: found.result }) : [];
}

/** What an item of a fan-out takes. */
function takenBy(
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

/** The values of a parameter that a step fans out over. */
export function listOf({ request }: State, param: string): unknown[] {
  const list: unknown = request.params?.[param]; // checkPipeline has seen that it is there, and a list
  return Array.isArray(list) ? list : [];
}
