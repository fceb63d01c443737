import { Context } from '@temporalio/activity';
import { filesIn } from '../../api/input/file-fields.ts';
import { isRecord } from '../../api/json/is-record.ts';
import { findModel } from '../../api/models/registry.ts';
import type { RequestCheck } from '../../contract/activities.ts';
import { anyWorker } from '../../contract/checks/any-worker.ts';
import { type CheckDeps, checkGenerationRequest } from '../../contract/checks/check-generation.ts';
import type { GenerationRequest } from '../../contract/generation.ts';
import { payersOf } from '../../contract/purchases/payers.ts';
import type { Plan } from '../../contract/tasks/submit-task.ts';
import type { Policy } from '../../policy/policy.ts';
import type { ActivityDeps } from '../deps.ts';
import { lookAtFiles, type NamedFile } from './look-at-files.ts';

/** Bytes a second that a form is sent at, at least: for so much longer its submit may take. */
const UPLOAD_RATE = 1024 ** 2;

/**
 * Checks a `generation` request whole, and that the files of the store that it names are there.
 *
 * @param known its plan, where it was checked before: only its files are looked at
 */
export async function checkGeneration(
  deps: ActivityDeps,
  request: unknown,
  known?: Plan,
): Promise<RequestCheck> {
  const check = known === undefined ? checkWithPayers(request, deps) : { ok: true as const, ...known };
  if (!check.ok) return { ...check, plan: planElsewhere(deps, request) };
  const checked = request as GenerationRequest;
  const files = filesOf(checked);
  if (files.length === 0) return check;
  const { errors, bytes } = await lookAtFiles(deps, files, checked.workspace);
  if (errors.length > 0) return { ok: false, errors, plan: known ?? planElsewhere(deps, request) };
  return deps.files.isPublic ? check : { ...check, policy: ofForm(check.policy, bytes), isOfForm: true };
}

/** Whether this worker can send a request by a plan of any worker: whoever sends a form needs one that was made for it. */
export function isPlanFor(request: GenerationRequest, { files }: ActivityDeps, { isOfForm }: Plan): boolean {
  return isOfForm === true || files.isPublic || filesOf(request).length === 0;
}

/** @param request whose shape was checked */
function filesOf({ model: id, input }: GenerationRequest): NamedFile[] {
  const model = findModel(id);
  const named = model === undefined ? [] : filesIn(model, input);
  return named.map(({ path, reference }) => ({ path: `input.${path.join('.')}`, reference }));
}

function checkWithPayers(request: unknown, deps: CheckDeps): RequestCheck {
  const check = checkGenerationRequest(request, deps);
  if (!check.ok) return check;
  const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
  return { ...check, ...payersOf(workflowId, check.policy.budget, request as GenerationRequest) };
}

/** The plan of a request that this worker refuses, and another one, or this one before, may have made. */
function planElsewhere({ policy }: ActivityDeps, request: unknown): Plan | undefined {
  const workspace = isRecord(request) ? request['workspace'] : undefined;
  const check = checkWithPayers(request, { ...anyWorker(workspace), policy });
  if (!check.ok) return undefined;
  const { ok: _, ...plan } = check;
  return { ...plan, policy: neverBlindly(plan.policy) };
}

/**
 * The policy for a submit that sends the files' bytes. The API shows a URL of its own for a part: unless that tells which
 * file it got, the task of a lost answer is not found.
 */
function ofForm(policy: Policy, bytes: number): Policy {
  const { submit } = policy;
  const timeout = submit.timeout + Math.ceil((bytes / UPLOAD_RATE) * 1_000);
  return neverBlindly({ ...policy, submit: { ...submit, timeout } });
}

/** A policy by which a person is asked where the task of a lost answer would be bought again. */
function neverBlindly(policy: Policy): Policy {
  const { reconcile } = policy;
  const otherwise = reconcile.otherwise === 'resubmit' ? 'ask' : reconcile.otherwise;
  return { ...policy, reconcile: { ...reconcile, otherwise } };
}
