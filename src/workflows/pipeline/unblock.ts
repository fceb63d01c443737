import { MOST_GENERATIONS } from '../../contract/limits.ts';
import { leavesTask } from '../../contract/purchases/bought-nothing.ts';
import { assignOutputs } from '../../contract/steps/assign-outputs.ts';
import type { StepStage } from '../../contract/steps/carried-pipeline.ts';
import { type FoundReference, fanOf, findReferences, stepsOf } from '../../contract/steps/references.ts';
import type { Source } from '../../contract/steps/resolve-input.ts';
import { failedBefore, skipped, whyUnusable } from '../../contract/steps/step-result.ts';
import { nextTurn } from './advance.ts';
import { answered } from './answers.ts';
import { isMadeOf, type Job } from './job.ts';
import { look } from './looks.ts';
import { listOf, resolved, sourcesOf } from './resolve.ts';
import type { Run } from './run.ts';
import { reusable } from './seek.ts';
import { settledAs } from './settle.ts';
import { type Change, idOf, pathsOf, put, type State, stepAt } from './state.ts';

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
 * Nobody is asked about what is paid for: a person has let the step be bought in an earlier run, and it was begun then; or
 * it is reused.
 *
 * @returns undefined where nothing is there that may come to a result
 */
async function approvedBefore(run: Run, name: string): Promise<Change | undefined> {
  const { reuse } = run.state.request;
  const wanted = reuse === undefined ? undefined : await firstJob(run, run.state, name);
  if (wanted !== undefined && (await reusable(run, wanted)) !== null) return approved(name, null);
  for (const { input, isFollowed } of await run.earlier.approvedOf(name)) {
    const change = approved(name, input);
    const state = change(run.state);
    const job = await firstJob(run, state, name);
    if (job === undefined) continue;
    const found = await look({ state, outbox: run.outbox }, job);
    if (found.kind === 'missing' || found.kind === 'different' || !isMadeOf(found, job)) continue;
    if (found.kind !== 'failed' || isFollowed || leavesTask(found.failure)) return change;
  }
  return undefined;
}

function approved(name: string, input: Record<string, unknown> | null): Change {
  return (state) => answered(state, name, { action: 'approve', ...(input !== null && { input }) });
}

/** The first generation that a step would need in that state. */
async function firstJob({ made, earlier }: Run, state: State, name: string): Promise<Job | undefined> {
  const { references } = findReferences(stepAt(state, name).input, '');
  const sources = await sourcesOf({ state, made }, stepsOf(references));
  const positions = await positionsOf({ state, earlier }, name, references, sources);
  const fans = positions === undefined ? state.fans : new Map(state.fans).set(name, positions);
  const [path] = pathsOf({ ...state, fans }, name);
  const job = path === undefined ? undefined : await resolved({ state: { ...state, fans }, made }, path);
  return job === undefined || 'end' in job ? undefined : job;
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
