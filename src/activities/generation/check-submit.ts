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
import { checkGeneration, isPlanFor } from './check-generation.ts';
import { invalidRequest, notConfigured } from './to-failure.ts';

/** A submit that was checked: `input` is what it sends, by our names, and `askedInput` the request's, whose seed may be another. */
export interface CheckedSubmit
  extends Omit<SubmitTaskInput, 'request' | 'plan' | 'seed'>,
    Omit<GenerationRequest, 'workspace' | 'policy'>,
    Pick<Policy, 'vanished'> {
  askedInput: GenerationRequest['input'];
  workspace: string;
  plan: Plan;
  definition: Model;
  /** Its check has refused it: nothing may be bought for it, and what was bought before is taken over all the same. */
  refused: ApplicationFailure | undefined;
  /** Whether its workflow has to know the plan first: it is scheduled with other times, or nothing tells it of a form. */
  isToReschedule: boolean;
}

/** The times that a submit is scheduled with, in milliseconds. */
export function scheduledTimes({ plan, request }: SubmitTaskInput): Policy['submit'] {
  return plan?.policy.submit ?? submitTimes(isRecord(request) ? request['policy'] : undefined);
}

/**
 * Checks a submit's request, where that was not done yet, or not for what this worker sends.
 *
 * @throws ApplicationFailure INVALID_REQUEST where no worker can have made it; NOT_CONFIGURED, which is retryable, where
 *   the request is right by another worker's check and this one cannot make it
 */
export async function checkSubmit(deps: ActivityDeps, submit: SubmitTaskInput): Promise<CheckedSubmit> {
  const { plan: known, request: asked, seed, ...rest } = submit;
  const isPlanned = known !== undefined && isPlanFor(asked as GenerationRequest, deps, known); // it was checked
  const { plan, refused } = isPlanned ? { plan: known } : await check(deps, asked, known);
  const { workspace = DEFAULT_WORKSPACE, policy: _, ...request } = asked as GenerationRequest; // it was checked
  const definition = findModel(request.model);
  if (definition === undefined) throw notConfigured(`model ${request.model} is not known to this worker`);
  if (refused === undefined) accessTo(deps, workspace);
  const { timeout, heartbeat } = scheduledTimes(submit);
  const wanted = plan.policy.submit;
  const isUnknownForm = plan.isOfForm === true && plan !== known;
  return {
    ...rest,
    ...request,
    input: seed === undefined ? request.input : { ...request.input, seed },
    askedInput: request.input,
    workspace,
    vanished: plan.policy.vanished,
    plan,
    definition,
    refused,
    isToReschedule:
      refused === undefined &&
      (isUnknownForm || timeout !== wanted.timeout || heartbeat !== wanted.heartbeat),
  };
}

/** @throws NOT_CONFIGURED, which is retryable: another worker may have the key */
export function accessTo(
  { workspaces }: Pick<ActivityDeps, 'workspaces'>,
  workspace: string,
): WorkspaceAccess {
  const access = workspaces.get(workspace);
  if (access === undefined) throw notConfigured(`workspace ${workspace} is not configured on this worker`);
  return access;
}

/** @throws INVALID_REQUEST where the request tells no plan */
async function check(
  deps: ActivityDeps,
  request: unknown,
  known: Plan | undefined,
): Promise<{ plan: Plan; refused?: ApplicationFailure }> {
  const checked = await checkGeneration(deps, request, known).catch((error: unknown): RequestCheck => {
    return { ok: false, errors: [{ path: 'request', message: `cannot be checked: ${String(error)}` }] };
  });
  if (checked.ok) {
    const { ok: _, ...plan } = checked;
    return { plan };
  }
  const refused = invalidRequest(checked.errors);
  if (checked.plan === undefined) throw refused;
  return { plan: checked.plan, refused };
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
    if (plan !== undefined && plan !== known.plan) noted.plan = plan;
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
