import { randomBytes } from 'node:crypto';
import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { given } from '../../api/json/given.ts';
import type { ModelOverrides } from '../../api/models/override.ts';
import type { GenerationRequest } from '../../contract/generation.ts';
import { MAX_KEY_BYTES } from '../../contract/limits.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import type { Budget } from '../../contract/purchases/payers.ts';
import { layOver } from '../../policy/lay-over.ts';
import type { PolicySubset } from '../../policy/policy-subset.ts';
import { type LatestRun, readLatestRun } from '../../temporal/latest-run.ts';
import { resetPoints, resetRun } from '../../temporal/reset-run.ts';
import { NotFollowableError } from '../failures/not-followable-error.ts';
import { RerunRefusedError } from '../failures/rerun-refused-error.ts';
import { workflowIdOf } from '../workflow-id.ts';
import { asGiven, withChanges } from './as-given.ts';
import { checkStart } from './check-start.ts';
import { startAgain, startOrAttach } from './start-or-attach.ts';

/** What is to be different in a rerun. */
export interface RerunChanges {
  /** Laid over the policy that the run was started with: `{ budget: { credits: 100 } }`. */
  policy?: PolicySubset | undefined;
  /** Of a pipeline: laid over the inputs of its steps, by step. What is changed runs again, and what follows from it. */
  inputs?: Record<string, Record<string, unknown>> | undefined;
  /** Of a pipeline. */
  budget?: { credits: number } | undefined;
  /** Of a pipeline: the key of the new one, which makes the rerun itself happen once; a random one when absent. */
  key?: string | undefined;
}

/**
 * Runs a generation or a pipeline once more, without buying again what was bought and can be used.
 *
 * @returns the workflow id to follow: the same of a generation, a new one of a pipeline
 * @throws WorkflowNotFoundError, NotFollowableError, RerunRefusedError, InvalidRequestError for a change that is wrong
 */
export async function rerunWith(
  client: Client,
  workflowId: string,
  changes: RerunChanges,
  models?: ModelOverrides,
): Promise<string> {
  const earlier = await readLatestRun<GenerationRequest & PipelineRequest>(client, workflowId);
  if (earlier === undefined) throw new WorkflowNotFoundError('there is no run', workflowId, undefined);
  const { type, request, taskQueue } = earlier;
  const policy =
    changes.policy === undefined ? {} : { policy: layOver(request?.policy ?? {}, changes.policy) };
  if (request === undefined) throw new RerunRefusedError(`${workflowId} was started without a request`);
  if (type === 'generation') {
    refuse(changes, ['inputs', 'budget', 'key'], workflowId);
    const givesBudget = changes.policy?.budget?.credits !== undefined;
    const change =
      changes.policy === undefined ? undefined : { request: { ...request, ...policy }, givesBudget };
    if (change !== undefined) checkStart({ kind: 'generation', workflowId, request: change.request }, models);
    await rerunGeneration(client, workflowId, { ...earlier, request }, change);
    return workflowId;
  }
  if (type !== 'pipeline') throw new NotFollowableError(workflowId, type);
  if (!earlier.isClosed) throw RerunRefusedError.stillRuns(workflowId);
  const { key = rerunKey(workflowId) } = changes;
  const newId = workflowIdOf('pipeline', key);
  const earlierRequest = await asGiven(client, workflowId, { ...earlier, request });
  const again = withChanges(earlierRequest, {
    ...earlierRequest,
    ...policy,
    ...goingOn({ workflowId, as: newId }, earlierRequest, changes.budget),
    steps: withInputs(earlierRequest.steps, changes.inputs ?? {}),
  });
  const start = { kind: 'pipeline', workflowId: newId, taskQueue, request: again } as const;
  checkStart(start, models);
  await startOrAttach(client, start);
  return newId;
}

/** What nobody has said anew: whatever was said of it since holds. */
const SAID_BEFORE = 0;

/**
 * A rerun takes over what the run before it has bought, and the accounts that paid for it: its own budget is raised, or goes
 * on as it is.
 *
 * @param as the rerun's own id
 * @param budget undefined: nobody has said anything of it
 */
export function goingOn(
  { workflowId, as }: { workflowId: string; as: string },
  { budget: before, budgetsAbove }: Pick<PipelineRequest, 'budget' | 'budgetsAbove'>,
  budget: Budget | undefined,
): Pick<PipelineRequest, 'budget' | 'budgetsAbove' | 'reuse'> {
  const of = before?.of ?? workflowId;
  const { since: _, ...said } = budget ?? {};
  const unchanged = before && { of, since: SAID_BEFORE, ...before };
  const above = budgetsAbove?.map((one) => ({ ...one, by: as }));
  return {
    ...given({
      budget: budget === undefined ? unchanged : { ...(said as Budget), of }, // its check tells what it lacks
      budgetsAbove: above,
    }),
    reuse: workflowId,
  };
}

function refuse(changes: RerunChanges, names: readonly (keyof RerunChanges)[], workflowId: string): void {
  const name = names.find((one) => changes[one] !== undefined);
  if (name === undefined) return;
  throw new RerunRefusedError(
    `${name} is for pipelines; ${workflowId} with another input would be another purchase`,
  );
}

function withInputs(
  steps: PipelineRequest['steps'],
  inputs: Readonly<Record<string, Record<string, unknown>>>,
): PipelineRequest['steps'] {
  const unknown = Object.keys(inputs).find((name) => !Object.hasOwn(steps, name));
  if (unknown !== undefined)
    throw new RerunRefusedError(
      `there is no step ${unknown}; the steps are: ${Object.keys(steps).join(', ')}`,
    );
  return Object.fromEntries(
    Object.entries(steps).map(([name, step]) => [
      name,
      { ...step, input: { ...step.input, ...(Object.hasOwn(inputs, name) ? inputs[name] : {}) } },
    ]),
  );
}

/**
 * Runs a generation again under its own id. A running one is reset to its first workflow task; a closed one gets a
 * new run that is told of the earlier, and may have another policy. Both adopt what was bought: nothing is paid twice.
 *
 * @param change undefined: as it was
 * @throws RerunRefusedError
 */
export async function rerunGeneration(
  client: Client,
  workflowId: string,
  earlier: LatestRun<GenerationRequest> & { request: GenerationRequest },
  change: PolicyChange | undefined,
): Promise<void> {
  const { runId, taskQueue, isClosed, request } = earlier;
  if (isClosed) {
    const again = wanted(request, change);
    const start = { kind: 'generation', workflowId, taskQueue, request: again } as const;
    await startAgain(client, start, earlier).catch((error: unknown) => {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      throw new RerunRefusedError(`${workflowId} runs again already: somebody else was quicker`);
    });
    return;
  }
  if (change !== undefined)
    throw new RerunRefusedError(
      `${workflowId} still runs with its own policy; another one is for what has ended`,
    );
  const [first] = await resetPoints(client, { workflowId, runId });
  if (first === undefined)
    throw new RerunRefusedError(
      `${workflowId} has not begun yet: there is nothing to run again (is a worker running?)`,
    );
  await resetRun(client, { workflowId, runId }, first, 'rerun');
}

/** Another policy for a generation that runs again. */
export interface PolicyChange {
  /** Its request with that policy. */
  request: GenerationRequest;
  /** Whether it was given a budget of its own with it, be it the one that it had. */
  givesBudget: boolean;
}

/** What runs again, by itself: within the budgets of its pipeline and batch; once it is given one of its own these only count. */
export function wanted(request: GenerationRequest, change?: PolicyChange): GenerationRequest {
  const again = change?.request ?? request;
  if (change?.givesBudget !== true || again.budgetsAbove === undefined) return again;
  const budgetsAbove = again.budgetsAbove.map((budget) => ({ ...budget, mayBePassed: true as const }));
  return { ...again, budgetsAbove };
}

/** `pipeline/film-3` → `film-3.rerun-` and six random digits; a rerun's own rerun does not grow longer. */
export function rerunKey(workflowId: string): string {
  const mark = `.rerun-${randomBytes(3).toString('hex')}`;
  const key = workflowId.replace(/^pipeline\//, '').replace(/\.rerun-[0-9a-f]{6}$/, '');
  const bytes = Buffer.from(key).subarray(0, MAX_KEY_BYTES - mark.length);
  // A letter that was cut in two is left out.
  return new TextDecoder().decode(bytes).replace(/\ufffd+$/, '') + mark;
}
