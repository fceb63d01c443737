import { ApplicationFailure } from '@temporalio/common';
import { isRecord } from '../../api/json/is-record.ts';
import type { Model } from '../../api/models/define-model.ts';
import { findModel } from '../../api/models/registry.ts';
import type { RequestCheck } from '../../contract/activities.ts';
import type { GenerationRequest } from '../../contract/generation.ts';
import type {
  Plan,
  RejectionDetails,
  SubmitTaskInput,
  SubmitTaskResult,
} from '../../contract/tasks/submit-task.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import type { Policy } from '../../policy/policy.ts';
import { submitTimes } from '../../policy/submit-times.ts';
import type { WorkspaceAccess } from '../api-access.ts';
import type { ActivityDeps } from '../deps.ts';
import { checkGeneration } from './check-generation.ts';
import { invalidRequest, notConfigured } from './to-failure.ts';

/** A submit whose request is right: `input` is what it sends, by our names, and `askedInput` the request's, whose seed may be another. */
export interface CheckedSubmit
  extends Omit<SubmitTaskInput, 'request' | 'plan' | 'seed'>,
    Omit<GenerationRequest, 'workspace' | 'policy'>,
    Pick<Policy, 'vanished'> {
  askedInput: GenerationRequest['input'];
  workspace: string;
  plan: Plan;
  definition: Model;
  access: WorkspaceAccess;
  /** Whether its workflow could not know the times that it is to be scheduled with. */
  isToReschedule: boolean;
}

/** The times that a submit is scheduled with, in milliseconds. */
export function scheduledTimes({ plan, request }: SubmitTaskInput): Policy['submit'] {
  return plan?.policy.submit ?? submitTimes(isRecord(request) ? request['policy'] : undefined);
}

/**
 * Checks a submit's request, where that was not done yet.
 *
 * @throws ApplicationFailure INVALID_REQUEST; NOT_CONFIGURED, which is retryable, where the request is right by another
 *   worker's check and this one cannot make it
 */
export async function checkSubmit(deps: ActivityDeps, submit: SubmitTaskInput): Promise<CheckedSubmit> {
  const { plan: known, request: asked, seed, ...rest } = submit;
  const plan = known ?? (await check(deps, asked)); // which refuses what this worker cannot make
  const { workspace = DEFAULT_WORKSPACE, policy: _, ...request } = asked as GenerationRequest; // it was checked
  const definition = findModel(request.model);
  const access = deps.workspaces.get(workspace);
  if (definition === undefined || access === undefined) {
    throw notConfigured(
      definition === undefined
        ? `model ${request.model} is not known to this worker`
        : `workspace ${workspace} is not configured on this worker`,
    );
  }
  const { timeout, heartbeat } = scheduledTimes(submit);
  const wanted = plan.policy.submit;
  return {
    ...rest,
    ...request,
    input: seed === undefined ? request.input : { ...request.input, seed },
    askedInput: request.input,
    workspace,
    vanished: plan.policy.vanished,
    plan,
    definition,
    access,
    isToReschedule: timeout !== wanted.timeout || heartbeat !== wanted.heartbeat,
  };
}

async function check(deps: ActivityDeps, request: unknown): Promise<Plan> {
  const checked = await checkGeneration(deps, request).catch((error: unknown): RequestCheck => {
    return { ok: false, errors: [{ path: 'request', message: `cannot be checked: ${String(error)}` }] };
  });
  if (!checked.ok) throw invalidRequest(checked.errors);
  const { ok: _, ...plan } = checked;
  return plan;
}

/** What the check of a request has come to, and whether it was looked for what earlier runs have bought. */
export type Noted = Pick<SubmitTaskResult, 'plan' | 'lookedBack'>;

/** Tells the workflow what is noted, where it does not know, however the submit ends. */
export async function tellingNoted(
  known: SubmitTaskInput,
  submit: (note: (news: Noted) => void) => Promise<SubmitTaskResult>,
): Promise<SubmitTaskResult> {
  const noted: Noted = {};
  const note = ({ plan, lookedBack }: Noted): void => {
    if (plan !== undefined && known.plan === undefined) noted.plan = plan;
    if (lookedBack !== undefined && known.lookedBack === undefined) noted.lookedBack = lookedBack;
  };
  try {
    return { ...(await submit(note)), ...noted };
  } catch (error) {
    if (!(error instanceof ApplicationFailure) || error.nonRetryable !== true) throw error;
    const { type, message, details } = error;
    const told = details?.[0] as RejectionDetails | undefined; // thrown by to-failure.ts
    throw ApplicationFailure.create({
      ...(type == null ? {} : { type }),
      message,
      nonRetryable: true,
      details: [{ ...told, ...noted }],
    });
  }
}
