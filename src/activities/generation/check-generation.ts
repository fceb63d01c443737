import { filesIn } from '../../api/input/file-fields.ts';
import { findModel } from '../../api/models/registry.ts';
import type { RequestCheck } from '../../contract/activities.ts';
import { checkGenerationRequest } from '../../contract/checks/check-generation.ts';
import type { GenerationRequest } from '../../contract/generation.ts';
import type { ActivityDeps } from '../deps.ts';
import { lookAtFiles } from './look-at-files.ts';

/** Bytes a second that a form is sent at, at least: for so much longer its submit may take. */
const UPLOAD_RATE = 1024 ** 2;

/** Checks a `generation` request whole, and that the files of the store that it names are there. */
export async function checkGeneration(deps: ActivityDeps, request: unknown): Promise<RequestCheck> {
  const check = checkGenerationRequest(request, deps);
  if (!check.ok) return check;
  const { model: id, input, workspace } = request as GenerationRequest; // its shape was checked just now
  const model = findModel(id);
  const named = model === undefined ? [] : filesIn(model, input);
  if (named.length === 0) return check;
  const files = named.map(({ path, reference }) => ({ path: `input.${path.join('.')}`, reference }));
  const { errors, bytes } = await lookAtFiles(deps, files, workspace);
  if (errors.length > 0) return { ok: false, errors };
  return deps.files.isPublic ? check : { ...check, policy: ofForm(check.policy, bytes) };
}

/**
 * The policy for a submit that sends the files' bytes. The API shows a URL of its own for a part: unless that tells which
 * file it got, the task of a lost answer is not found. So a person is asked where it would be bought again.
 */
function ofForm<Policy extends Extract<RequestCheck, { ok: true }>['policy']>(
  policy: Policy,
  bytes: number,
): Policy {
  const { submit, reconcile } = policy;
  const timeout = submit.timeout + Math.ceil((bytes / UPLOAD_RATE) * 1_000);
  const otherwise = reconcile.otherwise === 'resubmit' ? 'ask' : reconcile.otherwise;
  return { ...policy, submit: { ...submit, timeout }, reconcile: { ...reconcile, otherwise } };
}
