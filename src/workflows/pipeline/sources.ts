import { type Output, outputsOf, type Source } from '../../contract/steps/resolve-input.ts';
import { allOf } from './all-of.ts';
import { lookAgain } from './looks.ts';
import { statusAt } from './projections.ts';
import type { Run } from './run.ts';
import { endAt, pathsOf } from './state.ts';

/** What steps that are done have made, for those that refer to them. */
export async function sourcesOf(run: Run, names: readonly string[]): Promise<Map<string, Source>> {
  return new Map(await allOf(names.map(async (name) => [name, await sourceOf(run, name)] as const)));
}

async function sourceOf(run: Run, name: string): Promise<Source> {
  const outputs = await allOf(pathsOf(run.state, name).map((path) => outputsAt(run, path)));
  return { status: statusAt(run.state, name), outputs: outputs.flat() };
}

function outputsAt(run: Run, path: string): Promise<readonly Output[]> {
  const made = run.made.get(path) ?? findOutputs(run, path);
  run.made.set(path, made);
  return made;
}

/** Of a generation whose outputs the run before this one had no room for, they are asked for. */
async function findOutputs({ state }: Run, path: string): Promise<readonly Output[]> {
  const item = endAt(state, path)?.item;
  if (item?.status !== 'COMPLETED') return [];
  if (item.omitted?.includes('outputs') !== true) return outputsOf(item);
  const found = await lookAgain(item.workflowId, item.result.model);
  const isSame = found.kind === 'completed' && found.result.taskId === item.result.taskId;
  return isSame ? outputsOf({ ...item, result: found.result }) : [];
}
