import { MOST_GENERATIONS } from '../../contract/limits.ts';
import { assignOutputs } from '../../contract/steps/assign-outputs.ts';
import type { StepStage } from '../../contract/steps/carried-pipeline.ts';
import { type FoundReference, fanOf, findReferences, stepsOf } from '../../contract/steps/references.ts';
import type { Source } from '../../contract/steps/resolve-input.ts';
import { failedBefore, skipped, whyUnusable } from '../../contract/steps/step-result.ts';
import { nextTurn } from './advance.ts';
import { listOf, sourcesOf } from './resolve.ts';
import type { Run } from './run.ts';
import { settledAs } from './settle.ts';
import { type Change, idOf, put, stepAt } from './state.ts';

/** What a step refers to is done: it is skipped, asked about, or waits for its turn, in one piece or item by item. */
export async function unblock(
  run: Run,
  name: string,
  { isApproved }: Extract<StepStage, { at: 'blocked' }>,
): Promise<Change> {
  const step = stepAt(run.state, name);
  const { references } = findReferences(step.input, '');
  const sources = await sourcesOf(run, stepsOf(references));
  const broken = [...sources].find(([, { status, outputs }]) => outputs.length === 0 || status === 'FAILED');
  if (broken !== undefined) {
    const [need, { status }] = broken;
    return (state) => settledAs(state, name, skipped(need, whyUnusable(status)));
  }
  if (step.approve === true && isApproved !== true) return (state) => put(state, [name, { at: 'approval' }]);
  const positions = await positionsOf(run, name, references, sources);
  if (positions === undefined)
    return (state) => put(state, [name, { at: 'seeking', place: 'queued', turn: nextTurn(state) }]);
  const count = positions.filter((position) => position !== null).length;
  if (count > MOST_GENERATIONS) {
    const message = `would fan out into ${count} generations; at most ${MOST_GENERATIONS} are taken`;
    const item = failedBefore(idOf(run.state, name), { type: 'INVALID_REQUEST', message });
    return (state) => settledAs(state, name, item);
  }
  return (state) => ({
    ...put(state, [name, { at: 'fanned' }]),
    fans: new Map(state.fans).set(name, positions),
  });
}

/** Which output, or value of a parameter, each item of a fan-out takes, by its index; undefined where the step is not fanned out. */
async function positionsOf(
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
