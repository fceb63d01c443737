import { withoutPrefix } from '../../api/codes.ts';
import type { Attempt } from '../../contract/generation.ts';
import { mayStillEnd } from '../../contract/may-still-end.ts';
import type { PipelineResult, StepFailure } from '../../contract/pipeline.ts';
import { itemsOf } from '../../contract/step-items.ts';
import { ownCommand } from '../../package/own-command.ts';
import { detailsOf, type RunFailure } from './run-failure.ts';

/** What can be done about a failure: why, and the command for it, where there is one. */
type Advice = (
  workflowId: string,
  spent: number,
  attempts?: readonly Attempt[],
) => readonly [why: string, command?: string];

const again =
  (why: string): Advice =>
  (workflowId) => [why, ownCommand('rerun', workflowId)];
const ADOPTS = again('What was bought is not bought again:');
const BUYS = again('To try once more, which buys a new task:');
const ANOTHER: Advice = () => ['The same request would fail again: change it, and give it another --id.'];
const KEY = again("Check the worker's DARKROOM_API_KEY and DARKROOM_CONFIG, then:");

/** By the failure's type; codes of the API without their prefix. */
const ADVICE: ReadonlyMap<string, Advice> = new Map(
  Object.entries({
    INVALID_REQUEST: ANOTHER,
    INVALID_INPUT: ANOTHER,
    CONTENT_REJECTED: ANOTHER,
    TEMPLATE_NOT_FOUND: ANOTHER,
    UNAUTHORIZED: KEY,
    FORBIDDEN: KEY,
    WORKSPACE_FORBIDDEN: KEY,
    INSUFFICIENT_CREDITS: again(`Top up (${ownCommand('credits')} tells the balance), then:`),
    BUDGET_EXCEEDED: (workflowId, spent) => [
      'To go on with more budget:',
      ownCommand('rerun', workflowId, '--set', `policy.budget.credits=${more(spent)}`),
    ],
    TASK_OVERDUE: again('The task may still finish. To wait for the same one, or take its result:'),
    SUBMISSION_UNKNOWN: (workflowId) => [
      'To look for the lost task once more, and to buy it where it is not found:',
      ownCommand('rerun', workflowId, '--set', 'policy.reconcile.otherwise=resubmit'),
    ],
    OUTPUT_UNAVAILABLE: (workflowId, _, attempts) =>
      attempts !== undefined && !attempts.some(({ outcome }) => outcome === 'completed')
        ? ['Its input can no longer be reached. Once it can, reset its pipeline.']
        : ['To fetch the files of the same task again:', ownCommand('rerun', workflowId)],
    CANCELLED: ADOPTS,
    TERMINATED: ADOPTS,
    TIMED_OUT: ADOPTS,
  }),
);

/**
 * What to do next about a run that failed, in a line or two.
 *
 * @param type the workflow's
 */
export function nextStep(workflowId: string, failure: RunFailure, type = 'generation'): string {
  const { steps, usage, attempts } = detailsOf(failure);
  const [why, command] =
    type === 'pipeline' && mayStillEnd(failure.type, steps)
      ? takingOver(workflowId)
      : steps === undefined
        ? (ADVICE.get(withoutPrefix(failure.type)) ?? BUYS)(workflowId, usage?.total ?? 0, attempts)
        : forPipeline(workflowId, steps, usage?.total ?? 0);
  return [`Next: ${why}`, ...(command === undefined ? [] : [`  ${command}`])].join('\n');
}

function forPipeline(workflowId: string, steps: PipelineResult['steps'], spent: number) {
  const failed = Object.entries(steps).flatMap(([name, step]) =>
    itemsOf(step).flatMap((item) => (item.status === 'FAILED' ? [{ name, failure: item.failure }] : [])),
  );
  if (failed.some(({ failure }) => failure.type === 'BUDGET_EXCEEDED')) {
    const set = `budget.credits=${more(spent)}`;
    const command = ownCommand('rerun', workflowId, '--set', set);
    return ['Completed steps are taken over. To go on with more budget:', command] as const;
  }
  const stubborn = failed.find(({ failure }) => needsChange(failure));
  if (stubborn === undefined) {
    return [
      'Completed steps are taken over, the others run again:',
      ownCommand('rerun', workflowId),
    ] as const;
  }
  const command = `${ownCommand('rerun', workflowId, '--set')} ${stubborn.name}.<field>=<value>`;
  return ['Completed steps are taken over. With one step changed:', command] as const;
}

function takingOver(workflowId: string) {
  return [
    'Completed steps are taken over, and tasks that may still come to a result; what is to be changed comes after that:',
    ownCommand('reset', workflowId),
  ] as const;
}

function needsChange({ type }: StepFailure): boolean {
  return ADVICE.get(withoutPrefix(type)) === ANOTHER;
}

/** A budget that leaves room: what was spent, twice. */
function more(spent: number): number {
  return Math.max(10, Math.ceil(spent * 2));
}
