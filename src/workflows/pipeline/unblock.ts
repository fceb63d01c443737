import { MOST_APPROVED_BEFORE, MOST_GENERATIONS } from '../../contract/limits.ts';
import { leavesTask } from '../../contract/purchases/bought-nothing.ts';
import { assignOutputs } from '../../contract/steps/assign-outputs.ts';
import type { StepStage } from '../../contract/steps/carried-pipeline.ts';
import { type FoundReference, fanOf, findReferences, stepsOf } from '../../contract/steps/references.ts';
import type { Source } from '../../contract/steps/resolve-input.ts';
import { failedBefore, skipped, whyUnusable } from '../../contract/steps/step-result.ts';
import { nextTurn } from './advance.ts';
import { withInput } from './answers.ts';
import { isOfStep, type Job } from './job.ts';
import { look } from './looks.ts';
import { listOf, resolved, sourcesOf } from './resolve.ts';
import type { Run } from './run.ts';
import { reusable } from './seek.ts';
import { settledAs } from './settle.ts';
import { blocked, type Change, idOf, pathsOf, put, stepAt } from './state.ts';

/** So many generations of a step are looked at at the same time. */
const AT_ONCE = 20;

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
    return (await approvedBefore(run, name)) ?? ((state) => put(state, [name, { at: 'approval' }]));
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
  const { state } = run;
  const { input } = last ?? {};
  if (input != null && !state.inputs.has(name)) return (now) => blocked(withInput(now, name, input), name);
  if (last === undefined && state.request.reuse === undefined) return undefined;
  const jobs = await jobsOf(run, name);
  // What is that large is asked about: who approves it finds what was begun.
  if (jobs.length === 0 || jobs.length > MOST_APPROVED_BEFORE) return undefined;
  const { made, earlier } = run;
  const later = await Promise.all(
    (last?.after ?? []).map((one) => jobsOf({ made, earlier, state: withInput(state, name, one) }, name)),
  );
  for (let at = 0; at < jobs.length; at += AT_ONCE) {
    const some = jobs.slice(at, at + AT_ONCE);
    const paid = await Promise.all(
      some.map(async (job) => {
        const others = later.flatMap((all) => all.find(({ path }) => path === job.path) ?? []);
        return (await isBegun(run, last === undefined ? [] : [job, ...others])) ?? (await isReused(run, job));
      }),
    );
    if (paid.includes(false)) return undefined;
  }
  return (now) => blocked(now, name, true);
}

/**
 * Whether the generation that was begun last has come to a result or may; undefined: there is none.
 *
 * @param jobs one thing by the inputs that it was tried with, in order
 */
async function isBegun(run: Run, jobs: readonly Job[]): Promise<boolean | undefined> {
  for (const job of jobs.toReversed()) {
    const found = await look(run, job);
    if (isOfStep(found, job)) return found.kind !== 'failed' || leavesTask(found.failure);
  }
  return undefined;
}

async function isReused(run: Run, job: Job): Promise<boolean> {
  return (await reusable(run, job))?.kind === 'completed';
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
