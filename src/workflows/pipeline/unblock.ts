import { MOST_GENERATIONS } from '../../contract/limits.ts';
import { assignOutputs } from '../../contract/steps/assign-outputs.ts';
import type { StepStage } from '../../contract/steps/carried-pipeline.ts';
import type { Job } from '../../contract/steps/job.ts';
import { type FoundReference, fanOf, findReferences, stepsOf } from '../../contract/steps/references.ts';
import type { Source } from '../../contract/steps/resolve-input.ts';
import { failedBefore, skipped, whyUnusable } from '../../contract/steps/step-result.ts';
import { askedInThisRun } from '../reset-watch.ts';
import { nextTurn } from './advance.ts';
import { withInput } from './answers.ts';
import { arePaid } from './paid.ts';
import { listOf, resolved, sourcesOf } from './resolve.ts';
import type { Run } from './run.ts';
import { settledAs } from './settle.ts';
import { blocked, type Change, earlierInputs, idOf, pathsOf, put, stepAt } from './state.ts';

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
  if (step.approve === true && isApproved !== true)
    return (
      (await askedInThisRun(() => approvedBefore(run, name))) ??
      ((state) => put(state, [name, { at: 'approval' }]))
    );
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

/**
 * Nobody is asked about what is paid for: a person has let the step be bought in an earlier run, and all of it was begun
 * then, with the input that was approved or one that was given after it; or it is reused. Who is asked is asked about the
 * input that was approved last.
 *
 * @returns undefined where a person is to be asked
 */
async function approvedBefore(run: Run, name: string): Promise<Change | undefined> {
  const last = await run.earlier.approvalOf(name);
  const { state, made, earlier } = run;
  const { input, after = [] } = last ?? {};
  if (input != null && !state.inputs.has(name)) return (now) => blocked(withInput(now, name, input), name);
  if (last === undefined && state.request.reuse === undefined) return undefined;
  const jobs = await jobsOf(run, name);
  const jobsWith = (inputs: readonly Record<string, unknown>[]): Promise<Job[][]> =>
    Promise.all(inputs.map((one) => jobsOf({ made, earlier, state: withInput(state, name, one) }, name)));
  const begun = last === undefined ? [] : [jobs, ...(await jobsWith(after))].toReversed();
  const bought =
    state.request.reuse === undefined ? [] : [jobs, ...(await jobsWith(earlierInputs(state, name)))];
  const isPaid = jobs.length > 0 && (await arePaid(run, jobs, { begun, bought }));
  return isPaid ? (now) => blocked(now, name, true) : undefined;
}

/** The generations that a step needs; none where one of them lacks what it refers to. */
async function jobsOf(
  { made, earlier, state }: Pick<Run, 'made' | 'earlier' | 'state'>,
  name: string,
): Promise<Job[]> {
  const { references } = findReferences(stepAt(state, name).input, '');
  const sources = await sourcesOf({ state, made }, stepsOf(references));
  const positions = await positionsOf({ state, earlier }, name, references, sources);
  const fans = positions === undefined ? state.fans : new Map(state.fans).set(name, positions);
  const fanned = { state: { ...state, fans }, made };
  const jobs = await Promise.all(pathsOf(fanned.state, name).map((path) => resolved(fanned, path)));
  return jobs.some((job) => 'end' in job) ? [] : jobs.flatMap((job) => ('end' in job ? [] : [job]));
}

/** Which output, or value of a parameter, each item of a fan-out takes, by its index; undefined where the step is not fanned out. */
async function positionsOf(
  { state, earlier }: Pick<Run, 'state' | 'earlier'>,
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
