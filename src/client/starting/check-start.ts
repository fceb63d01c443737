import { firstError } from '../../api/input/mistakes.ts';
import type { ModelOverrides } from '../../api/models/override.ts';
import { NO_USAGE } from '../../api/records/usage.ts';
import { anyWorker } from '../../contract/checks/any-worker.ts';
import { checkGenerationRequest } from '../../contract/checks/check-generation.ts';
import { checkPipelineRequest } from '../../contract/checks/check-pipeline.ts';
import { doubtOf } from '../../policy/doubtful-policy.ts';
import { parsePolicy } from '../../policy/parse-policy.ts';
import { DEFAULT_POLICY } from '../../policy/policy.ts';
import { failureError } from '../failures/failure-error.ts';
import type { Started } from './start-request.ts';

/**
 * Refuses what the workflow would refuse, before anything is started. Workspaces are the worker's to know.
 *
 * @param models what the worker's DARKROOM_CONFIG says of them; undefined where that is not known
 * @throws InvalidRequestError with every wrong field
 */
export function checkStart(
  { kind, workflowId, request }: Started & { workflowId: string },
  models?: ModelOverrides,
): void {
  const deps = { ...anyWorker(request.workspace), ...(models === undefined ? {} : { models }) };
  const check =
    kind === 'generation' ? checkGenerationRequest(request, deps) : checkPipelineRequest(request, deps);
  if (check.ok) return warnOfPolicies(request);
  const { errors } = check;
  const details = { attempts: [], usage: NO_USAGE, charged: NO_USAGE, errors };
  throw failureError({ kind, workflowId, type: 'INVALID_REQUEST', message: firstError(errors), details });
}

/** What was warned of in this process: a service sends the same policy with each request. */
const told = new Set<string>();
const MOST_TOLD = 100;

/**
 * Warns (`process.emitWarning`, `DarkroomWarning`) of policies that can hardly be meant: what they lead to is paid for.
 * Each is said once.
 */
export function warnOfPolicies(request: {
  policy?: unknown;
  steps?: Record<string, { policy?: unknown }>;
}): void {
  const steps = Object.entries(request.steps ?? {});
  const policies: [path: string, policy: unknown][] = [
    ['', request.policy],
    ...steps.map(([name, { policy }]): [string, unknown] => [`steps.${name}.`, policy]),
  ];
  for (const [path, policy] of policies) {
    if (policy === undefined) continue;
    const doubt = doubtOf(parsePolicy(policy, DEFAULT_POLICY).policy);
    if (doubt === undefined || told.has(doubt) || told.size >= MOST_TOLD) continue;
    told.add(doubt);
    process.emitWarning(`${path}${doubt}`, 'DarkroomWarning');
  }
}
