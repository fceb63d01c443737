import { type GenerationCode, generationCode } from '../api/codes.ts';
import type { OwnFailureType } from './generation.ts';

const AGAIN =
  'Reset this run to try again: what it has bought and can use is adopted, what failed is bought again.';

const OWN: Readonly<Record<OwnFailureType, string>> = {
  TASK_OVERDUE:
    'The task may still finish at the API. Reset this run to go on waiting for it: it is adopted, not bought again.',
  TASK_VANISHED: 'The API does not know the task any more. Reset this run to buy it again.',
  TASK_CANCELED: 'The task was canceled at the API. Reset this run to buy it again.',
  SUBMISSION_UNKNOWN:
    "A task may have been bought. Look for it in the API's dashboard. A Reset looks for it again; where it finds nothing, policy.reconcile.otherwise decides: a rerun may have another one.",
  BUDGET_EXCEEDED: 'Run it again with a larger budget; what it has bought and can use is adopted.',
  OUTPUT_UNAVAILABLE:
    'Mend what the message names, then Reset this run: the files of a task that is paid for are fetched, nothing is bought again. Where it is an input that cannot be reached, Reset the pipeline instead.',
  INVALID_REQUEST: 'Nothing was bought. Correct the fields named above and start it again.',
  PIPELINE_FAILED:
    'Where a task may still come to a result (overdue, lost, ended from outside), Reset this run: only that takes it over; what failed is bought again as it is. Else correct what failed and run it again: completed steps are taken over, not bought again.',
};

const OF_THE_API: Readonly<Record<GenerationCode, string>> = {
  INVALID_INPUT: 'The API refuses the input. Correct it and start it again, under another id.',
  INSUFFICIENT_CREDITS: 'Top up the credits, then Reset this run.',
  CONTENT_REJECTED:
    'Change the prompt or the inputs and start it again; policy.retries.CONTENT_REJECTED.resubmissions allows further tries with other seeds.',
  RATE_LIMITED: `The API has refused submits for longer than the policy waits. ${AGAIN}`,
  FAILED: AGAIN,
  PROVIDER_UNAVAILABLE: `The provider was unavailable for longer than the policy waits. ${AGAIN}`,
  TIMEOUT: AGAIN,
  UNAUTHORIZED: "Check the workspace's API key, then Reset this run.",
  WORKSPACE_FORBIDDEN: 'The API key may not use this workspace. Check it, then Reset this run.',
  TEMPLATE_NOT_FOUND: 'The API does not know the template. Correct it and start it again, under another id.',
};

/**
 * What a person can do about a failure, in one or two sentences.
 *
 * @param type the failure's: the API's code, with or without its prefix, or one of ours
 */
export function failureAdvice(type: string): string {
  if (Object.hasOwn(OWN, type)) return OWN[type as OwnFailureType]; // looked up just now
  const code = generationCode(type);
  return code === undefined ? AGAIN : OF_THE_API[code];
}
